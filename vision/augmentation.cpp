#include "vision/augmentation.h"

#include <numbers>

#include <ATen/Functions.h>

namespace zoo {
namespace {

/// Where each pixel of the result comes from: [B, 2, 3] in grid_sample's coordinates, -1 to 1 over
/// the image. u [7, B] is uniform in [0, 1).
torch::Tensor origins(const torch::Tensor& u, const AugmentationOptions& options, double height,
                      double width) {
  const auto around = [&](std::int64_t row) { return u[row] * 2.0 - 1.0; };  // [B] in [-1, 1)
  const auto angle = around(0) * (options.rotation * std::numbers::pi / 180.0);
  const auto zoom = 1.0 / (around(1) * options.scale + 1.0);
  const auto places = static_cast<double>(2 * options.crop_padding + 1);
  const auto crop = [&](std::int64_t row) {
    return (u[row] * places).floor() - static_cast<double>(options.crop_padding);
  };
  const auto right = around(2) * options.shift + crop(4);  // pixels
  const auto down = around(3) * options.shift + crop(5);
  const auto mirror = options.flip ? torch::where(u[6].lt(0.5), 1.0, -1.0) : torch::ones_like(u[6]);

  const auto cosine = angle.cos() * zoom;
  const auto sine = angle.sin() * zoom;
  const auto of_x =
      torch::stack({cosine * mirror, -sine * (height / width), right * (2.0 / width)}, 1);
  const auto of_y =
      torch::stack({sine * (width / height) * mirror, cosine, down * (2.0 / height)}, 1);
  return torch::stack({of_x, of_y}, 1);  // [B, 2, 3]
}

/// Bool [B, 1, H, W]: the pixels of one square of each image. u [2, B].
torch::Tensor squares(const torch::Tensor& u, std::int64_t side, std::int64_t height,
                      std::int64_t width) {
  const auto along = [&](const torch::Tensor& draw, std::int64_t length) {
    const auto first = (draw * static_cast<double>(length)).floor() - side / 2;    // [B]
    const auto from = torch::arange(length, draw.options()) - first.unsqueeze(1);  // [B, length]
    return from.ge(0).logical_and(from.lt(side));
  };
  return along(u[0], height).unsqueeze(2).logical_and(along(u[1], width).unsqueeze(1)).unsqueeze(1);
}

}  // namespace

bool AugmentationOptions::any() const {
  return crop_padding > 0 || shift > 0.0 || flip || rotation > 0.0 || scale > 0.0 || cutout > 0;
}

torch::Tensor augmented(const torch::Tensor& images, const AugmentationOptions& options,
                        at::Generator generator) {
  const auto B = images.size(0);
  const auto H = images.size(2);
  const auto W = images.size(3);
  const auto u = torch::rand({9, B}, std::move(generator), torch::kFloat32).to(images.device());
  auto x = images;
  if (options.crop_padding > 0 || options.shift > 0.0 || options.flip || options.rotation > 0.0 ||
      options.scale > 0.0) {
    const auto theta =
        origins(u, options, static_cast<double>(H), static_cast<double>(W)).to(images.dtype());
    const auto grid = at::affine_grid_generator(theta, images.sizes(), /*align_corners=*/false);
    // 0: bilinear; 0: black outside.
    x = at::grid_sampler(images, grid, 0, 0, /*align_corners=*/false);  // [B, C, H, W]
  }
  if (options.cutout > 0) x = x.masked_fill(squares(u.narrow(0, 7, 2), options.cutout, H, W), 0.0);
  return x;
}

}  // namespace zoo
