#include "training/counting.h"

#include <torch/utils.h>

namespace zoo {

void count_batches(Counted& model, BatchSource& source) {
  const torch::NoGradGuard no_grad;
  for (std::int64_t number = 0; number < source.size(); ++number) {
    const auto batch = source.at(number);
    model.count(batch.inputs, batch.targets);
  }
  model.finish_counting();
}

}  // namespace zoo
