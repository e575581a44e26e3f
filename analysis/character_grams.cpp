#include "analysis/character_grams.h"

#include <algorithm>
#include <string>

#include "core/random.h"
#include "text/character_at.h"

namespace zoo {
namespace {

/// Marks that are no character's code point.
constexpr char32_t kStart = 0x110000, kEnd = 0x110001;

}  // namespace

std::size_t for_each_gram(std::string_view text, std::size_t highest_order,
                          const std::function<void(std::size_t, std::uint64_t)>& visit) {
  std::u32string marked = {kStart};
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text, at);
    marked += character.code_point;
    at += character.size;
  }
  marked += kEnd;
  for (std::size_t start = 0; start + 1 < marked.size(); ++start) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < std::min(marked.size() - start, highest_order); ++i) {
      hash = mixed_seed(hash, marked[start + i]);
      if (start + i > 0) visit(i + 1, hash);
    }
  }
  return marked.size() - 2;
}

}  // namespace zoo
