#include "models/bigram.h"

#include <torch/nn/init.h>
#include <torch/types.h>

#include "models/registry.h"
#include "models/shapes.h"

namespace zoo {

BigramImpl::BigramImpl(const BigramOptions& /*options*/, const DataFacts& facts) {
  table_ = register_module("table", torch::nn::Embedding(facts.vocab_size, facts.vocab_size));
  torch::nn::init::normal_(table_->weight, 0.0, 0.02);
}

torch::Tensor BigramImpl::forward(const Inputs& inputs) {
  expect_tokens("bigram", inputs, /*block_size=*/0);
  return table_(inputs.tokens);  // [B, T, V]
}

Architecture bigram_architecture() {
  return make_architecture<BigramOptions, BigramImpl>(
      "bigram", "a table of next-token logits, learned by gradient descent", {"language_model"},
      [](std::int64_t batch) -> Example {
        DataFacts facts;
        facts.vocab_size = 7;
        Inputs inputs;
        inputs.tokens = torch::randint(7, {batch, 5}, torch::kInt64);
        return {nlohmann::json::object(), facts, inputs, {batch, 5, 7}};
      });
}

}  // namespace zoo
