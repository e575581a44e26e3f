#pragma once

#include <string>

#include <torch/nn/modules/embedding.h>

#include "core/options.h"
#include "models/model.h"

namespace zoo {

/// The neural bigram has no options: its only size is the vocabulary.
struct BigramOptions {
  template <class Self, class Visitor>
  static void fields(Self& /*self*/, Visitor&& /*visit*/) {}
  void validate(const std::string& /*path*/) const {}
};

/// Neural bigram: a table with the logits of every next token, learned by gradient descent.
///
///   tokens [B, T] -> rows of the table [B, T, V] = logits
///
/// B batch, T positions, V vocabulary.
class BigramImpl : public Model, public TokenEmbedding {
 public:
  BigramImpl(const BigramOptions& options, const DataFacts& facts);

  /// tokens [B, T] -> logits [B, T, V].
  torch::Tensor forward(const Inputs& inputs) override;

  /// [V, V]
  torch::Tensor token_embedding() const override { return table_->weight; }

 private:
  torch::nn::Embedding table_{nullptr};  // V -> V
};
TORCH_MODULE(Bigram);

}  // namespace zoo
