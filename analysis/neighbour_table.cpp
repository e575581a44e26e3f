#include "analysis/neighbour_table.h"

namespace zoo {
namespace {

constexpr double kAlpha = 0.1;

}  // namespace

void NeighbourTable::count(const std::vector<std::int64_t>& row,
                           const std::function<bool(std::int64_t)>& may_be_hidden) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!may_be_hidden(row[i])) continue;
    const auto left = i > 0 ? row[i - 1] : kUnknown;
    const auto right = i + 1 < row.size() ? row[i + 1] : kUnknown;
    const auto add = [&](std::int64_t l, std::int64_t r) {
      auto& place = places_[key(l, r)];
      ++place.total;
      const auto now = ++place.tokens[row[i]];
      if (now > place.most) {
        place.most = now;
        place.likeliest = row[i];
      }
      return now == 1;
    };
    add(kUnknown, kUnknown);
    if (left != kUnknown) add(left, kUnknown);
    if (right != kUnknown) add(kUnknown, right);
    if (left != kUnknown && right != kUnknown && add(left, right)) ++distinct_triples_;
  }
}

double NeighbourTable::probability(std::int64_t token) const {
  const auto place = places_.find(key(kUnknown, kUnknown));
  const auto V = static_cast<double>(vocab_size_);
  if (place == places_.end()) return 1.0 / V;
  const auto found = place->second.tokens.find(token);
  const auto count = found == place->second.tokens.end() ? 0.0 : static_cast<double>(found->second);
  return (count + kAlpha) / (static_cast<double>(place->second.total) + kAlpha * V);
}

double NeighbourTable::probability(std::int64_t left, std::int64_t token,
                                   std::int64_t right) const {
  const auto alone = probability(token);
  if (left == kUnknown && right == kUnknown) return alone;
  const auto place = places_.find(key(left, right));
  if (place == places_.end()) return alone;
  const auto found = place->second.tokens.find(token);
  const auto count = found == place->second.tokens.end() ? 0.0 : static_cast<double>(found->second);
  return (count + alone) / (static_cast<double>(place->second.total) + 1.0);
}

std::int64_t NeighbourTable::likeliest(std::int64_t left, std::int64_t right) const {
  auto place = places_.find(key(left, right));
  if (place == places_.end()) place = places_.find(key(kUnknown, kUnknown));
  return place == places_.end() ? 0 : place->second.likeliest;
}

std::int64_t NeighbourTable::distinct_tokens() const {
  const auto place = places_.find(key(kUnknown, kUnknown));
  return place == places_.end() ? 0 : static_cast<std::int64_t>(place->second.tokens.size());
}

}  // namespace zoo
