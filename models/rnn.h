#pragma once

#include <cstdint>
#include <memory>

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "models/blocks/recurrence.h"
#include "models/model.h"

namespace zoo {

using RnnOptions = RecurrentOptions;

/// Recurrent network: reads a token at a time and carries what it remembers in a state.
///
///   tokens [B, T] -> embeddings [B, T, C] -> n_layers x cell [B, T, H] -> logits [B, T, V];
///   or, where the data has classes, the state after the last token -> logits [B, K]
///
/// B batch, T tokens (any number), C d_model, H d_hidden, V vocabulary, K classes.
class RnnImpl : public Model, public TokenEmbedding, public Representation, public Decoder {
 public:
  RnnImpl(const RnnOptions& options, const DataFacts& facts);

  /// tokens [B, T] -> logits [B, T, V] or, of classes, [B, K].
  torch::Tensor forward(const Inputs& inputs) override;

  /// tokens [B, T] -> [B, T, H].
  torch::Tensor represent(const Inputs& inputs) override;

  /// Keeps the state alone, however long a row becomes.
  std::unique_ptr<Decoding> start(const Inputs& inputs, FullBlock full_block) override;

  /// [V, C]
  torch::Tensor token_embedding() const override { return embedding_->weight; }

 private:
  friend class RnnDecoding;

  RnnOptions options_;
  bool classifies_;
  torch::nn::Embedding embedding_{nullptr};  // V -> C
  Recurrence recurrence_{nullptr};           // C -> H
  torch::nn::Linear head_{nullptr};          // H -> V or K
};
TORCH_MODULE(Rnn);

}  // namespace zoo
