#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <torch/nn/modules/embedding.h>

#include "core/options.h"
#include "models/blocks/attention.h"
#include "models/blocks/feed_forward.h"
#include "models/blocks/norm.h"
#include "models/blocks/positions.h"
#include "models/model.h"

namespace zoo {

struct GptOptions {
  std::int64_t block_size = 16;
  std::int64_t d_model = 64;
  std::int64_t n_heads = 4;
  std::int64_t n_layers = 4;
  std::optional<std::int64_t> d_ff;
  double dropout = 0.1;
  bool bias = true;
  NormType norm = NormType::kLayer;
  PositionType positions = PositionType::kLearned;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("block_size", self.block_size, "Most tokens that are read.", at_least(1));
    visit("d_model", self.d_model, "Channels of every token.", at_least(1));
    visit("n_heads", self.n_heads, "Attention heads; divides d_model.", at_least(1));
    visit("n_layers", self.n_layers, "Number of transformer blocks.", at_least(1));
    visit("d_ff", self.d_ff, "Hidden units of the feed-forward network. Unset: 4 d_model.",
          at_least(1));
    visit("dropout", self.dropout,
          "Probability of dropping an attention weight, and a channel of the embedding and of each "
          "residual branch.",
          at_least(0).below(1));
    visit("bias", self.bias, "Whether linear layers and norms have a bias.");
    visit("norm", self.norm, "What the norms average over.");
    visit("positions", self.positions, "How a token knows where it stands.");
  }

  /// Throws ConfigError unless n_heads divides d_model.
  void validate(const std::string& path) const;
};

/// Pre-norm transformer block: x + attention(norm(x)), then x + feed_forward(norm(x)).
class GptBlockImpl : public torch::nn::Module {
 public:
  explicit GptBlockImpl(const GptOptions& options);

  /// x [B, T, C] -> [B, T, C]. `real`, bool [B, T] or undefined: see Norm.
  torch::Tensor forward(const torch::Tensor& x, const AttentionMask& mask,
                        const torch::Tensor& real);

  /// GPT-2's initialisation (Radford et al., 2019): N(0, 0.02), projections back into the residual
  /// stream by 1 / sqrt(2 n_layers) less, biases zero.
  void initialise(std::int64_t n_layers);

 private:
  double dropout_;
  Norm attention_norm_{nullptr};
  SelfAttention attention_{nullptr};
  Norm feed_forward_norm_{nullptr};
  FeedForward feed_forward_{nullptr};
};
TORCH_MODULE(GptBlock);

/// GPT decoder (Radford et al., 2019).
///
///   tokens [B, T] -> embeddings + positions [B, T, C] -> n_layers x GptBlock -> norm
///                 -> logits [B, T, V] by the embedding's own weights
///
/// B batch, T tokens <= block_size, C d_model, V vocabulary.
class GptImpl : public Model, public TokenEmbedding {
 public:
  GptImpl(const GptOptions& options, const DataFacts& facts);

  /// tokens [B, T] -> logits [B, T, V]; logits at t depend on tokens 0..t alone.
  torch::Tensor forward(const Inputs& inputs) override;

  /// [V, C]
  torch::Tensor token_embedding() const override { return embedding_->weight; }

 private:
  GptOptions options_;
  torch::nn::Embedding embedding_{nullptr};  // V -> C, also the output layer
  Positions positions_{nullptr};
  std::vector<GptBlock> blocks_;
  Norm norm_{nullptr};
};
TORCH_MODULE(Gpt);

}  // namespace zoo
