#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vision/image.h"

namespace zoo {

/// How much the heads of one layer looked at each patch of an image, e.g. from [CLS].
struct ImageAttentionLayer {
  std::string name;  ///< "layer 1"
  std::int64_t heads = 0;
  std::vector<float> weights;  ///< [heads, rows, columns]; what a head lacks to 1 went to [CLS]
};

struct ImageAttention {
  std::string title;      ///< e.g. the run and its architecture
  std::string caption;    ///< e.g. the image's name and the classes predicted
  Image image;            ///< its height and width are multiples of rows and columns
  std::int64_t rows = 0;  ///< patches
  std::int64_t columns = 0;
  std::vector<ImageAttentionLayer> layers;
};

/// A contact sheet of three channels, at most 16384 pixels high and 4096 wide: a row for each
/// layer, in it the image, a cell for each head and, where a layer has several, the mean over them.
/// A cell is the image in dimmed grey under the patch weights, scaled as attention_cell says.
/// Throws std::invalid_argument for sizes that do not fit and for weights that are negative, not
/// finite, or sum to more than 1 in a head.
Image attention_picture(const ImageAttention& attention);

/// The same as one HTML file that needs no network and no server, with the weight that went to
/// [CLS], the largest, and the one under the pointer as numbers. Strings may hold any bytes, as in
/// attention_page. Throws as attention_picture does, but has no limit of size.
std::string image_attention_page(const ImageAttention& attention);

}  // namespace zoo
