#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/nn/modules/embedding.h>

#include "models/blocks/transformer_block.h"
#include "models/model.h"

namespace zoo {

using GptOptions = TransformerOptions;

/// GPT decoder (Radford et al., 2019).
///
///   tokens [B, T] -> embeddings + positions [B, T, C] -> n_layers x TransformerBlock, causal
///                 -> norm -> logits [B, T, V] by the embedding's own weights
///
/// B batch, T tokens <= block_size, C d_model, V vocabulary.
class GptImpl : public Model, public TokenEmbedding, public Representation, public Decoder {
 public:
  GptImpl(const GptOptions& options, const DataFacts& facts);

  /// tokens [B, T] -> logits [B, T, V]; logits at t depend on tokens 0..t alone.
  torch::Tensor forward(const Inputs& inputs) override;

  /// tokens [B, T] -> what the output layer reads [B, T, C].
  torch::Tensor represent(const Inputs& inputs) override;

  /// Keeps keys and values of every layer. Tokens that slide need positions that are relative.
  std::unique_ptr<Decoding> start(const Inputs& inputs, FullBlock full_block) override;

  /// [V, C]
  torch::Tensor token_embedding() const override { return embedding_->weight; }

 private:
  friend class GptDecoding;

  GptOptions options_;
  torch::nn::Embedding embedding_{nullptr};  // V -> C, also the output layer
  Positions positions_{nullptr};
  std::vector<TransformerBlock> blocks_;
  Norm norm_{nullptr};  // none where the blocks end with one
};
TORCH_MODULE(Gpt);

}  // namespace zoo
