#include "analysis/image_attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>

#include "analysis/attention_cell.h"
#include "analysis/html_page.h"
#include "analysis/image_attention_template.h"
#include "core/errors.h"
#include "core/format.h"
#include "vision/formats/png.h"

namespace zoo {
namespace {

/// Pixels of a cell's shorter side, where the sheet's limits allow; and of the image on its page.
constexpr std::int64_t kCellSide = 112;
constexpr std::int64_t kInputSide = 224;
constexpr std::int64_t kMaxSheetHeight = 16384;
constexpr std::int64_t kMaxSheetWidth = 4096;
constexpr std::int64_t kSeparator = 2;
/// Beside the image and the mean, so that they do not look like heads.
constexpr std::int64_t kWideSeparator = 8;
constexpr std::uint8_t kSeparatorGrey = 24;
/// Half precision rounds weights that sum to 1 upwards.
constexpr double kRounding = 0.01;
constexpr std::int64_t kLegendWidth = 64;

/// One head's weights, or the mean over a layer's.
using Weights = std::vector<float>;

void validate_sizes(const ImageAttention& attention) {
  const auto [channels, height, width] = attention.image.size;
  const auto rows = attention.rows;
  const auto columns = attention.columns;
  const auto pixels = static_cast<std::int64_t>(attention.image.pixels.size());
  require<std::invalid_argument>(channels == 1 || channels == 3, "image attention: got ", channels,
                                 " channels; expected 1 or 3");
  // Divided, because a product of sizes from elsewhere may not fit.
  const bool filled = height > 0 && width > 0 && pixels % channels == 0 &&
                      pixels / channels % height == 0 && pixels / channels / height == width;
  require<std::invalid_argument>(filled, "image attention: got ", pixels,
                                 " pixels; expected channels ", channels, " x height ", height,
                                 " x width ", width, ", each at least 1");
  require<std::invalid_argument>(
      rows > 0 && columns > 0 && height % rows == 0 && width % columns == 0,
      "image attention: got ", rows, " x ", columns, " patches of an image of ", height, " x ",
      width, "; its sides must be multiples of the patches");
  require<std::invalid_argument>(!attention.layers.empty(), "image attention: got no layers");
}

void validate(const ImageAttentionLayer& layer, std::int64_t patches) {
  const auto name = displayable(layer.name);
  const auto size = static_cast<std::int64_t>(layer.weights.size());
  require<std::invalid_argument>(
      layer.heads > 0 && size % patches == 0 && size / patches == layer.heads,
      "image attention of ", name, ": got ", size, " weights; expected heads ", layer.heads,
      " x patches ", patches, ", at least one head");
  for (std::int64_t head = 0; head < layer.heads; ++head) {
    double sum = 0;
    for (std::int64_t patch = 0; patch < patches; ++patch) {
      const auto weight = layer.weights[static_cast<std::size_t>(head * patches + patch)];
      require<std::invalid_argument>(weight >= 0 && std::isfinite(weight), "image attention of ",
                                     name, ", head ", head + 1, ": got a weight of ", weight,
                                     "; expected 0 to 1");
      sum += weight;
    }
    require<std::invalid_argument>(sum <= 1 + kRounding, "image attention of ", name, ", head ",
                                   head + 1, ": got weights that sum to ", sum,
                                   "; expected at most 1");
  }
}

PatchLayout checked_grid(const ImageAttention& attention) {
  validate_sizes(attention);
  for (const auto& layer : attention.layers) {
    validate(layer, attention.rows * attention.columns);
  }
  return {attention.image.size, attention.rows, attention.columns};
}

std::int64_t patches_of(const PatchLayout& grid) { return grid.rows * grid.columns; }

std::span<const float> head_of(const ImageAttentionLayer& layer, const PatchLayout& grid,
                               std::int64_t head) {
  const auto patches = static_cast<std::size_t>(patches_of(grid));
  return std::span(layer.weights).subspan(static_cast<std::size_t>(head) * patches, patches);
}

Weights mean_of(const ImageAttentionLayer& layer, const PatchLayout& grid) {
  Weights mean(static_cast<std::size_t>(patches_of(grid)));
  for (std::size_t patch = 0; patch < mean.size(); ++patch) {
    double sum = 0;
    for (std::int64_t head = 0; head < layer.heads; ++head)
      sum += head_of(layer, grid, head)[patch];
    mean[patch] = static_cast<float>(sum / static_cast<double>(layer.heads));
  }
  return mean;
}

/// Where the cells of a contact sheet lie.
struct Sheet {
  ImageSize cell;
  std::int64_t layers = 0;
  std::int64_t heads = 0;  ///< of the layer that has most

  [[nodiscard]] std::int64_t top(std::int64_t layer) const {
    return kSeparator + layer * (cell.height + kSeparator);
  }
  [[nodiscard]] std::int64_t left_of_head(std::int64_t head) const {
    return kSeparator + cell.width + kWideSeparator + head * (cell.width + kSeparator);
  }
  [[nodiscard]] std::int64_t left_of_mean() const {
    return left_of_head(heads) - kSeparator + kWideSeparator;
  }
  [[nodiscard]] std::int64_t height() const { return top(layers); }
  [[nodiscard]] std::int64_t width() const {
    return heads > 1 ? left_of_mean() + cell.width + kSeparator : left_of_head(heads);
  }
};

/// With the largest cells that the limits allow.
Sheet fitted_sheet(const ImageAttention& attention, const PatchLayout& grid) {
  Sheet sheet{{}, static_cast<std::int64_t>(attention.layers.size()), 0};
  for (const auto& layer : attention.layers) sheet.heads = std::max(sheet.heads, layer.heads);
  for (auto side = kCellSide; side > 0; --side) {
    sheet.cell = cell_size(grid, side);
    if (sheet.height() <= kMaxSheetHeight && sheet.width() <= kMaxSheetWidth) return sheet;
  }
  throw std::invalid_argument(text_of(
      "image attention: got ", sheet.layers, " layers of up to ", sheet.heads, " heads and ",
      grid.rows, " x ", grid.columns, " patches; that does not fit into a sheet of ",
      kMaxSheetHeight, " x ", kMaxSheetWidth, " pixels, give fewer layers"));
}

/// Copies an image of 1 or 3 channels into one of 3.
void paste(Image& sheet, const Image& cell, std::int64_t top, std::int64_t left) {
  for (std::int64_t c = 0; c < 3; ++c) {
    const auto channel = std::min(c, cell.size.channels - 1);
    for (std::int64_t y = 0; y < cell.size.height; ++y) {
      const auto from = (channel * cell.size.height + y) * cell.size.width;
      const auto to = (c * sheet.size.height + top + y) * sheet.size.width + left;
      std::copy_n(cell.pixels.begin() + from, cell.size.width, sheet.pixels.begin() + to);
    }
  }
}

std::string percent(double part, int digits) {
  return fixed_digits(100 * std::clamp(part, 0.0, 1.0), digits) + " %";
}

/// An image, shown at a size that may be larger than it is.
std::string picture(const Image& image, const ImageSize& shown, const std::string& description) {
  return text_of("<img alt=\"", html_escaped(description), "\" width=\"", shown.width,
                 "\" height=\"", shown.height, "\" src=\"data:image/png;base64,",
                 base64(encode_png(image)), "\">");
}

/// What the page keeps of an image that is shown at `shown`: it enlarges by itself.
Image stored(const Image& image, const ImageSize& shown) {
  return shown.height < image.size.height ? rescaled(image, shown.height, shown.width) : image;
}

/// The weights in hundredths of a percent, which the script reads.
std::string weight_list(std::span<const float> weights) {
  std::string list;
  for (const float weight : weights) {
    list += text_of(list.empty() ? "" : " ", std::lround(std::min(weight, 1.0F) * 10000));
  }
  return list;
}

/// The parts of the page that all heads share.
struct PageCells {
  PatchLayout grid;
  ImageSize shown;
  Image image;  ///< as stored
};

std::string figure(const PageCells& cells, std::span<const float> weights,
                   const std::string& layer_name, const std::string& label) {
  double sum = 0;
  for (const float weight : weights) sum += weight;
  const auto largest = std::max_element(weights.begin(), weights.end());
  const auto patch = largest - weights.begin();
  return text_of("<figure data-weights=\"", weight_list(weights), "\"><div class=\"cell\">",
                 picture(attention_cell(cells.image, cells.grid, weights), cells.shown,
                         layer_name + ", " + label),
                 "</div>\n<figcaption><b>", label, "</b><span>[CLS] ", percent(1 - sum, 1),
                 "</span><output>max ", percent(*largest, *largest < 0.1F ? 2 : 1), " (",
                 patch / cells.grid.columns + 1, ", ", patch % cells.grid.columns + 1,
                 ")</output></figcaption></figure>\n");
}

std::string section(const PageCells& cells, const ImageAttentionLayer& layer) {
  const auto name = displayable(layer.name);
  auto html = "<section><h2>" + html_escaped(name) + "</h2>\n<div class=\"heads\">\n";
  for (std::int64_t head = 0; head < layer.heads; ++head) {
    html += figure(cells, head_of(layer, cells.grid, head), name, text_of("head ", head + 1));
  }
  if (layer.heads > 1) html += figure(cells, mean_of(layer, cells.grid), name, "mean");
  return html + "</div></section>\n";
}

/// The colours over a grey that is neither dark nor bright.
std::string legend() {
  Image grey{{1, 1, kLegendWidth}, std::vector<std::uint8_t>(kLegendWidth, 128)};
  Weights weights(kLegendWidth);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<float>(i) / (kLegendWidth - 1);
  }
  const auto strip = attention_cell(grey, {grey.size, 1, kLegendWidth}, weights);
  return "<p class=\"legend soft\">0 " + picture(strip, strip.size, "dark to bright") +
         " largest</p>\n";
}

}  // namespace

Image attention_picture(const ImageAttention& attention) {
  const auto grid = checked_grid(attention);
  const auto sheet = fitted_sheet(attention, grid);
  Image picture{{3, sheet.height(), sheet.width()}, {}};
  picture.pixels.assign(static_cast<std::size_t>(picture.size.pixels()), kSeparatorGrey);
  const auto image = rescaled(attention.image, sheet.cell.height, sheet.cell.width);
  for (std::int64_t number = 0; number < sheet.layers; ++number) {
    const auto& layer = attention.layers[static_cast<std::size_t>(number)];
    const auto top = sheet.top(number);
    paste(picture, image, top, kSeparator);
    for (std::int64_t head = 0; head < layer.heads; ++head) {
      const auto cell = attention_cell(image, grid, head_of(layer, grid, head));
      paste(picture, cell, top, sheet.left_of_head(head));
    }
    if (layer.heads > 1) {
      paste(picture, attention_cell(image, grid, mean_of(layer, grid)), top, sheet.left_of_mean());
    }
  }
  return picture;
}

std::string image_attention_page(const ImageAttention& attention) {
  const auto grid = checked_grid(attention);
  const auto title = displayable(attention.title.empty() ? "Attention" : attention.title);
  const auto input = cell_size(grid, kInputSide);
  auto html = html_head({title, kImageAttentionStyle, kImageAttentionScript, true});
  html +=
      text_of("<body>\n<main data-rows=\"", grid.rows, "\" data-columns=\"", grid.columns,
              "\">\n<header><h1>", html_escaped(title), "</h1>\n<p class=\"text\"><bdi>",
              html_escaped(displayable(attention.caption)), "</bdi></p>\n", "<div class=\"input\">",
              picture(stored(attention.image, input), input, "the image"), "\n<div>",
              kImageAttentionIntroduction, legend(), "</div></div></header>\n");
  const auto shown = cell_size(grid, kCellSide);
  const PageCells cells{grid, shown, stored(attention.image, shown)};
  for (const auto& layer : attention.layers) html += section(cells, layer);
  return text_of(html, "</main>\n<script>", kImageAttentionScript, "</script>\n</body>\n</html>\n");
}

}  // namespace zoo
