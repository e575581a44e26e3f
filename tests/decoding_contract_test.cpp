// Every architecture that writes with a cache or a memory writes what its forward says.
#include <torch/types.h>
#include <torch/utils.h>

#include "inference/generation.h"
#include "models/model.h"
#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"
#include "tests/support/torch_variants.h"

namespace zoo {
namespace {

TEST_CASE("every decoder writes token by token what its forward says of the whole") {
  const torch::NoGradGuard no_grad;
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    auto* decoder = dynamic_cast<Decoder*>(model.get());
    CHECK((decoder != nullptr || !variant.row.reads_source));
    if (decoder == nullptr || variant.text_classes) continue;
    auto inputs = example.inputs;
    if (variant.row.reads_source) inputs.source_lengths = torch::tensor({4, 2, 3}, torch::kInt64);
    const auto expected = model->forward(inputs);
    auto before = inputs;
    before.tokens = torch::Tensor();
    const auto decoding = decoder->start(before, FullBlock::kReread);
    const auto order = torch::tensor({2, 0, 0}, torch::kInt64);
    auto rows = torch::arange(kBatch);
    for (std::int64_t t = 0; t < inputs.tokens.size(1); ++t) {
      if (t == 2) {
        decoding->select_rows(order);
        rows = order;
      }
      const auto tokens = inputs.tokens.select(1, t).index_select(0, rows);
      CHECK(largest_difference(decoding->step(tokens),
                               expected.select(1, t).index_select(0, rows)) < 1e-5);
    }
  }
}

TEST_CASE("every decoder of texts writes what reading again says, after prompts of any length") {
  const torch::NoGradGuard no_grad;
  const std::vector<std::vector<std::int64_t>> prompts = {{1, 2, 3}, {}, {4, 5, 6, 1, 2, 3, 4}};
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    const bool decodes = dynamic_cast<Decoder*>(model.get()) != nullptr;
    if (!decodes || variant.row.reads_source || variant.text_classes) continue;
    const RowView view{example.facts.vocab_size, 0, variant.row.block_size(example.options), false};
    const auto fast = start_decoding(*model, prompts, view, FullBlock::kReread);
    const auto slow = start_rereading(*model, prompts, view);
    auto tokens = torch::tensor({1, 2, 3}, torch::kInt64);
    for (std::int64_t step = 0; step < 9; ++step) {
      if (step == 4) {
        const auto rows = torch::tensor({2, 1}, torch::kInt64);
        fast->select_rows(rows);
        slow->select_rows(rows);
        tokens = tokens.index_select(0, rows);
      }
      const auto expected = slow->step(tokens);
      CHECK(largest_difference(fast->step(tokens), expected) < 1e-5);
      tokens = expected.argmax(-1);
    }
  }
}

TEST_CASE("every encoder-decoder answers from a memory what forward answers") {
  const torch::NoGradGuard no_grad;
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    auto* decoder = dynamic_cast<TargetDecoder*>(model.get());
    CHECK((decoder != nullptr) == variant.row.reads_source);
    if (decoder == nullptr) continue;
    for (const bool padded : {false, true}) {
      auto inputs = example.inputs;
      if (padded) inputs.source_lengths = torch::tensor({4, 2, 3}, torch::kInt64);
      const auto memory = dynamic_cast<Representation&>(*model).represent(inputs);
      auto rest = inputs;
      rest.source = torch::Tensor();
      CHECK(largest_difference(decoder->decode(rest, memory), model->forward(inputs)) < 1e-6);
    }
  }
}

}  // namespace
}  // namespace zoo
