#include "analysis/baselines.h"

#include <cmath>

#include <torch/types.h>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_training.h"

namespace zoo {
namespace {

TEST_CASE("the baselines are what the counted architecture itself reaches on the same split") {
  const TemporaryFolder folder;
  const auto experiment =
      make_tiny_experiment(tiny_config(folder.path(), find_architecture("gpt")));
  const auto baselines = counted_baselines(experiment);
  REQUIRE(baselines.size() == 6);
  for (const std::int64_t order : {1, 3}) {
    const auto order_text = std::to_string(order);
    auto counted =
        make_tiny_experiment(tiny_config(folder.path(), find_architecture("ngram"),
                                         {"model.order=" + order_text, "model.alpha=0.1"}));
    const auto progress = train_tiny(folder / order_text, counted, 1);
    const auto& baseline = baselines[static_cast<std::size_t>(order - 1)];
    CHECK(baseline.name == "counted " + order_text + "-gram");
    CHECK(std::abs(baseline.loss - progress.best_loss) < 1e-6);
  }
  CHECK(baselines.back().name == "counted 5-gram, interpolated");
  CHECK(baselines.back().loss < baselines[4].loss);
}

TEST_CASE("a model that reads prefixes is compared on the same predicted tokens") {
  const TemporaryFolder folder;
  const auto gpt = make_tiny_experiment(tiny_config(folder.path(), find_architecture("gpt")));
  const auto mlp = make_tiny_experiment(tiny_config(folder.path(), find_architecture("mlp")));
  CHECK(std::abs(counted_baselines(gpt)[1].loss - counted_baselines(mlp)[1].loss) < 1e-9);
}

}  // namespace
}  // namespace zoo
