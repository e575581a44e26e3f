#include "analysis/kneser_ney.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/errors.h"

namespace zoo {
namespace {

constexpr std::int64_t kMissing = -1;

/// Where the key stands among sorted ones, or kMissing.
std::int64_t find(const std::vector<std::int64_t>& sorted, std::int64_t key) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), key);
  return at == sorted.end() || *at != key ? kMissing : at - sorted.begin();
}

/// The different keys in order, without kMissing.
std::vector<std::int64_t> sorted_keys(std::vector<std::int64_t> keys) {
  std::erase(keys, kMissing);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  keys.shrink_to_fit();
  return keys;
}

std::size_t index(std::int64_t id) { return static_cast<std::size_t>(id); }

}  // namespace

KneserNey::KneserNey(std::int64_t order, std::int64_t vocab_size) : vocab_size_(vocab_size) {
  using Error = std::invalid_argument;
  require<Error>(order >= 1, "Kneser-Ney: order ", order, "; at least 1 is needed");
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  require<Error>(vocab_size >= 1 && vocab_size <= kMost, "Kneser-Ney: ", vocab_size,
                 " tokens; 1 to ", kMost, " are possible");
  tables_.resize(index(order));
}

void KneserNey::expect_token(std::int64_t token) const {
  require<std::invalid_argument>(token >= 0 && token < vocab_size_, "Kneser-Ney: token ", token,
                                 "; 0 to ", vocab_size_ - 1, " are known");
}

void KneserNey::count(std::span<const std::int64_t> row, std::size_t first_predicted) {
  require<std::logic_error>(!finished_, "Kneser-Ney: the counting is finished");
  for (const auto token : row) expect_token(token);
  for (std::size_t i = 0; i < row.size(); ++i) {
    tokens_.push_back(static_cast<std::int32_t>(row[i]));
    before_.push_back(i < first_predicted ? kMissing : static_cast<std::int64_t>(i));
  }
}

void KneserNey::finish() {
  require<std::logic_error>(!finished_, "Kneser-Ney: the counting is finished");
  std::vector<std::int64_t> ids;  // of the context of each token, at first the empty one
  for (const auto before : before_) ids.push_back(before < 0 ? kMissing : 0);
  for (std::size_t length = 0; length < tables_.size(); ++length) {
    auto& table = tables_[length];
    if (length > 0) lengthen_contexts(table, length, ids);
    count_grams(table, length, ids);
    if (length > 0) count_continuations(table, tables_[length - 1]);
  }
  for (auto& table : tables_) sum_up(table);
  tokens_ = {};
  before_ = {};
  finished_ = true;
}

void KneserNey::lengthen_contexts(Table& table, std::size_t length,
                                  std::vector<std::int64_t>& ids) const {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool has_one = before_[i] >= static_cast<std::int64_t>(length);
    ids[i] = has_one ? ids[i] * vocab_size_ + tokens_[i - length] : kMissing;
  }
  table.contexts = sorted_keys(ids);
  for (auto& id : ids) id = find(table.contexts, id);
}

void KneserNey::count_grams(Table& table, std::size_t length,
                            const std::vector<std::int64_t>& ids) const {
  std::vector<std::int64_t> keys;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    keys.push_back(ids[i] < 0 ? kMissing : ids[i] * vocab_size_ + tokens_[i]);
  }
  table.grams = sorted_keys(keys);
  table.counts.assign(table.grams.size(), 0);
  const bool is_highest = length + 1 == tables_.size();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool starts_row = before_[i] == static_cast<std::int64_t>(length);
    if (ids[i] >= 0 && (is_highest || starts_row))
      ++table.counts[index(find(table.grams, keys[i]))];
  }
}

void KneserNey::count_continuations(const Table& table, Table& lower) const {
  for (const auto gram : table.grams) {
    const auto shorter = table.contexts[index(gram / vocab_size_)] / vocab_size_;
    ++lower.counts[index(find(lower.grams, shorter * vocab_size_ + gram % vocab_size_))];
  }
}

void KneserNey::sum_up(Table& table) const {
  const auto contexts = std::max<std::size_t>(table.contexts.size(), 1);
  table.totals.assign(contexts, 0);
  table.followers.assign(contexts, 0);
  double once = 0.0, twice = 0.0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto context = index(table.grams[i] / vocab_size_);
    table.totals[context] += table.counts[i];
    ++table.followers[context];
    once += table.counts[i] == 1;
    twice += table.counts[i] == 2;
  }
  if (once > 0 && twice > 0) table.discount = once / (once + 2 * twice);
}

double KneserNey::Table::interpolate(std::int64_t context, std::int64_t gram, double lower) const {
  const auto at = find(grams, gram);
  const double kept = at < 0 ? 0.0 : static_cast<double>(counts[index(at)]) - discount;
  const double given = discount * static_cast<double>(followers[index(context)]);
  return (kept + given * lower) / static_cast<double>(totals[index(context)]);
}

double KneserNey::probability(std::span<const std::int64_t> context, std::int64_t token) const {
  require<std::logic_error>(finished_, "Kneser-Ney: the counting is not finished");
  expect_token(token);
  double result = 1.0 / static_cast<double>(vocab_size_);
  if (tables_[0].size() == 0) return result;
  std::int64_t id = 0;
  for (std::size_t length = 0; length < tables_.size(); ++length) {
    const auto& table = tables_[length];
    if (length > context.size()) break;
    if (length > 0) {
      const auto oldest = context[context.size() - length];
      expect_token(oldest);
      id = find(table.contexts, id * vocab_size_ + oldest);
    }
    if (id < 0) break;
    result = table.interpolate(id, id * vocab_size_ + token, result);
  }
  return result;
}

std::vector<double> KneserNey::losses(std::span<const std::int64_t> row,
                                      std::size_t first_predicted) const {
  std::vector<double> losses;
  for (auto i = first_predicted; i < row.size(); ++i) {
    losses.push_back(-std::log(probability(row.first(i), row[i])));
  }
  return losses;
}

}  // namespace zoo
