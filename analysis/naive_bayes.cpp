#include "analysis/naive_bayes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "analysis/character_grams.h"
#include "core/errors.h"

namespace zoo {
namespace {

/// Entries before equal ones are merged for the first time.
constexpr std::size_t kFirstMerge = std::size_t{1} << 20;

std::vector<std::uint64_t> gram_hashes(std::string_view text, std::int64_t highest_order) {
  std::vector<std::uint64_t> grams;
  for_each_gram(text, static_cast<std::size_t>(highest_order),
                [&](std::size_t, std::uint64_t hash) { grams.push_back(hash); });
  return grams;
}

}  // namespace

NaiveBayes::NaiveBayes(const std::vector<std::string>& texts,
                       const std::vector<std::int32_t>& labels, std::int64_t classes,
                       std::int64_t highest_order, double alpha)
    : highest_order_(highest_order), alpha_(alpha) {
  using Error = std::invalid_argument;
  require<Error>(texts.size() == labels.size(), "naive Bayes: ", texts.size(), " texts and ",
                 labels.size(), " labels; as many are needed");
  require<Error>(classes >= 1 && classes <= std::numeric_limits<std::int32_t>::max(),
                 "naive Bayes: ", classes, " classes; at least 1 is needed");
  require<Error>(highest_order >= 1, "naive Bayes: highest order ", highest_order,
                 "; at least 1 is needed");
  require<Error>(alpha > 0 && std::isfinite(alpha), "naive Bayes: alpha ", alpha,
                 "; more than 0 is needed");
  for (const auto label : labels) {
    require<Error>(label >= 0 && label < classes, "naive Bayes: label ", label, " of ", classes,
                   " classes; 0 to ", classes - 1, " are known");
  }
  count_grams(texts, labels);

  const auto size = static_cast<std::size_t>(classes);
  std::vector<double> texts_of(size, 0.0), grams_of(size, 0.0);
  for (const auto label : labels) ++texts_of[static_cast<std::size_t>(label)];
  double distinct = 0.0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (i == 0 || counts_[i].gram != counts_[i - 1].gram) ++distinct;
    grams_of[counts_[i].label] += counts_[i].count;
  }
  for (std::size_t i = 0; i < size; ++i) {
    log_priors_.push_back(std::log((texts_of[i] + 1) / static_cast<double>(texts.size() + size)));
    log_uncounted_.push_back(std::log(alpha / (grams_of[i] + alpha * distinct)));
  }
}

std::int32_t NaiveBayes::predict(std::string_view text) const {
  const auto scored = scores(text);
  return static_cast<std::int32_t>(std::max_element(scored.begin(), scored.end()) - scored.begin());
}

std::vector<double> NaiveBayes::scores(std::string_view text) const {
  auto scored = log_priors_;
  std::int64_t known = 0;
  for (const auto gram : gram_hashes(text, highest_order_)) {
    auto entry = std::lower_bound(counts_.begin(), counts_.end(), gram,
                                  [](const Count& a, std::uint64_t b) { return a.gram < b; });
    if (entry == counts_.end() || entry->gram != gram) continue;
    ++known;
    for (; entry != counts_.end() && entry->gram == gram; ++entry) {
      scored[entry->label] += std::log1p(entry->count / alpha_);
    }
  }
  if (known == 0) return scored;
  for (std::size_t i = 0; i < scored.size(); ++i) {
    scored[i] += static_cast<double>(known) * log_uncounted_[i];
  }
  return scored;
}

/// Merges now and then, so that memory follows the distinct grams and not the texts.
void NaiveBayes::count_grams(const std::vector<std::string>& texts,
                             const std::vector<std::int32_t>& labels) {
  auto next_merge = kFirstMerge;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (const auto gram : gram_hashes(texts[i], highest_order_)) {
      counts_.push_back({gram, static_cast<std::uint32_t>(labels[i]), 1});
    }
    if (counts_.size() < next_merge) continue;
    merge_equal(counts_);
    next_merge = std::max(kFirstMerge, 2 * counts_.size());
  }
  merge_equal(counts_);
  counts_.shrink_to_fit();
}

void NaiveBayes::merge_equal(std::vector<Count>& counts) {
  std::sort(counts.begin(), counts.end(), [](const Count& a, const Count& b) {
    return std::tie(a.gram, a.label) < std::tie(b.gram, b.label);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto entry = counts[i];
    if (kept > 0 && counts[kept - 1].gram == entry.gram && counts[kept - 1].label == entry.label) {
      counts[kept - 1].count += entry.count;
    } else {
      counts[kept++] = entry;
    }
  }
  counts.resize(kept);
}

}  // namespace zoo
