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

struct MlpOptions {
  std::int64_t block_size = 3;
  std::int64_t d_model = 10;
  std::int64_t d_hidden = 200;
  std::int64_t n_layers = 1;
  Activation activation = Activation::kTanh;
  NormType norm = NormType::kNone;
  double dropout = 0.0;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("block_size", self.block_size, "Tokens that are read, exactly; images are read whole.",
          at_least(1));
    visit("d_model", self.d_model, "Channels of a token's embedding; pixels have none.",
          at_least(1));
    visit("d_hidden", self.d_hidden, "Units of a hidden layer.", at_least(1));
    visit("n_layers", self.n_layers, "Number of hidden layers.", at_least(1).up_to(1000));
    visit("activation", self.activation, "What follows each hidden layer.");
    visit("norm", self.norm, "Normalisation between a hidden layer and its activation.");
    visit("dropout", self.dropout, "Probability of dropping a hidden unit.", at_least(0).below(1));
  }
  void validate(const std::string& /*path*/) const {}
};

/// The layers over a flattened input: n_layers x (Linear, norm, activation), then Linear.
class FlattenedModel : public Model {
 protected:
  /// F_in flattened width, `answers` logits.
  FlattenedModel(const MlpOptions& options, std::int64_t width, std::int64_t answers);

  /// x [B, F_in] -> logits [B, answers].
  torch::Tensor answer(torch::Tensor x);

 private:
  torch::Tensor activate(const torch::Tensor& x) const;

  MlpOptions options_;
  std::vector<torch::nn::Linear> hidden_;  // F_in -> F, then F -> F
  std::vector<Norm> norms_;                // one per hidden layer, or none
  torch::nn::Linear head_{nullptr};        // F -> answers
};

/// Embedding + flatten MLP (Bengio et al., 2003): reads a fixed number of tokens, shares nothing
/// between positions.
///
///   tokens [B, T] -> embeddings [B, T, C] -> flattened [B, T C] -> n_layers x (Linear, norm,
///   activation) [B, F] -> logits [B, V]
///
/// B batch, T block_size, C d_model, F d_hidden, V vocabulary.
class MlpImpl : public FlattenedModel, public TokenEmbedding {
 public:
  MlpImpl(const MlpOptions& options, const DataFacts& facts);

  /// tokens [B, block_size] -> logits [B, V] of the token after the last.
  torch::Tensor forward(const Inputs& inputs) override;

  /// [V, C]
  torch::Tensor token_embedding() const override { return embedding_->weight; }

 private:
  std::int64_t block_size_;
  bool pads_with_boundary_;
  torch::nn::Embedding embedding_{nullptr};  // V -> C
};
TORCH_MODULE(Mlp);

/// The same layers over the pixels of an image, each a place of its own: the floor that models of
/// images are measured against.
///
///   images [B, c, H, W] -> flattened [B, c H W] -> n_layers x (Linear, norm, activation) [B, F]
///                       -> logits [B, K]
///
/// B batch, c channels, H height, W width, F d_hidden, K classes.
class ImageMlpImpl : public FlattenedModel {
 public:
  ImageMlpImpl(const MlpOptions& options, const DataFacts& facts);

  /// images [B, c, H, W] -> logits [B, K].
  torch::Tensor forward(const Inputs& inputs) override;

 private:
  DataFacts facts_;
};
TORCH_MODULE(ImageMlp);

}  // namespace zoo
