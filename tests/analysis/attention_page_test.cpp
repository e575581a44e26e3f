#include "analysis/attention_page.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/text_search.h"
#include "text/utf8.h"

namespace zoo {
namespace {

/// Heads whose rows look at all keys alike.
AttentionLayer even_layer(std::vector<std::string> queries, std::vector<std::string> keys,
                          std::int64_t heads) {
  const auto cells = static_cast<std::size_t>(heads) * queries.size() * keys.size();
  const auto weight = 1.0F / static_cast<float>(keys.size());
  return {"layer 1", std::move(queries), std::move(keys), heads, std::vector(cells, weight)};
}

AttentionPage two_heads() {
  AttentionLayer layer{"layer 1", {"The", " cat"}, {"The", " cat"}, 2, {}};
  layer.weights = {1, 0, 0.2504F, 0.7496F, 1, 0, 1.0F / 3, 2.0F / 3};
  return {"gpt-names", "The cat", {layer}};
}

nlohmann::json data_in(const std::string& html) {
  return nlohmann::json::parse(between(html, "id=\"data\">", "</script>"));
}

/// What the page's script reads: a row of weights in thousandths.
std::vector<std::size_t> decoded(const nlohmann::json& data, std::string_view row) {
  const auto digits = data.at("digits").get<std::string>();
  const auto prefixes = data.at("prefixes").get<std::string>();
  std::vector<std::size_t> weights;
  std::size_t high = 0;
  for (const char c : row) {
    const auto prefix = prefixes.find(c);
    if (prefix != std::string::npos) {
      high = 64 * (prefix + 1);
      continue;
    }
    REQUIRE(digits.find(c) != std::string::npos);
    weights.push_back(high + digits.find(c));
    high = 0;
  }
  return weights;
}

std::string hex_of_base64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::size_t bits = 0;
  std::size_t held = 0;
  for (const char c : text.substr(0, text.find('='))) {
    held = held << 6 | kAlphabet.find(c);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xFF);
  }
  return to_hex(bytes);
}

const std::vector<std::string>& hostile_strings() {
  static const std::vector<std::string> kStrings = {
      "</script><script>alert(1)</script>",
      "\"><img src=x onerror=alert(1)>",
      "<!--",
      "<!--<script>",
      "-->",
      "]]>",
      "</title><script>alert(1)</script>",
      "</style><script>alert(1)</script>",
      "</svg><svg onload=alert(1)>",
      "</noscript><img src=x onerror=alert(1)>",
      "<base href=//example.invalid>",
      "<meta http-equiv=refresh content='0;url=//example.invalid'>",
      "' onmouseover='alert(1)",
      "\\\"};alert(1);//",
      "\\u003cscript>",
      "&lt;script&gt;",
      "${alert(1)}",
      std::string("a\0b", 3),
      "\xff\xfe\xc3",
      "\xc0\xbcscript>",  // "<" in two bytes, which is not UTF-8
      "\xed\xa0\x80",     // half of a surrogate pair
      "\xe2\x80\xa8",     // U+2028, a line's end to old JavaScript
      "\xe2\x80\xaetxt",  // U+202E turns the direction of writing
      "\x1b]0;x\x07",
  };
  return kStrings;
}

AttentionPage filled_with(const std::string& text) {
  auto layer = even_layer({text, text}, {text}, 1);
  layer.name = text;
  return {text, text, {layer}};
}

TEST_CASE("an attention page has a small map for each layer and head") {
  auto page = two_heads();
  page.layers.push_back(even_layer({"a", "b", "c"}, {"d", "e"}, 3));
  page.layers.back().name = "decoder layer 1, cross-attention";
  const auto html = attention_page(page);
  CHECK(html.starts_with("<!doctype html>"));
  CHECK(html.ends_with("</html>\n"));
  CHECK(count_of(html, "<svg ") == 5);
  CHECK(count_of(html, "<title>layer 1, head 2</title>") == 1);
  CHECK(count_of(html, "<title>decoder layer 1, cross-attention, head 3</title>") == 1);
  CHECK_THAT(html, ContainsSubstring("viewBox=\"0 -.5 2 3\""));
  CHECK(data_in(html).at("layers").at(1).at("heads").size() == 3);
}

TEST_CASE("an attention page allows its own style and script and nothing else") {
  const auto html = attention_page(two_heads());
  const auto policy = between(html, "Content-Security-Policy\" content=\"", "\"");
  CHECK_THAT(policy, ContainsSubstring("default-src 'none'"));
  CHECK(policy.find("unsafe") == policy.npos);
  CHECK(hex_of_base64(between(policy, "script-src 'sha256-", "'")) ==
        sha256(between(html, "<script>", "</script>")));
  CHECK(hex_of_base64(between(policy, "style-src 'sha256-", "'")) ==
        sha256(between(html, "<style>", "</style>")));
  CHECK(count_of(html, " style=") == 0);  // the policy would refuse it
  CHECK(count_of(html, "://") == 0);
  CHECK(count_of(html, " src=") == 0);
}

TEST_CASE("an attention page shows its title and text") {
  const auto html = attention_page(two_heads());
  CHECK_THAT(html, ContainsSubstring("<title>gpt-names</title>"));
  CHECK_THAT(html, ContainsSubstring("<h1>gpt-names</h1>"));
  CHECK_THAT(html, ContainsSubstring("<bdi>The cat</bdi>"));
}

TEST_CASE("an attention page gives its weights to three digits") {
  const auto html = attention_page(two_heads());
  const auto data = data_in(html);
  const auto rows_of = [&](std::size_t head) {
    const auto text = data.at("layers").at(0).at("heads").at(head).get<std::string>();
    const auto end = text.find(' ');
    return std::pair{decoded(data, text.substr(0, end)), decoded(data, text.substr(end + 1))};
  };
  using Row = std::vector<std::size_t>;
  CHECK(rows_of(0).first == Row{1000});  // zeros that end a row are not written
  CHECK(rows_of(0).second == Row{250, 750});
  CHECK(rows_of(1).second == Row{333, 667});
  CHECK_THAT(html, ContainsSubstring("<title>␣cat → ␣cat: 0.750</title>"));
  CHECK_THAT(html, ContainsSubstring("<title>␣cat → ␣cat: 0.667</title>"));
}

TEST_CASE("an attention page can write each weight from 0 to 1 in thousandths") {
  std::vector<std::string> keys(1001, "k");
  auto layer = even_layer({"q"}, keys, 1);
  for (std::size_t i = 0; i < 1001; ++i) layer.weights[i] = static_cast<float>(i) / 1000;
  const auto data = data_in(attention_page({"", "", {layer}}));
  const auto row = decoded(data, data.at("layers").at(0).at("heads").at(0).get<std::string>());
  REQUIRE(row.size() == 1001);
  for (std::size_t i = 0; i < 1001; ++i) CHECK(row[i] == i);
}

TEST_CASE("a small map draws runs of one colour and leaves weights near zero out") {
  AttentionLayer layer{"layer 1", {"a", "b"}, {"c", "d", "e", "f"}, 1, {}};
  layer.weights = {0.5F, 0.5F, 0, 0, 0, 0, 0, 1};
  const auto html = attention_page({"", "", {layer}});
  CHECK_THAT(html, ContainsSubstring("<path class=\"c4\" d=\"M0 0h2\"/>"));
  CHECK_THAT(html, ContainsSubstring("<path class=\"c5\" d=\"M3 1h1\"/>"));
  CHECK(count_of(html, "<path class=") == 2);
}

TEST_CASE("a small map of a long text keeps the largest weight of each block") {
  std::vector<std::string> tokens(64, "t");
  tokens[40] = "query";
  tokens[50] = "key";
  auto layer = even_layer(tokens, tokens, 1);
  layer.weights.assign(64 * 64, 0);
  layer.weights[40 * 64 + 50] = 1;
  const auto html = attention_page({"", "", {layer}});
  CHECK_THAT(html, ContainsSubstring("viewBox=\"0 -.5 32 32\""));
  CHECK_THAT(html, ContainsSubstring("<path class=\"c5\" d=\"M25 20h1\"/>"));
  CHECK_THAT(html, ContainsSubstring("<title>query → key: 1.000</title>"));
}

TEST_CASE("white space in a token is made visible") {
  const auto html = attention_page(filled_with(" a\tb\n\r"));
  CHECK(data_in(html).at("layers").at(0).at("keys").at(0) == "␣a⇥b⏎␍");
  CHECK_THAT(html, ContainsSubstring("<bdi>␣a⇥b⏎␍</bdi>"));
}

TEST_CASE("a token that is empty has a label and one that is long is cut") {
  const auto label_of = [](const std::string& token) {
    return data_in(attention_page(filled_with(token))).at("layers").at(0).at("keys").at(0);
  };
  CHECK(label_of("") == "∅");
  CHECK(label_of(std::string(48, 'x')) == std::string(48, 'x'));
  CHECK(label_of(std::string(49, 'x')) == std::string(48, 'x') + "…");
}

TEST_CASE("bytes that are not UTF-8 and control characters become U+FFFD") {
  const auto html = attention_page(filled_with(std::string("a\0\xff\x1b", 4) + "\xe2\x80\xae"));
  CHECK(data_in(html).at("layers").at(0).at("queries").at(1) == "a\uFFFD\uFFFD\uFFFD\uFFFD");
  CHECK_THAT(html, ContainsSubstring("<h1>a\uFFFD\uFFFD\uFFFD\uFFFD</h1>"));
}

TEST_CASE("each string of an attention page is escaped wherever it stands") {
  const auto html = attention_page(filled_with("<i>&\"'"));
  CHECK(count_of(html, "<i>&") == 0);
  // Document title, heading, text, layer, button, small map, two rows, three of the token lists.
  CHECK(count_of(html, "&lt;i&gt;&amp;&quot;&#39;") == 6 + 2 * 2 + 3);
  CHECK(count_of(html, "\\u003ci\\u003e\\u0026\\\"'") == 4);
  CHECK(data_in(html).at("layers").at(0).at("name") == "<i>&\"'");
}

TEST_CASE("hostile strings change nothing in the structure of an attention page") {
  const auto harmless = attention_page(filled_with("x"));
  for (const auto& text : hostile_strings()) {
    CAPTURE(text);
    const auto html = attention_page(filled_with(text));
    CHECK(count_of(html, "<") == count_of(harmless, "<"));
    CHECK(count_of(html, ">") == count_of(harmless, ">"));
    CHECK(count_of(html, "=\"") == count_of(harmless, "=\""));
    CHECK(valid_utf8_prefix(html) == html.size());
    CHECK(html.find('\0') == html.npos);
    const auto data = between(html, "id=\"data\">", "</script>");
    CHECK(std::all_of(data.begin(), data.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
}

TEST_CASE("an attention page refuses sizes that do not fit") {
  const auto refusal = [](const AttentionPage& page) {
    return message_of<std::invalid_argument>([&] { attention_page(page); });
  };
  CHECK(refusal({"", "", {}}) == "attention page: got no layers");
  auto page = two_heads();
  page.layers[0].weights.pop_back();
  CHECK(refusal(page) ==
        "attention of layer 1: got 7 weights; expected heads 2 x queries 2 x keys 2");
  page.layers[0].weights.assign(4, 0.5F);
  CHECK_THAT(refusal(page), ContainsSubstring("got 4 weights"));
  for (const std::int64_t heads : {std::int64_t{0}, std::int64_t{-2}}) {
    page = two_heads();
    page.layers[0].heads = heads;
    CHECK_THAT(refusal(page), ContainsSubstring("give at least one of each"));
  }
  page = two_heads();
  page.layers[0].heads = std::numeric_limits<std::int64_t>::max();
  CHECK_THAT(refusal(page), ContainsSubstring("got 8 weights"));
  page = two_heads();
  page.layers[0].queries.clear();
  CHECK_THAT(refusal(page), ContainsSubstring("got 2 heads, 0 queries and 2 keys"));
  page = two_heads();
  page.layers[0].keys.clear();
  CHECK_THAT(refusal(page), ContainsSubstring("got 2 heads, 2 queries and 0 keys"));
}

TEST_CASE("an attention page refuses weights that are none") {
  for (const float weight : {-0.5F, 1.5F, std::nanf("")}) {
    auto page = two_heads();
    page.layers[0].weights[3] = weight;
    CHECK_THAT(message_of<std::invalid_argument>([&] { attention_page(page); }),
               ContainsSubstring("expected 0 to 1"));
  }
  auto rounded = two_heads();
  rounded.layers[0].weights[0] = 1.0005F;
  CHECK_NOTHROW(attention_page(rounded));
}

TEST_CASE("an attention page of 12 layers, 12 heads and 100 tokens stays below 3 MB") {
  AttentionPage page{"big", "", {}};
  for (int number = 0; number < 12; ++number) {
    auto layer = even_layer(std::vector<std::string>(100, " attention"),
                            std::vector<std::string>(100, " attention"), 12);
    // Fourteen keys a row, far apart: the weights that take two characters and never join in a run.
    for (std::size_t i = 0; i < layer.weights.size(); ++i) {
      layer.weights[i] = i % 7 == 0 ? 1.0F / 15 : 1e-3F;
    }
    page.layers.push_back(std::move(layer));
  }
  const auto html = attention_page(page);
  CHECK(html.size() > 1'000'000);
  CHECK(html.size() < 3'000'000);
}

}  // namespace
}  // namespace zoo
