#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "models/blocks/transformer_block.h"
#include "models/model.h"

namespace zoo {

struct BertOptions : TransformerOptions {
  std::int64_t segments = 2;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    TransformerOptions::fields(self, visit);
    visit("segments", self.segments, "Texts of a row that are told apart; 1: there is one only.",
          at_least(1));
  }
};

/// Which token was hidden: Linear C -> C, GELU, norm, logits by the embedding's own weights.
class MaskedTokenHeadImpl : public torch::nn::Module {
 public:
  MaskedTokenHeadImpl(const BertOptions& options, std::int64_t vocab_size);

  /// x [B, T, C], embedding [V, C] -> logits [B, T, V].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& embedding);

 private:
  torch::nn::Linear transform_{nullptr};  // C -> C
  Norm norm_{nullptr};
  torch::Tensor bias_;  // [V]
};
TORCH_MODULE(MaskedTokenHead);

/// Encoder (Devlin et al., 2019): every token sees every other.
///
///   tokens [B, T] -> token + segment embeddings + positions [B, T, C]
///                 -> n_layers x TransformerBlock [B, T, C]
///                 -> logits [B, T, V] of hidden tokens; or, where the data has classes,
///                    the first token's vector through a pooler (Linear, tanh) -> logits [B, K]
///
/// B batch, T tokens <= block_size, C d_model, V vocabulary, K classes. Post-norm, a norm follows
/// the embeddings, as in the paper; pre-norm, the last block.
class BertImpl : public Model, public TokenEmbedding, public Representation {
 public:
  BertImpl(const BertOptions& options, const DataFacts& facts);

  /// tokens [B, T], segments [B, T] or none: all 0 -> logits [B, T, V], or [B, K] of classes.
  torch::Tensor forward(const Inputs& inputs) override;

  /// tokens [B, T] -> [B, T, C].
  torch::Tensor represent(const Inputs& inputs) override;

  /// [V, C]
  torch::Tensor token_embedding() const override { return embedding_->weight; }

 private:
  torch::Tensor embed(const Inputs& inputs, const torch::Tensor& places);

  BertOptions options_;
  torch::nn::Embedding embedding_{nullptr};  // V -> C, also the output layer
  torch::nn::Embedding segments_{nullptr};   // segments -> C
  Positions positions_{nullptr};
  std::vector<TransformerBlock> blocks_;
  Norm norm_{nullptr};
  MaskedTokenHead masked_token_head_{nullptr};  // without classes
  torch::nn::Linear pooler_{nullptr};           // C -> C, with classes
  torch::nn::Linear classifier_{nullptr};       // C -> K, with classes
};
TORCH_MODULE(Bert);

}  // namespace zoo
