#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/options.h"
#include "models/blocks/attention.h"
#include "models/blocks/feed_forward.h"
#include "models/blocks/norm.h"
#include "models/blocks/positions.h"

namespace zoo {

/// Where a sublayer's norm stands: before it, on its own branch, or after the sum.
enum class NormPlace { kPre, kPost };
inline EnumNames<NormPlace> names_of(NormPlace) {
  return {{"pre", NormPlace::kPre}, {"post", NormPlace::kPost}};
}

/// What a stack of transformer blocks can be told, whatever it reads.
struct BlockOptions {
  std::int64_t d_model = 64;
  std::int64_t n_heads = 4;
  std::int64_t n_layers = 4;
  std::optional<std::int64_t> d_ff;
  double dropout = 0.1;
  bool bias = true;
  bool scale_attention = true;
  NormType norm = NormType::kLayer;
  NormPlace norm_place = NormPlace::kPre;
  FeedForwardType feed_forward = FeedForwardType::kGelu;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("d_model", self.d_model, "Channels of every token.", at_least(1));
    visit("n_heads", self.n_heads, "Attention heads; divides d_model.", at_least(1));
    visit("n_layers", self.n_layers, "Number of transformer blocks.", at_least(1).up_to(1000));
    visit(
        "d_ff", self.d_ff,
        "Hidden units of the feed-forward network. Unset: 4 d_model; of swiglu 8/3 d_model, which "
        "makes as many weights.",
        at_least(1));
    visit("dropout", self.dropout,
          "Probability of dropping an attention weight, and a channel of the embedding and of each "
          "residual branch.",
          at_least(0).below(1));
    visit("bias", self.bias, "Whether linear layers and norms have a bias.");
    visit("scale_attention", self.scale_attention,
          "Whether scores of attention are divided by the root of a head's channels.");
    visit("norm", self.norm, "How the channels of a token are normalised.");
    visit("norm_place", self.norm_place,
          "pre: x + f(norm(x)) and a norm at the end; post: norm(x + f(x)), as first published.");
    visit("feed_forward", self.feed_forward, "What stands between the two linear layers.");
  }

  std::int64_t d_head() const { return d_model / n_heads; }
  AttentionOptions attention() const { return {d_model, n_heads, dropout, bias, scale_attention}; }
  std::int64_t hidden_units() const;

  /// Throws ConfigError unless n_heads divides d_model.
  void validate(const std::string& path) const;
};

/// What every transformer over tokens can be told.
struct TransformerOptions : BlockOptions {
  std::int64_t block_size = 16;
  PositionType positions = PositionType::kLearned;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("block_size", self.block_size, "Most tokens that are read.", at_least(1));
    BlockOptions::fields(self, visit);
    visit("positions", self.positions, "How a token knows where it stands.");
  }

  /// Throws ConfigError as BlockOptions does, and unless a head has an even number of channels
  /// where positions are rotary.
  void validate(const std::string& path) const;
};

}  // namespace zoo
