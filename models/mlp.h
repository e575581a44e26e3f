#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "core/options.h"
#include "models/blocks/norm.h"
#include "models/model.h"

namespace zoo {

enum class Activation { kTanh, kRelu, kGelu };
inline EnumNames<Activation> names_of(Activation) {
  return {{"tanh", Activation::kTanh}, {"relu", Activation::kRelu}, {"gelu", Activation::kGelu}};
}

enum class MlpNorm { kNone, kLayer, kBatch };
inline EnumNames<MlpNorm> names_of(MlpNorm) {
  return {{"none", MlpNorm::kNone}, {"layer", MlpNorm::kLayer}, {"batch", MlpNorm::kBatch}};
}

struct MlpOptions {
  std::int64_t block_size = 3;
  std::int64_t d_model = 10;
  std::int64_t d_hidden = 200;
  std::int64_t n_layers = 1;
  Activation activation = Activation::kTanh;
  MlpNorm norm = MlpNorm::kNone;
  double dropout = 0.0;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("block_size", self.block_size, "Tokens that are read, exactly.", at_least(1));
    visit("d_model", self.d_model, "Channels of a token's embedding.", at_least(1));
    visit("d_hidden", self.d_hidden, "Units of a hidden layer.", at_least(1));
    visit("n_layers", self.n_layers, "Number of hidden layers.", at_least(1));
    visit("activation", self.activation, "What follows each hidden layer.");
    visit("norm", self.norm, "Normalisation between a hidden layer and its activation.");
    visit("dropout", self.dropout, "Probability of dropping a hidden unit.", at_least(0).below(1));
  }
  void validate(const std::string& /*path*/) const {}
};

/// Embedding + flatten MLP (Bengio et al., 2003): reads a fixed number of tokens, shares nothing
/// between positions.
///
///   tokens [B, T] -> embeddings [B, T, C] -> flattened [B, T C] -> n_layers x (Linear, norm,
///   activation) [B, F] -> logits [B, V]
///
/// B batch, T block_size, C d_model, F d_hidden, V vocabulary.
class MlpImpl : public Model, public TokenEmbedding {
 public:
  MlpImpl(const MlpOptions& options, const DataFacts& facts);

  /// tokens [B, block_size] -> logits [B, V] of the token after the last.
  torch::Tensor forward(const Inputs& inputs) override;

  /// [V, C]
  torch::Tensor token_embedding() const override { return embedding_->weight; }

 private:
  torch::Tensor activate(const torch::Tensor& x) const;

  MlpOptions options_;
  bool pads_with_boundary_;
  torch::nn::Embedding embedding_{nullptr};  // V -> C
  std::vector<torch::nn::Linear> hidden_;    // T C -> F, then F -> F
  std::vector<Norm> norms_;                  // one per hidden layer, or none
  torch::nn::Linear head_{nullptr};          // F -> V
};
TORCH_MODULE(Mlp);

}  // namespace zoo
