#include "models/blocks/transformer_options.h"

#include "core/errors.h"

namespace zoo {

std::int64_t BlockOptions::hidden_units() const {
  if (d_ff) return *d_ff;
  if (feed_forward == FeedForwardType::kGelu) return 4 * d_model;
  return (8 * d_model / 3 + 7) / 8 * 8;  // in whole vectors
}

void BlockOptions::validate(const std::string& path) const {
  if (d_model % n_heads != 0) {
    auto nearest = n_heads;
    while (d_model % nearest != 0) --nearest;
    throw ConfigError(text_of(path, ".n_heads: ", n_heads, " does not divide d_model ", d_model,
                              "; try ", nearest));
  }
}

void TransformerOptions::validate(const std::string& path) const {
  BlockOptions::validate(path);
  require<ConfigError>(positions != PositionType::kRotary || d_head() % 2 == 0, path,
                       ".positions: rotary turns pairs of channels, and a head has ", d_head(),
                       "; change n_heads or d_model");
}

}  // namespace zoo
