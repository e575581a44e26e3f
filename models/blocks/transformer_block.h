#pragma once

#include <cstdint>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "models/blocks/attention.h"
#include "models/blocks/feed_forward.h"
#include "models/blocks/norm.h"
#include "models/blocks/positions.h"
#include "models/blocks/transformer_options.h"

namespace zoo {

/// What the blocks of a stack are told about the rows beside their channels.
struct RowContext {
  AttentionMask mask;
  torch::Tensor real;  ///< bool [B, T], for norms that leave padding out; undefined: all
  Rotation rotation;   ///< of rotary positions
};

/// Transformer block: self-attention, then feed-forward, each with its norm and residual.
class TransformerBlockImpl : public torch::nn::Module {
 public:
  explicit TransformerBlockImpl(const BlockOptions& options);

  /// x [B, T, C] -> [B, T, C].
  torch::Tensor forward(const torch::Tensor& x, const RowContext& context);

  /// More tokens of each row, in evaluation: x [B, T, C] -> [B, T, C]. Mask, rotation and cache as
  /// SelfAttention::extend has them.
  torch::Tensor extend(const torch::Tensor& x, const RowContext& context, KeyValueCache& cache);

 private:
  template <class Attend>
  torch::Tensor apply(const torch::Tensor& x, const torch::Tensor& real, Attend&& attend);

  NormPlace norm_place_;
  double dropout_;
  Norm attention_norm_{nullptr};
  SelfAttention attention_{nullptr};
  Norm feed_forward_norm_{nullptr};
  FeedForward feed_forward_{nullptr};
};
TORCH_MODULE(TransformerBlock);

/// GPT-2's initialisation of everything in a transformer (Radford et al., 2019): linear layers and
/// embeddings N(0, 0.02), biases zero, projections back into the residual stream by
/// 1 / sqrt(2 n_layers) less.
void initialise_transformer(torch::nn::Module& model, std::int64_t n_layers);

}  // namespace zoo
