#include "text/near_duplicates.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <utility>

#include <utf8proc.h>

#include "core/errors.h"
#include "core/random.h"
#include "text/utf8.h"

namespace zoo {
namespace {

constexpr std::size_t kGramLength = 4;

/// Common grams that two sets of so many grams together need for a Jaccard similarity of 4/5.
std::size_t least_common(std::size_t size) { return (4 * size + 8) / 9; }

std::string folded(std::string_view text) {
  utf8proc_uint8_t* made = nullptr;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &made, options);
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owner(made, std::free);
  require<UserError>(size >= 0, "near duplicates: ", utf8proc_errmsg(size));
  return std::string(reinterpret_cast<const char*>(made), static_cast<std::size_t>(size));
}

bool is_punctuation_or_space(char32_t code_point) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  return (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO) ||
         (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_CC);
}

bool is_digit(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point)) == UTF8PROC_CATEGORY_ND;
}

/// The distinct hashes of the 4-character grams, in ascending order.
std::vector<std::uint64_t> gram_hashes(const std::string& normalised) {
  const auto characters = decode_utf8(normalised, "a normalised text");
  std::vector<std::uint64_t> grams;
  for (std::size_t i = 0; i + kGramLength <= characters.size(); ++i) {
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < kGramLength; ++k) hash = mixed_seed(hash, characters[i + k]);
    grams.push_back(hash);
  }
  std::sort(grams.begin(), grams.end());
  grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
  return grams;
}

}  // namespace

std::string normalised_text(std::string_view text) {
  std::string normalised;
  bool gap = false;
  for (const auto code_point : decode_utf8(folded(text), "a folded text")) {
    if (is_punctuation_or_space(code_point)) {
      gap = true;
      continue;
    }
    if (gap && !normalised.empty()) normalised += ' ';
    gap = false;
    append_utf8(normalised, is_digit(code_point) ? U'0' : code_point);
  }
  return normalised;
}

NearDuplicateIndex::NearDuplicateIndex(const std::vector<std::string_view>& texts) {
  std::vector<const std::string*> forms;
  for (const auto text : texts) {
    auto form = normalised_text(text);
    if (form.empty()) continue;
    const auto [place, is_new] = forms_.insert(std::move(form));
    if (is_new) forms.push_back(&*place);
  }
  rank_grams(forms);
  for (const auto* form : forms) {
    auto set = gram_set(*form);
    set.signature.number = static_cast<std::uint32_t>(sets_.size());
    for (std::size_t i = 0; i < set.prefix(); ++i) by_rank_[set.ranks[i]].push_back(set.signature);
    sets_.push_back(std::move(set.ranks));
  }
}

bool NearDuplicateIndex::has_near(std::string_view text) const {
  const auto form = normalised_text(text);
  if (form.empty()) return false;
  if (forms_.contains(form)) return true;
  const auto set = gram_set(form);
  for (std::size_t i = 0; i < set.prefix(); ++i) {
    const auto& known = by_rank_[set.ranks[i]];
    const bool found = std::any_of(known.begin(), known.end(), [&](const Signature& signature) {
      return is_near(set, signature);
    });
    if (found) return true;
  }
  return false;
}

/// How many of the ranks any near set must share one of: the rarest 1/5 of all grams and one more,
/// of which those that the collection does not have are the very rarest.
std::size_t NearDuplicateIndex::GramSet::prefix() const {
  const std::size_t size = signature.size;
  if (size == 0) return 0;
  const auto rarest = size - (4 * size + 4) / 5 + 1;
  const auto unknown = size - ranks.size();
  return rarest > unknown ? rarest - unknown : 0;
}

void NearDuplicateIndex::rank_grams(const std::vector<const std::string*>& forms) {
  std::unordered_map<std::uint64_t, std::uint32_t> frequencies;
  for (const auto* form : forms) {
    for (const auto gram : gram_hashes(*form)) ++frequencies[gram];
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> grams;
  for (const auto& [gram, frequency] : frequencies) grams.emplace_back(frequency, gram);
  std::sort(grams.begin(), grams.end());
  for (const auto& [frequency, gram] : grams) {
    ranks_.emplace(gram, static_cast<std::uint32_t>(ranks_.size()));
  }
  by_rank_.resize(grams.size());
}

NearDuplicateIndex::GramSet NearDuplicateIndex::gram_set(const std::string& form) const {
  GramSet set;
  for (const auto gram : gram_hashes(form)) {
    ++set.signature.size;
    const auto found = ranks_.find(gram);
    if (found == ranks_.end()) continue;
    const auto rank = found->second;
    set.ranks.push_back(rank);
    set.signature.parity[rank >> 6 & 1] ^= std::uint64_t{1} << (rank & 63);
  }
  std::sort(set.ranks.begin(), set.ranks.end());
  return set;
}

bool NearDuplicateIndex::is_near(const GramSet& text, const Signature& known) const {
  const auto size = std::size_t{text.signature.size} + known.size;
  const auto wanted = least_common(size);
  if (2 * wanted > size) return false;
  std::size_t differing = 0;  // bits, each at least one gram that only one of the two has
  for (std::size_t i = 0; i < known.parity.size(); ++i) {
    differing +=
        static_cast<std::size_t>(std::popcount(text.signature.parity[i] ^ known.parity[i]));
    if (differing > size - 2 * wanted) return false;
  }
  const auto& ranks = sets_[known.number];
  std::size_t common = 0;
  for (std::size_t i = 0, k = 0; i < text.ranks.size() && k < ranks.size();) {
    const auto a = text.ranks[i], b = ranks[k];
    common += a == b ? 1 : 0;
    i += a <= b ? 1 : 0;
    k += b <= a ? 1 : 0;
  }
  return common >= wanted;
}

}  // namespace zoo
