#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "core/options.h"
#include "models/model.h"

namespace zoo {

struct CnnOptions {
  std::int64_t d_model = 64;
  std::int64_t n_layers = 4;
  std::int64_t kernel_size = 2;
  std::int64_t dilation_cycle = 8;
  double dropout = 0.1;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("d_model", self.d_model, "Channels of every token.", at_least(1));
    visit("n_layers", self.n_layers, "Number of convolutions.", at_least(1).up_to(1000));
    visit("kernel_size", self.kernel_size, "Tokens that one convolution looks at.", at_least(1));
    visit("dilation_cycle", self.dilation_cycle,
          "The distance between those tokens doubles from layer to layer, and starts at 1 again "
          "after so many.",
          at_least(1).up_to(30));
    visit("dropout", self.dropout,
          "Probability of dropping a channel of the embedding and of each layer's output.",
          at_least(0).below(1));
  }
  void validate(const std::string& /*path*/) const {}
};

/// Gated causal convolution (van den Oord et al., 2016): tanh of one half of the channels times the
/// sigmoid of the other; one projection goes back into the stream, one to the output.
class CnnBlockImpl : public torch::nn::Module {
 public:
  /// After the last one there is no stream, only what was added.
  CnnBlockImpl(const CnnOptions& options, std::int64_t dilation, bool last);

  /// x [B, C, T] -> the stream [B, C, T]; adds its part to `skipped` [B, C, T].
  torch::Tensor forward(const torch::Tensor& x, torch::Tensor& skipped);

 private:
  std::int64_t reach_;  // tokens before the present one that it sees
  double dropout_;
  torch::nn::Conv1d convolution_{nullptr};  // C -> 2C, dilated
  torch::nn::Conv1d residual_{nullptr};     // C -> C, of each token by itself; none in the last
  torch::nn::Conv1d skip_{nullptr};         // C -> C, of each token by itself
};
TORCH_MODULE(CnnBlock);

/// Causal dilated 1-D convolutions (WaveNet, van den Oord et al., 2016).
///
///   tokens [B, T] -> embeddings [B, C, T] -> n_layers x CnnBlock, their outputs added [B, C, T]
///                 -> ReLU, Linear, ReLU [B, T, C] -> logits [B, T, V]; or, where the data has
///                    classes, the largest of each channel over the tokens -> logits [B, K]
///
/// B batch, T tokens (any number), C d_model, V vocabulary, K classes. A logit sees the last
/// 1 + (kernel_size - 1) (1 + 2 + 4 + ...) tokens.
class CnnImpl : public Model, public TokenEmbedding, public Representation {
 public:
  CnnImpl(const CnnOptions& options, const DataFacts& facts);

  /// tokens [B, T] -> logits [B, T, V] or, of classes, [B, K].
  torch::Tensor forward(const Inputs& inputs) override;

  /// tokens [B, T] -> [B, T, C].
  torch::Tensor represent(const Inputs& inputs) override;

  /// [V, C]
  torch::Tensor token_embedding() const override { return embedding_->weight; }

 private:
  CnnOptions options_;
  bool classifies_;
  torch::nn::Embedding embedding_{nullptr};  // V -> C
  std::vector<CnnBlock> blocks_;
  torch::nn::Linear hidden_{nullptr};  // C -> C
  torch::nn::Linear head_{nullptr};    // C -> V or K
};
TORCH_MODULE(Cnn);

}  // namespace zoo
