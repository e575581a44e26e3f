#pragma once

#include <torch/types.h>

namespace zoo {

/// For each image the number of the known one whose pixels are nearest (Euclidean distance; of
/// equally near ones the first): known [N, ...] and images [M, ...] uint8 -> [M] int64. Keeps at
/// most 64 MiB of distances.
torch::Tensor nearest_images(const torch::Tensor& known, const torch::Tensor& images);

}  // namespace zoo
