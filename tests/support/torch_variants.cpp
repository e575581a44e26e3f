#include "tests/support/torch_variants.h"

#include <algorithm>

#include <torch/types.h>
#include <torch/utils.h>

namespace zoo {

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const auto& row : architectures()) {
    all.push_back({row, row.tiny, false, row.name});
    if (row.tiny_on_images != nullptr) {
      all.push_back({row, row.tiny_on_images, false, row.name + " on images"});
    }
    const bool classifies =
        std::find(row.tasks.begin(), row.tasks.end(), "text_classification") != row.tasks.end();
    if (classifies) all.push_back({row, row.tiny, true, row.name + " with classes"});
  }
  return all;
}

Subject subject_of(const Variant& variant, std::int64_t batch) {
  torch::manual_seed(0);
  auto example = variant.example(batch);
  if (variant.text_classes) {
    example.facts.classes = 3;
    example.output_shape = {batch, 3};
  }
  auto model = variant.row.build(example.options, example.facts);
  if (auto* counted = dynamic_cast<Counted*>(model.get())) {
    const auto next = example.inputs.tokens.roll(-1, 1);
    counted->count(example.inputs, next);
    counted->finish_counting();
  }
  model->eval();
  return {example, model};
}

}  // namespace zoo
