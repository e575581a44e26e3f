#pragma once

#include <cstdint>
#include <memory>

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "models/blocks/recurrence.h"
#include "models/model.h"

namespace zoo {

using RnnAttentionOptions = RecurrentOptions;

/// A source as the decoder sees it.
struct RecurrentMemory {
  torch::Tensor states;   ///< [B, S, 2H], what was read from the left and from the right
  torch::Tensor keys;     ///< [B, S, H]
  torch::Tensor padding;  ///< bool [B, S]; undefined: none
};

/// Recurrent encoder-decoder with additive attention (Bahdanau et al., 2015). The decoder's states
/// do not depend on what attention finds, so that it is computed for all of them in bulk.
///
///   source [B, S] -> embeddings -> cells in both directions [B, S, 2H]
///   tokens [B, T] -> embeddings -> cells, from the encoder's last states [B, T, H]
///   weights = softmax(v tanh(W state + U memory)) [B, T, S] -> contexts [B, T, 2H]
///   (state, context) -> Linear, tanh [B, T, H] -> logits [B, T, V]
///
/// B batch, S source and T target tokens (any number), H d_hidden, V vocabulary of targets.
class RnnAttentionImpl : public Model,
                         public TokenEmbedding,
                         public Representation,
                         public Decoder,
                         public TargetDecoder {
 public:
  RnnAttentionImpl(const RnnAttentionOptions& options, const DataFacts& facts);

  /// source [B, S], tokens [B, T] -> logits [B, T, V]; those at t depend on the source and on
  /// tokens 0..t.
  torch::Tensor forward(const Inputs& inputs) override;

  /// source [B, S] -> [B, S, 2H].
  torch::Tensor represent(const Inputs& inputs) override;

  std::unique_ptr<Decoding> start(const Inputs& inputs, FullBlock full_block) override;

  torch::Tensor decode(const Inputs& inputs, const torch::Tensor& memory) override;

  /// [V, C], of targets
  torch::Tensor token_embedding() const override { return embedding_->weight; }

 private:
  friend class RnnAttentionDecoding;

  /// What the decoder needs of the encoder's states [B, S, 2H], and the state that it starts from.
  RecurrentMemory remember(const torch::Tensor& states, const torch::Tensor& source_lengths,
                           RecurrentState& state);
  /// What states [B, T, H], projected to queries, find in the memory -> [B, T, 2H].
  torch::Tensor attend(const torch::Tensor& queries, const RecurrentMemory& memory);
  /// tokens [B, T] -> logits [B, T, V]; `state` moves on.
  torch::Tensor write(const torch::Tensor& tokens, const RecurrentMemory& memory,
                      RecurrentState& state);
  torch::Tensor drop(const torch::Tensor& x) const;

  RnnAttentionOptions options_;
  torch::nn::Embedding embedding_{nullptr};         // V -> C
  torch::nn::Embedding source_embedding_{nullptr};  // V_source -> C
  Recurrence forwards_{nullptr};                    // C -> H
  Recurrence backwards_{nullptr};                   // C -> H
  torch::nn::Linear bridge_{nullptr};               // 2H -> H, from encoder to decoder state
  Recurrence decoder_{nullptr};                     // C -> H
  torch::nn::Linear query_{nullptr};                // H -> H
  torch::nn::Linear key_{nullptr};                  // 2H -> H
  torch::nn::Linear score_{nullptr};                // H -> 1
  torch::nn::Linear combine_{nullptr};              // 3H -> H
  torch::nn::Linear head_{nullptr};                 // H -> V
};
TORCH_MODULE(RnnAttention);

}  // namespace zoo
