#include "models/cnn2d.h"

#include <torch/types.h>
#include <torch/utils.h>

#include "models/mlp.h"
#include "models/registry.h"
#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"

namespace zoo {
namespace {

TEST_CASE(
    "batch norm of images is by each channel's mean and biased variance, and remembers them") {
  torch::manual_seed(1);
  ImageNorm norm(ImageNormType::kBatch, 3);
  const auto x = torch::randn({4, 3, 5, 2}) * 3.0 + 1.0;
  const auto mean = x.mean({0, 2, 3}, /*keepdim=*/true);
  const auto variance = (x - mean).square().mean({0, 2, 3}, /*keepdim=*/true);
  CHECK(largest_difference(norm(x), (x - mean) / (variance + 1e-5).sqrt()) < 1e-5);
  const auto buffers = norm->named_buffers();
  CHECK(largest_difference(buffers["running_mean"], mean.flatten() * 0.1) < 1e-6);
  norm->eval();
  const auto alone = norm(x.narrow(0, 0, 1));
  CHECK(largest_difference(alone, norm(x).narrow(0, 0, 1)) == 0.0);
}

TEST_CASE("layer norm of images is by the channels and pixels of each") {
  torch::manual_seed(1);
  ImageNorm norm(ImageNormType::kLayer, 3);
  const auto x = torch::randn({4, 3, 5, 2});
  const auto mean = x.mean({1, 2, 3}, /*keepdim=*/true);
  const auto variance = (x - mean).square().mean({1, 2, 3}, /*keepdim=*/true);
  CHECK(largest_difference(norm(x), (x - mean) / (variance + 1e-5).sqrt()) < 1e-5);
}

TEST_CASE("a residual block adds what it computes to what came in") {
  torch::manual_seed(1);
  ResidualBlock block(4, 4, 1, ImageNormType::kLayer);
  const torch::NoGradGuard no_grad;
  for (auto& item : block->named_parameters()) {
    if (item.key() == "second_norm.weight") item.value().zero_();
  }
  const auto x = torch::randn({2, 4, 6, 5});
  CHECK(largest_difference(block(x), x.relu()) < 1e-6);
  ResidualBlock smaller(4, 8, 2, ImageNormType::kBatch);
  CHECK(smaller(x).sizes().vec() == std::vector<std::int64_t>{2, 8, 3, 3});
}

TEST_CASE("the usual size has a few hundred thousand parameters, by hand") {
  DataFacts facts;
  facts.channels = 1;
  facts.height = facts.width = 28;
  facts.classes = 10;
  const Cnn2dImpl model(Cnn2dOptions(), facts);
  const auto norm = [](std::int64_t channels) { return 2 * channels; };
  const auto convolution = [&](std::int64_t in, std::int64_t out, std::int64_t kernel) {
    return in * out * kernel * kernel + norm(out);
  };
  const auto by_hand = convolution(1, 32, 3) + 2 * convolution(32, 32, 3) + convolution(32, 64, 3) +
                       convolution(64, 64, 3) + convolution(32, 64, 1) + convolution(64, 128, 3) +
                       convolution(128, 128, 3) + convolution(64, 128, 1) + 128 * 10 + 10;
  const auto count = parameter_count(model);
  CHECK(count == by_hand);
  CHECK(count > 200'000);
}

TEST_CASE("a convolutional network takes images of any height and width") {
  const torch::NoGradGuard no_grad;
  Cnn2dOptions options;
  options.width = 4;
  Cnn2dImpl model(options, tiny_image_facts());
  model.eval();
  Inputs inputs;
  inputs.images = torch::randn({2, 2, 17, 9});
  CHECK(model.forward(inputs).sizes().vec() == std::vector<std::int64_t>{2, 3});
}

TEST_CASE("the flatten MLP over images has a weight for every pixel") {
  const ImageMlpImpl model(MlpOptions(), tiny_image_facts());
  CHECK(model.named_parameters()["hidden_0.weight"].sizes().vec() ==
        std::vector<std::int64_t>{200, 2 * 12 * 8});
  CHECK(model.named_parameters()["head.weight"].sizes().vec() == std::vector<std::int64_t>{3, 200});
}

}  // namespace
}  // namespace zoo
