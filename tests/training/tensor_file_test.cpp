#include "training/tensor_file.h"

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"
#include "training/progress.h"
#include "training/random_state.h"

namespace zoo {
namespace {

TEST_CASE("tensors of every type come back from a file, views and scalars too") {
  NamedTensors written;
  NamedTensors read;
  for (const auto type : {torch::kBool, torch::kUInt8, torch::kInt16, torch::kInt32, torch::kInt64,
                          torch::kFloat16, torch::kBFloat16, torch::kFloat32, torch::kFloat64}) {
    const auto name = std::string(torch::toString(type));
    written.emplace_back(name, torch::arange(12).view({3, 4}).to(type).t());
    read.emplace_back(name, torch::zeros({4, 3}, type));
  }
  written.emplace_back("scalar", torch::full({}, 7.5));
  read.emplace_back("scalar", torch::zeros({}));
  bytes_into_tensors(tensors_to_bytes(written), "file", read);
  for (std::size_t i = 0; i < written.size(); ++i) {
    INFO(written[i].first);
    CHECK(largest_difference(read[i].second, written[i].second) == 0.0);
  }
}

TEST_CASE("a file of another model is refused, naming the tensor") {
  const auto bytes = tensors_to_bytes({{"weight", torch::ones({2, 3})}});
  const auto into = [&](const std::string& name, const torch::Tensor& tensor) {
    bytes_into_tensors(bytes, "model.safetensors", {{name, tensor}});
  };
  CHECK_THROWS_WITH(into("weight", torch::ones({3, 2})),
                    ContainsSubstring("tensor weight is F32 [2, 3], the model needs F32 [3, 2]"));
  CHECK_THROWS_WITH(into("weight", torch::ones({2, 3}, torch::kFloat64)), ContainsSubstring("F64"));
  CHECK_THROWS_WITH(into("bias", torch::ones({2, 3})), ContainsSubstring("bias is missing"));
  CHECK_THROWS_WITH(bytes_into_tensors(bytes, "model.safetensors", {}),
                    ContainsSubstring("does not have: weight"));
}

TEST_CASE("random state and progress survive their JSON exactly") {
  torch::manual_seed(3);
  torch::randn({5});
  const auto state = random_state(torch::kCPU);
  const auto expected = torch::rand({4});
  torch::manual_seed(77);
  restore_random_state(nlohmann::json::parse(state.dump()), torch::kCPU, "state.json");
  CHECK(largest_difference(torch::rand({4}), expected) == 0.0);
  CHECK_THROWS_AS(restore_random_state({{"cpu", "abc"}}, torch::kCPU, "state.json"), UserError);

  auto progress = Progress::start(torch::kCPU);
  progress.step = 41;
  progress.best_loss = 2.0 / 3.0;
  progress.window_loss.fill_(1.0 / 3.0);
  const auto back =
      Progress::from_json(nlohmann::json::parse(progress.to_json().dump()), torch::kCPU);
  CHECK(back.step == 41);
  CHECK(back.best_loss == progress.best_loss);
  CHECK(back.window_loss.item<double>() == 1.0 / 3.0);
  CHECK(std::isinf(Progress::start(torch::kCPU).best_loss));
}

}  // namespace
}  // namespace zoo
