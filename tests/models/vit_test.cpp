#include "models/vit.h"

#include <torch/nn/functional/fold.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "models/registry.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/torch_checks.h"

namespace zoo {
namespace {

DataFacts facts_of(std::int64_t channels, std::int64_t height, std::int64_t width,
                   std::int64_t classes) {
  DataFacts facts;
  facts.channels = channels;
  facts.height = height;
  facts.width = width;
  facts.classes = classes;
  return facts;
}

VitOptions small(std::int64_t patch_size) {
  VitOptions options;
  options.patch_size = patch_size;
  options.d_model = 16;
  options.n_heads = 2;
  options.n_layers = 1;
  return options;
}

TEST_CASE("patches by convolution equal unfold and a matrix product") {
  const torch::NoGradGuard no_grad;
  namespace F = torch::nn::functional;
  torch::manual_seed(1);
  const auto facts = facts_of(3, 12, 8, 5);
  VitImpl model(small(4), facts);
  const auto parameters = model.named_parameters();
  const auto images = torch::randn({2, 3, 12, 8});
  const auto weight = parameters["patches.weight"];
  const auto convolved =
      torch::conv2d(images, weight, parameters["patches.bias"], 4).flatten(2).transpose(1, 2);
  const auto unfolded = F::unfold(images, F::UnfoldFuncOptions({4, 4}).stride(4)).transpose(1, 2);
  REQUIRE(unfolded.sizes().vec() == std::vector<std::int64_t>{2, 6, 48});
  const auto multiplied = unfolded.matmul(weight.flatten(1).t()) + parameters["patches.bias"];
  CHECK(largest_difference(convolved, multiplied) < 1e-5);
}

TEST_CASE("a 224 x 224 image in patches of 16 makes 196 patches and one class token") {
  VitOptions options = small(16);
  const VitImpl model(options, facts_of(3, 224, 224, 2));
  CHECK(model.rows() * model.columns() == 196);
  CHECK(model.named_parameters()["positions"].sizes().vec() ==
        std::vector<std::int64_t>{1, 197, 16});
  CHECK(model.named_parameters()["patches.weight"][0].numel() == 768);
}

TEST_CASE("ViT-B/16 has its published number of parameters") {
  VitOptions options;
  options.patch_size = 16;
  options.d_model = 768;
  options.n_heads = 12;
  options.n_layers = 12;
  const VitImpl model(options, facts_of(3, 224, 224, 1000));
  CHECK(parameter_count(model) == 86'567'656);
}

TEST_CASE("a patch that does not divide the image is refused with those that do") {
  const auto refused = [](std::int64_t patch, std::int64_t height, std::int64_t width) {
    return message_of<ConfigError>([&] { VitImpl(small(patch), facts_of(1, height, width, 2)); });
  };
  CHECK(refused(3, 8, 8) ==
        "model.patch_size: 3 does not divide the images, which are 8 x 8 pixels; these do: 1, 2, "
        "4, 8");
  CHECK_THAT(refused(6, 12, 8), ContainsSubstring("12 x 8 pixels; these do: 1, 2, 4"));
}

TEST_CASE("without positions patches may be permuted, with them not") {
  const torch::NoGradGuard no_grad;
  const auto images = torch::randn({2, 1, 8, 8});
  const auto turned = torch::cat({images.narrow(2, 4, 4), images.narrow(2, 0, 4)}, 2);
  for (const auto positions :
       {PatchPositions::kNone, PatchPositions::kLearned, PatchPositions::kSinusoidal}) {
    torch::manual_seed(2);
    auto options = small(4);
    options.positions = positions;
    options.pooling = Pooling::kMean;
    VitImpl model(options, facts_of(1, 8, 8, 3));
    model.eval();
    Inputs here, there;
    here.images = images;
    there.images = turned;
    const auto difference = largest_difference(model.forward(here), model.forward(there));
    if (positions == PatchPositions::kNone) {
      CHECK(difference < 1e-6);
    } else {
      CHECK(difference > 1e-4);
    }
  }
}

TEST_CASE("sinusoidal positions tell rows in one half of the channels and columns in the other") {
  const auto grid = sinusoidal_grid(3, 5, 8).view({3, 5, 8});
  CHECK(largest_difference(grid.index({0}).narrow(1, 0, 4),
                           grid[0][0].narrow(0, 0, 4).expand({5, 4})) == 0.0);
  CHECK(largest_difference(grid.select(1, 2).narrow(1, 4, 4),
                           grid[0][2].narrow(0, 4, 4).expand({3, 4})) == 0.0);
  CHECK(largest_difference(grid[2][0].narrow(0, 0, 4), grid[0][2].narrow(0, 4, 4)) < 1e-6);
  auto options = small(4);
  options.d_model = 6;
  CHECK_THROWS_WITH(([&] {
                      options.positions = PatchPositions::kSinusoidal;
                      options.validate("model");
                    }()),
                    ContainsSubstring("multiple of 4"));
}

TEST_CASE("positions of another image size are interpolated and the class token's stay") {
  const torch::NoGradGuard no_grad;
  const auto there = facts_of(1, 8, 8, 3);
  const VitImpl large(small(4), facts_of(1, 16, 24, 3));
  // A ramp over the columns stays one.
  auto table = torch::zeros({1, 5, 16});
  table[0][0].fill_(7.0);
  table[0].narrow(0, 1, 4).copy_(
      torch::tensor({0.0F, 1.0F, 0.0F, 1.0F}).unsqueeze(1).expand({4, 16}));
  const auto resized = large.resized("positions", table, there);
  REQUIRE(resized.sizes().vec() == std::vector<std::int64_t>{1, 25, 16});
  CHECK(resized[0][0].eq(7.0).all().item<bool>());
  const auto grid = resized[0].narrow(0, 1, 24).select(1, 0).view({4, 6});
  CHECK(largest_difference(grid, grid[0].expand({4, 6})) < 1e-6);
  CHECK(grid[0].diff().ge(-0.2).all().item<bool>());
  CHECK(grid[0][5].item<double>() > 0.9);
  CHECK(!large.resized("class_token", table, there).defined());
  CHECK(!large.resized("positions", torch::zeros({1, 6, 16}), there).defined());
}

TEST_CASE("images of another shape are refused") {
  VitImpl model(small(4), facts_of(1, 8, 8, 3));
  Inputs inputs;
  inputs.images = torch::zeros({2, 3, 8, 8});
  CHECK_THROWS_WITH(model.forward(inputs), ContainsSubstring("vit: images must be [?, 1, 8, 8]"));
}

}  // namespace
}  // namespace zoo
