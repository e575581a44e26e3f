#include "vision/transforms.h"

#include <cstring>

#include <torch/utils.h>

namespace zoo {
namespace {

/// [1, C, H, W] float32.
torch::Tensor tensor_of(const Image& image) {
  const auto& size = image.size;
  auto bytes = torch::empty({1, size.channels, size.height, size.width}, torch::kUInt8);
  std::memcpy(bytes.mutable_data_ptr<std::uint8_t>(), image.pixels.data(), image.pixels.size());
  return bytes.to(torch::kFloat32);
}

Image image_of(const torch::Tensor& tensor) {
  const auto bytes = tensor.round().clamp(0, 255).to(torch::kUInt8).contiguous();
  const auto* first = bytes.const_data_ptr<std::uint8_t>();
  return {{bytes.size(1), bytes.size(2), bytes.size(3)}, {first, first + bytes.numel()}};
}

}  // namespace

Image resized(const Image& image, std::int64_t height, std::int64_t width) {
  if (image.size.height == height && image.size.width == width) return image;
  const torch::NoGradGuard no_grad;
  return image_of(at::_upsample_bilinear2d_aa(tensor_of(image), {height, width},
                                              /*align_corners=*/false));
}

Image with_channels(const Image& image, std::int64_t channels) {
  if (image.size.channels == channels) return image;
  const torch::NoGradGuard no_grad;
  const auto pixels = tensor_of(image);
  if (channels == 3) return image_of(pixels.expand({1, 3, -1, -1}));
  const auto luma = torch::tensor({0.299F, 0.587F, 0.114F}).view({1, 3, 1, 1});
  return image_of((pixels * luma).sum(1, /*keepdim=*/true));
}

Normalization::Normalization(const PixelStatistics& statistics, torch::Device device) {
  const auto column = [&](const std::vector<double>& values) {
    return torch::tensor(values, torch::kFloat64).view({-1, 1, 1});
  };
  const auto deviation = column(statistics.deviation);
  scale_ = (1.0 / (255.0 * deviation)).to(device, torch::kFloat32);
  offset_ = (-column(statistics.mean) / deviation).to(device, torch::kFloat32);
}

torch::Tensor Normalization::operator()(const torch::Tensor& images) const {
  return torch::addcmul(offset_, images.to(torch::kFloat32), scale_);  // [B, C, H, W]
}

}  // namespace zoo
