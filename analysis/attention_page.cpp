#include "analysis/attention_page.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "analysis/attention_page_template.h"
#include "analysis/html_page.h"
#include "core/errors.h"
#include "core/format.h"
#include "text/character_at.h"
#include "text/utf8.h"

namespace zoo {
namespace {

/// A small map has at most so many rows and columns; it shows the largest weight of each block.
constexpr std::size_t kSmallSide = 32;
/// Colours above "none" in a small map: --c1 to --c5 of the style sheet.
constexpr int kColours = 5;
/// Characters of a token that the page shows, so that no token can drown it.
constexpr std::int64_t kLabelCharacters = 48;

/// A weight in thousandths is one digit, or from 64 on a prefix that counts the 64s and a digit.
constexpr std::string_view kDigits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
constexpr std::string_view kPrefixes = "!#$%()*+,./:;=?";

constexpr char32_t kReplacement = 0xFFFD;

char32_t visible(char32_t c) {
  switch (c) {
    case ' ':
      return U'␣';
    case '\n':
      return U'⏎';
    case '\r':
      return U'␍';
    case '\t':
      return U'⇥';
    case 0xA0:
      return U'⍽';
    default:
      break;
  }
  if (c == 0x2028 || c == 0x2029) return U'⏎';
  if ((c >= 0x2000 && c <= 0x200B) || c == 0x202F || c == 0x3000) return U'␣';
  return disturbs_text(c) ? kReplacement : c;
}

/// A token as its label: white space made visible, cut where it is long.
std::string label_of(std::string_view token) {
  std::string label;
  std::int64_t count = 0;
  for (std::size_t at = 0; at < token.size(); ++count) {
    if (count == kLabelCharacters) return label + "…";
    const auto [c, size] = character_at(token, at);
    append_utf8(label, visible(c));
    at += size;
  }
  return label.empty() ? "∅" : label;
}

/// JSON that cannot end a script element or begin a comment: plain ASCII without angle brackets.
std::string script_safe(const nlohmann::ordered_json& json) {
  std::string safe;
  for (const char c : json.dump(-1, ' ', /*ensure_ascii=*/true)) {
    if (c == '<' || c == '>' || c == '&') {
      safe += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else {
      safe += c;
    }
  }
  return safe;
}

/// One layer with its labels made, so that nothing below sees the strings as they came.
struct Layer {
  std::string name;
  std::vector<std::string> queries;  ///< T
  std::vector<std::string> keys;     ///< S
  std::size_t heads = 0;
  const float* weights = nullptr;  ///< [heads, T, S]

  [[nodiscard]] float weight(std::size_t head, std::size_t query, std::size_t key) const {
    return weights[(head * queries.size() + query) * keys.size() + key];
  }
};

void validate(const AttentionLayer& layer, const std::string& name) {
  const auto T = layer.queries.size();
  const auto S = layer.keys.size();
  const auto size = layer.weights.size();
  require<std::invalid_argument>(layer.heads > 0 && T > 0 && S > 0, "attention of ", name, ": got ",
                                 layer.heads, " heads, ", T, " queries and ", S,
                                 " keys; give at least one of each");
  const auto heads = static_cast<std::size_t>(layer.heads);
  require<std::invalid_argument>(size % (T * S) == 0 && size / (T * S) == heads, "attention of ",
                                 name, ": got ", size, " weights; expected heads ", heads,
                                 " x queries ", T, " x keys ", S);
  for (const float weight : layer.weights) {
    // Half precision rounds a weight of 1 upwards; not a number compares false.
    require<std::invalid_argument>(weight >= -1e-3F && weight <= 1 + 1e-3F, "attention of ", name,
                                   ": got a weight of ", weight, "; expected 0 to 1");
  }
}

Layer checked(const AttentionLayer& layer) {
  auto name = displayable(layer.name);
  validate(layer, name);
  Layer made{std::move(name), {}, {}, static_cast<std::size_t>(layer.heads), layer.weights.data()};
  for (const auto& token : layer.queries) made.queries.push_back(label_of(token));
  for (const auto& token : layer.keys) made.keys.push_back(label_of(token));
  return made;
}

/// The rows of a head, separated by spaces, each without the zeros that end it.
std::string encoded(const Layer& layer, std::size_t head) {
  std::string text;
  for (std::size_t query = 0; query < layer.queries.size(); ++query) {
    if (query > 0) text += ' ';
    auto end = text.size();
    for (std::size_t key = 0; key < layer.keys.size(); ++key) {
      const float weight = std::clamp(layer.weight(head, query, key), 0.0F, 1.0F);
      const auto thousandths = static_cast<std::size_t>(std::lround(weight * 1000));
      if (thousandths >= 64) text += kPrefixes[thousandths / 64 - 1];
      text += kDigits[thousandths % 64];
      if (thousandths > 0) end = text.size();
    }
    text.resize(end);
  }
  return text;
}

nlohmann::ordered_json data_of(const std::vector<Layer>& layers) {
  nlohmann::ordered_json data = {
      {"digits", kDigits}, {"prefixes", kPrefixes}, {"layers", nlohmann::ordered_json::array()}};
  for (const auto& layer : layers) {
    auto heads = nlohmann::ordered_json::array();
    for (std::size_t head = 0; head < layer.heads; ++head) heads.push_back(encoded(layer, head));
    data["layers"].push_back({{"name", layer.name},
                              {"queries", layer.queries},
                              {"keys", layer.keys},
                              {"heads", std::move(heads)}});
  }
  return data;
}

/// A head as small as its page needs it: blocks of tokens by their largest weight.
struct SmallMap {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> cells;         ///< [rows, columns]
  std::vector<std::string> titles;  ///< of each row its largest weight, with its tokens
};

SmallMap small_map(const Layer& layer, std::size_t head) {
  const auto T = layer.queries.size();
  const auto S = layer.keys.size();
  const auto down = (T + kSmallSide - 1) / kSmallSide;    // queries a block
  const auto across = (S + kSmallSide - 1) / kSmallSide;  // keys a block
  SmallMap map{(T + down - 1) / down, (S + across - 1) / across, {}, {}};
  map.cells.resize(map.rows * map.columns);
  for (std::size_t row = 0; row < map.rows; ++row) {
    auto best = std::pair{row * down, std::size_t{0}};
    for (auto query = row * down; query < std::min(T, (row + 1) * down); ++query) {
      for (std::size_t key = 0; key < S; ++key) {
        const float weight = layer.weight(head, query, key);
        auto& cell = map.cells[row * map.columns + key / across];
        cell = std::max(cell, weight);
        if (weight > layer.weight(head, best.first, best.second)) best = {query, key};
      }
    }
    const double weight = layer.weight(head, best.first, best.second);
    map.titles.push_back(layer.queries[best.first] + " → " + layer.keys[best.second] + ": " +
                         fixed_digits(weight, 3));
  }
  return map;
}

int colour_of(float weight) {
  return static_cast<int>(std::lround(std::sqrt(std::clamp(weight, 0.0F, 1.0F)) * kColours));
}

/// The cells of one colour as horizontal strokes.
std::string strokes(const SmallMap& map, int colour) {
  std::string path;
  for (std::size_t row = 0; row < map.rows; ++row) {
    for (std::size_t column = 0; column < map.columns;) {
      const auto start = column;
      while (column < map.columns && colour_of(map.cells[row * map.columns + column]) == colour) {
        ++column;
      }
      if (column > start) path += text_of('M', start, ' ', row, 'h', column - start);
      if (column == start) ++column;
    }
  }
  return path;
}

std::string svg_of(const SmallMap& map, const std::string& title) {
  auto svg = text_of("<svg viewBox=\"0 -.5 ", map.columns, ' ', map.rows,
                     "\" preserveAspectRatio=\"none\"><title>", html_escaped(title), "</title>");
  for (int colour = 1; colour <= kColours; ++colour) {
    const auto path = strokes(map, colour);
    if (!path.empty()) svg += text_of("<path class=\"c", colour, "\" d=\"", path, "\"/>");
  }
  for (std::size_t row = 0; row < map.rows; ++row) {
    svg += text_of("<path d=\"M0 ", row, 'h', map.columns, "\"><title>",
                   html_escaped(map.titles[row]), "</title></path>");
  }
  return svg + "</svg>";
}

std::string token_list(const std::string& what, const std::vector<std::string>& tokens) {
  std::string list = "<p>" + what + ":";
  for (const auto& token : tokens) list += " <bdi>" + html_escaped(token) + "</bdi>";
  return list + "</p>\n";
}

std::string overview_of(const Layer& layer) {
  std::string html = "<div class=\"layer\"><h3>" + html_escaped(layer.name) + "</h3>\n";
  html += "<div class=\"heads\">\n";
  for (std::size_t head = 0; head < layer.heads; ++head) {
    const auto title = text_of(layer.name, ", head ", head + 1);
    html += "<button type=\"button\" aria-label=\"" + html_escaped(title) + "\">";
    html += svg_of(small_map(layer, head), title);
    html += text_of("<span>", head + 1, "</span></button>\n");
  }
  return html + "</div>\n<noscript>" + token_list("rows", layer.queries) +
         token_list("columns", layer.keys) + "</noscript></div>\n";
}

}  // namespace

std::string attention_page(const AttentionPage& page) {
  require<std::invalid_argument>(!page.layers.empty(), "attention page: got no layers");
  std::vector<Layer> layers;
  for (const auto& layer : page.layers) layers.push_back(checked(layer));
  const auto title = displayable(page.title.empty() ? "Attention" : page.title);
  auto html = html_head({title, kStyle, kScript});
  html += "<body>\n<main>\n<header><h1>" + html_escaped(title) + "</h1>\n<p class=\"text\"><bdi>" +
          html_escaped(displayable(page.text)) + "</bdi></p>";
  html += kIntroduction;
  for (const auto& layer : layers) html += overview_of(layer);
  html += kLargeView;
  html += "<script type=\"application/json\" id=\"data\">" + script_safe(data_of(layers)) +
          "</script>\n";
  return html.append("<script>").append(kScript).append("</script>\n</body>\n</html>\n");
}

}  // namespace zoo
