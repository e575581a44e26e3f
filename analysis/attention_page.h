#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zoo {

/// What the heads of one attention layer looked at in one text.
struct AttentionLayer {
  std::string name;                  ///< "layer 1", "decoder layer 2, cross-attention"
  std::vector<std::string> queries;  ///< T tokens that look: the rows
  std::vector<std::string> keys;     ///< S tokens that are looked at: the columns
  std::int64_t heads = 0;
  std::vector<float> weights;  ///< [heads, T, S], each row sums to 1
};

struct AttentionPage {
  std::string title;  ///< e.g. the run and its architecture
  std::string text;   ///< what was read; for a translation "source → target"
  std::vector<AttentionLayer> layers;
};

/// The page as one HTML file that needs no network and no server: each layer and head as a heat map
/// with the tokens on its axes. Strings may hold any bytes; what is not UTF-8, and characters that
/// control a terminal or the direction of writing, become U+FFFD. Weights are kept to three digits.
/// Throws std::invalid_argument for sizes that do not fit and for weights outside 0 to 1.
std::string attention_page(const AttentionPage& page);

}  // namespace zoo
