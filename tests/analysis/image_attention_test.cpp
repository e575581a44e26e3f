#include "analysis/image_attention.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/attention_cell.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/text_search.h"
#include "text/utf8.h"
#include "vision/formats/png.h"

namespace zoo {
namespace {

using Colour = std::vector<int>;  // of three channels

Image flat_image(const ImageSize& size, std::uint8_t value) {
  return {size, std::vector<std::uint8_t>(static_cast<std::size_t>(size.pixels()), value)};
}

/// Layers whose heads look at all patches alike and a tenth at [CLS].
ImageAttention even_attention(const ImageSize& size, std::int64_t rows, std::int64_t columns,
                              const std::vector<std::int64_t>& heads) {
  ImageAttention attention{"vit-digits", "a four", flat_image(size, 100), rows, columns, {}};
  for (const auto count : heads) {
    const auto cells = static_cast<std::size_t>(count * rows * columns);
    const auto weight = 0.9F / static_cast<float>(rows * columns);
    attention.layers.push_back({"layer 1", count, std::vector<float>(cells, weight)});
  }
  return attention;
}

Colour pixel(const Image& image, std::int64_t y, std::int64_t x) {
  Colour colour(3);
  for (std::size_t c = 0; c < 3; ++c) {
    const auto row = static_cast<std::int64_t>(c) * image.size.height + y;
    colour[c] = image.pixels.at(static_cast<std::size_t>(row * image.size.width + x));
  }
  return colour;
}

std::set<Colour> colours_in(const Image& image, std::int64_t top, std::int64_t left,
                            std::int64_t height, std::int64_t width) {
  std::set<Colour> colours;
  for (auto y = top; y < top + height; ++y) {
    for (auto x = left; x < left + width; ++x) colours.insert(pixel(image, y, x));
  }
  return colours;
}

std::string refusal(const ImageAttention& attention) {
  const auto message = message_of<std::invalid_argument>([&] { attention_picture(attention); });
  CHECK(message_of<std::invalid_argument>([&] { image_attention_page(attention); }) == message);
  return message;
}

TEST_CASE("a contact sheet has a row for each layer and a column for each head") {
  const auto sheet = attention_picture(even_attention({1, 28, 28}, 7, 7, {3, 2}));
  // The image, three heads, their mean; separators around them, wider beside the heads.
  CHECK(sheet.size == ImageSize{3, 2 + 2 * (112 + 2), 5 * 112 + 2 + 8 + 2 + 2 + 8 + 2});
  CHECK(sheet.pixels.size() == static_cast<std::size_t>(sheet.size.pixels()));
}

TEST_CASE("a contact sheet of layers with one head has no mean") {
  const auto sheet = attention_picture(even_attention({3, 32, 32}, 8, 8, {1}));
  CHECK(sheet.size == ImageSize{3, 128 + 2 * 2, 2 * 128 + 2 + 8 + 2});
}

TEST_CASE("a head that looks at one patch lights exactly that patch") {
  auto attention = even_attention({1, 8, 12}, 2, 3, {2});
  auto& weights = attention.layers[0].weights;
  weights.assign(weights.size(), 0);
  weights[6 + 4] = 0.5F;  // second head: second row, second column
  const auto sheet = attention_picture(attention);
  const std::int64_t patch = 56;
  const std::int64_t left = 2 + 168 + 8;
  const Colour dark{60, 60, 60};
  CHECK(colours_in(sheet, 2, 2, 112, 168) == std::set{Colour{100, 100, 100}});
  CHECK(colours_in(sheet, 2, left, 112, 168) == std::set{dark});
  const auto second = left + 168 + 2;
  for (std::int64_t row = 0; row < 2; ++row) {
    for (std::int64_t column = 0; column < 3; ++column) {
      const auto colours =
          colours_in(sheet, 2 + row * patch, second + column * patch, patch, patch);
      REQUIRE(colours.size() == 1);
      CHECK((*colours.begin() == dark) == (row != 1 || column != 1));
    }
  }
  const auto lit = pixel(sheet, 2 + patch, second + patch);
  const Colour brightest{252, 255, 164};
  for (std::size_t c = 0; c < 3; ++c)
    CHECK(lit[c] == Approx(0.15 * 60 + 0.85 * brightest[c]).margin(1));
}

TEST_CASE("the largest weight of each head is equally bright") {
  auto attention = even_attention({1, 16, 16}, 4, 4, {2});
  auto& weights = attention.layers[0].weights;
  weights.assign(weights.size(), 0);
  weights[0] = 0.9F;
  weights[16] = 0.3F;
  const auto sheet = attention_picture(attention);
  const std::int64_t left = 2 + 112 + 8;
  CHECK(pixel(sheet, 2, left) == pixel(sheet, 2, left + 112 + 2));
}

TEST_CASE("a head that looks everywhere alike is even and no brighter than half") {
  const auto attention = even_attention({1, 16, 16}, 4, 4, {2});
  const auto sheet = attention_picture(attention);
  const std::int64_t left = 2 + 112 + 8;
  const auto colours = colours_in(sheet, 2, left, 112, 112);
  REQUIRE(colours.size() == 1);
  auto peaked = attention;
  peaked.layers[0].weights.assign(32, 0);
  peaked.layers[0].weights[0] = 0.9F;
  const auto brightest = pixel(attention_picture(peaked), 2, left);
  CHECK((*colours.begin())[0] + 40 < brightest[0]);
}

TEST_CASE("a head that looks at [CLS] alone stays dark") {
  auto attention = even_attention({1, 16, 16}, 4, 4, {1});
  attention.layers[0].weights.assign(16, 0);
  CHECK(colours_in(attention_picture(attention), 2, 2 + 112 + 8, 112, 112) ==
        std::set{Colour{60, 60, 60}});
}

TEST_CASE("the mean of a layer stands in the last column") {
  auto attention = even_attention({1, 2, 2}, 2, 2, {2, 1});
  attention.layers[0].weights = {1, 0, 0, 0, 0, 0, 0, 1};
  attention.layers[1].weights = {0, 1, 0, 0};
  const auto sheet = attention_picture(attention);
  const std::int64_t left = sheet.size.width - 2 - 112;
  const Colour dark{60, 60, 60};
  CHECK(pixel(sheet, 2, left) == pixel(sheet, 2 + 111, left + 111));
  CHECK(pixel(sheet, 2, left) != dark);
  CHECK(pixel(sheet, 2, left + 111) == dark);
  // The second layer has one head, so no mean: what is left of its row is empty.
  CHECK(colours_in(sheet, 2 + 114, left, 112, 112) == std::set{Colour{24, 24, 24}});
}

TEST_CASE("a contact sheet shows a colour image in colour, and grey under the heads") {
  auto attention = even_attention({3, 4, 4}, 2, 2, {1});
  attention.layers[0].weights.assign(4, 0);
  std::fill_n(attention.image.pixels.begin(), 16, std::uint8_t{200});
  const auto sheet = attention_picture(attention);
  CHECK(pixel(sheet, 2, 2) == Colour{200, 100, 100});
  CHECK(pixel(sheet, 2, 2 + 112 + 8) == Colour{78, 78, 78});  // 0.6 of the luminance, 129.9
}

TEST_CASE("an image is enlarged by whole pixels") {
  auto attention = even_attention({1, 2, 3}, 1, 1, {1});
  attention.image.pixels = {10, 20, 30, 40, 50, 60};
  const auto sheet = attention_picture(attention);
  CHECK(sheet.size.height == 112 + 4);
  for (std::int64_t i = 0; i < 6; ++i) {
    const auto grey = static_cast<int>(10 * (i + 1));
    CHECK(colours_in(sheet, 2 + i / 3 * 56, 2 + i % 3 * 56, 56, 56) ==
          std::set{Colour{grey, grey, grey}});
  }
}

TEST_CASE("a large image is reduced to whole pixels a patch by the mean of what they cover") {
  CHECK(cell_size({{3, 224, 224}, 14, 14}, 112) == ImageSize{3, 112, 112});
  CHECK(cell_size({{3, 384, 384}, 24, 24}, 112) == ImageSize{3, 120, 120});
  CHECK(cell_size({{1, 1000, 500}, 4, 2}, 112) == ImageSize{1, 224, 112});
  const Image image{{1, 2, 3}, {0, 30, 60, 90, 120, 150}};
  CHECK(rescaled(image, 1, 1).pixels == std::vector<std::uint8_t>{75});
  // Two columns of three: each covers one and a half.
  CHECK(rescaled(image, 2, 2).pixels == std::vector<std::uint8_t>{10, 50, 100, 140});
  CHECK(rescaled(image, 2, 3).pixels == image.pixels);
  CHECK(rescaled({{1, 1, 3}, {0, 1, 1}}, 1, 1).pixels == std::vector<std::uint8_t>{1});  // 2/3
}

TEST_CASE("a contact sheet keeps to its largest size") {
  const auto wide = attention_picture(even_attention({1, 28, 28}, 7, 7, {64}));
  CHECK(wide.size.width <= 4096);
  CHECK(wide.size.height == 56 + 4);
  const auto many = std::vector<std::int64_t>(400, 1);
  CHECK(attention_picture(even_attention({3, 64, 64}, 8, 8, many)).size.height <= 16384);
  CHECK_THAT(message_of<std::invalid_argument>(
                 [] { attention_picture(even_attention({1, 8, 8}, 8, 8, {600})); }),
             ContainsSubstring("got 1 layers of up to 600 heads"));
}

TEST_CASE("the larger a weight, the brighter its patch") {
  std::vector<float> weights;
  for (int i = 0; i < 100; ++i) weights.push_back(static_cast<float>(i) / 99);
  const auto image = flat_image({1, 1, 100}, 0);
  const auto cell = attention_cell(image, {image.size, 1, 100}, weights);
  double before = -1;
  for (std::int64_t x = 0; x < 100; ++x) {
    const auto colour = pixel(cell, 0, x);
    const auto brightness = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
    CHECK(brightness > before);
    before = brightness;
  }
}

TEST_CASE("an image attention page has a picture for each head, its mean and the image") {
  const auto html = image_attention_page(even_attention({1, 28, 28}, 7, 7, {3, 1}));
  CHECK(html.starts_with("<!doctype html>"));
  CHECK(html.ends_with("</html>\n"));
  CHECK_THAT(html, ContainsSubstring("<h1>vit-digits</h1>"));
  CHECK_THAT(html, ContainsSubstring("<bdi>a four</bdi>"));
  CHECK(count_of(html, "<figure ") == 3 + 1 + 1);
  CHECK(count_of(html, "<b>mean</b>") == 1);
  CHECK(count_of(html, "<img ") == 5 + 1 + 1);  // with the input and the legend
  CHECK_THAT(html, ContainsSubstring("alt=\"layer 1, head 3\" width=\"112\" height=\"112\""));
}

TEST_CASE("an image attention page gives the share of [CLS] and the largest weight in numbers") {
  auto attention = even_attention({1, 4, 6}, 2, 3, {1});
  attention.layers[0].weights = {0, 0.125F, 0, 0, 0, 0.25F};
  const auto html = image_attention_page(attention);
  CHECK_THAT(html, ContainsSubstring("[CLS] 62.5 %"));
  CHECK_THAT(html, ContainsSubstring("<output>max 25.0 % (2, 3)</output>"));
  CHECK_THAT(html, ContainsSubstring("data-weights=\"0 1250 0 0 0 2500\""));
  CHECK_THAT(html, ContainsSubstring("<main data-rows=\"2\" data-columns=\"3\">"));
}

TEST_CASE("an image attention page embeds cells of the image's own size") {
  const auto attention = even_attention({1, 28, 28}, 7, 7, {1});
  const auto html = image_attention_page(attention);
  const auto first = between(html, "base64,", "\"");
  CHECK(first.size() == (encode_png(attention.image).size() + 2) / 3 * 4);
  // A larger one is reduced to what is shown.
  const auto large = image_attention_page(even_attention({3, 448, 448}, 14, 14, {1}));
  CHECK_THAT(large, ContainsSubstring("width=\"224\" height=\"224\""));
  CHECK(large.size() < 30'000);
}

TEST_CASE("an image attention page reaches nothing outside itself") {
  const auto html = image_attention_page(even_attention({1, 28, 28}, 7, 7, {2}));
  const auto policy = between(html, "Content-Security-Policy\" content=\"", "\"");
  CHECK_THAT(policy, ContainsSubstring("default-src 'none'; script-src 'sha256-"));
  CHECK_THAT(policy, ContainsSubstring("; img-src data:;"));
  CHECK(policy.find("unsafe") == policy.npos);
  CHECK(count_of(html, " style=") == 0);  // the policy would refuse it
  CHECK(count_of(html, "://") == 0);
  CHECK(count_of(html, "src=\"") == count_of(html, "src=\"data:image/png;base64,"));
}

TEST_CASE("hostile strings change nothing in the structure of an image attention page") {
  const auto filled_with = [](const std::string& text) {
    auto attention = even_attention({1, 4, 4}, 2, 2, {2});
    attention.title = attention.caption = attention.layers[0].name = text;
    return image_attention_page(attention);
  };
  const auto harmless = filled_with("x");
  const std::vector<std::string> hostile = {"</script><script>alert(1)</script>",
                                            "\"><img src=x onerror=alert(1)>",
                                            "<!--",
                                            "</title></style><b>",
                                            "' onmouseover='alert(1)",
                                            "&lt;script&gt;",
                                            std::string("a\0b", 3),
                                            "\xff\xfe\xc3",
                                            "\xc0\xbcscript>",
                                            "\xe2\x80\xaetxt",
                                            "\x1b]0;x\x07"};
  for (const auto& text : hostile) {
    CAPTURE(text);
    const auto html = filled_with(text);
    CHECK(count_of(html, "<") == count_of(harmless, "<"));
    CHECK(count_of(html, ">") == count_of(harmless, ">"));
    CHECK(count_of(html, "=\"") == count_of(harmless, "=\""));
    CHECK(valid_utf8_prefix(html) == html.size());
    CHECK(html.find('\0') == html.npos);
  }
  CHECK(count_of(filled_with("<i>&\"'"), "&lt;i&gt;&amp;&quot;&#39;") == 4 + 3);
  CHECK_THAT(filled_with(""), ContainsSubstring("<h1>Attention</h1>"));
}

TEST_CASE("image attention refuses sizes that do not fit") {
  const auto good = even_attention({1, 8, 12}, 2, 3, {2});
  const auto with = [&](auto change) {
    auto attention = good;
    change(attention);
    return refusal(attention);
  };
  const auto huge = std::numeric_limits<std::int64_t>::max();
  CHECK(with([](auto& a) { a.image.size.channels = 2; }) ==
        "image attention: got 2 channels; expected 1 or 3");
  CHECK_THAT(with([](auto& a) { a.image.pixels.pop_back(); }),
             ContainsSubstring("got 95 pixels; expected channels 1 x height 8 x width 12"));
  CHECK_THAT(with([&](auto& a) { a.image.size.height = huge; }),
             ContainsSubstring("got 96 pixels"));
  CHECK_THAT(with([&](auto& a) { a.image = {}; }), ContainsSubstring("got 0 channels"));
  CHECK_THAT(with([&](auto& a) { a.image = {{1, 0, 0}, {}}; }), ContainsSubstring("got 0 pixels"));
  CHECK(with([](auto& a) { a.rows = 3; }) ==
        "image attention: got 3 x 3 patches of an image of 8 x 12; its sides must be multiples of "
        "the patches");
  for (const auto rows : {std::int64_t{0}, std::int64_t{-2}, huge}) {
    CHECK_THAT(with([&](auto& a) { a.rows = rows; }), ContainsSubstring("must be multiples"));
    CHECK_THAT(with([&](auto& a) { a.columns = rows; }), ContainsSubstring("must be multiples"));
  }
  CHECK(with([](auto& a) { a.layers.clear(); }) == "image attention: got no layers");
  CHECK_THAT(with([](auto& a) { a.layers[0].weights.pop_back(); }),
             ContainsSubstring("of layer 1: got 11 weights; expected heads 2 x patches 6"));
  CHECK_THAT(with([&](auto& a) { a.layers[0].heads = huge; }), ContainsSubstring("got 12 weights"));
  CHECK_THAT(with([](auto& a) { a.layers[0] = {"none", 0, {}}; }),
             ContainsSubstring("of none: got 0 weights"));
}

TEST_CASE("image attention refuses weights that are none") {
  auto attention = even_attention({1, 8, 12}, 2, 3, {2});
  auto& weight = attention.layers[0].weights[7];
  for (const float wrong :
       {-0.1F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    weight = wrong;
    CHECK_THAT(refusal(attention), ContainsSubstring("of layer 1, head 2: got a weight of"));
  }
  weight = 0.5F;
  CHECK_THAT(refusal(attention), ContainsSubstring("head 2: got weights that sum to 1.25"));
  weight = 0.25F + 0.005F;  // as half precision rounds
  CHECK_NOTHROW(attention_picture(attention));
}

}  // namespace
}  // namespace zoo
