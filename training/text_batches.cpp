#include "training/text_batches.h"

#include <algorithm>

#include <torch/types.h>

#include "core/random.h"
#include "training/epochs.h"

namespace zoo {
namespace {

/// Purposes of one seed.
enum : std::uint64_t { kOrder = 0, kShift = 1, kBatchOrder = 2 };

RowSpans joined(const RowSpans& a, const RowSpans& b) {
  const auto both = [](const torch::Tensor& x, const torch::Tensor& y) {
    return x.defined() ? torch::cat({x, y}) : x;
  };
  const auto extent = [](const Extent& x, const Extent& y) {
    return Extent{std::max(x.longest, y.longest), std::min(x.shortest, y.shortest)};
  };
  return {both(a.begins, b.begins), both(a.lengths, b.lengths), both(a.separators, b.separators),
          both(a.labels, b.labels), extent(a.tokens, b.tokens), extent(a.source, b.source)};
}

}  // namespace

ShuffledBatches::ShuffledBatches(TextRows rows, std::int64_t batch_size, std::int64_t seed,
                                 const LengthPool& pool)
    : rows_(std::move(rows)),
      batch_size_(batch_size),
      seed_(static_cast<std::uint64_t>(seed)),
      pool_(rows_.widths_vary() ? pool : LengthPool()) {
  rows_.make_room_for_shift();
}

void ShuffledBatches::bring_similar_together(std::vector<std::int64_t>& order, std::int64_t epoch,
                                             std::uint64_t seed) const {
  const auto rows = static_cast<std::int64_t>(order.size());
  const auto unsorted = order;
  // An update that two epochs share stays as it is.
  const auto shared = (pool_.rows - epoch * rows % pool_.rows) % pool_.rows;
  for (auto begin = shared; begin + pool_.rows <= rows; begin += pool_.steps * pool_.rows) {
    const auto steps = std::min(pool_.steps, (rows - begin) / pool_.rows);
    std::vector<std::int64_t> pooled(unsorted.begin() + begin,
                                     unsorted.begin() + begin + steps * pool_.rows);
    std::stable_sort(pooled.begin(), pooled.end(), [this](std::int64_t a, std::int64_t b) {
      return rows_.length(a) < rows_.length(b);
    });
    const auto places = random_order(steps, mixed_seed(seed, static_cast<std::uint64_t>(begin)));
    for (std::int64_t i = 0; i < steps; ++i) {
      const auto to = begin + places[static_cast<std::size_t>(i)] * pool_.rows;
      std::copy_n(pooled.begin() + i * pool_.rows, pool_.rows, order.begin() + to);
    }
  }
}

const ShuffledBatches::Epoch& ShuffledBatches::epoch(std::int64_t number) {
  if (current_.number == number) return current_;
  const auto seed = mixed_seed(seed_, static_cast<std::uint64_t>(number));
  current_.number = number;
  current_.order = random_order(rows_.size(), mixed_seed(seed, kOrder));
  if (pool_.steps > 1) {
    bring_similar_together(current_.order, number, mixed_seed(seed, kBatchOrder));
  }
  current_.order_there = torch::tensor(current_.order, torch::kInt64).to(rows_.device());
  current_.shift = random_below(mixed_seed(seed, kShift), rows_.largest_shift() + 1);
  return current_;
}

Batch ShuffledBatches::at(std::int64_t number) {
  RowSpans spans;
  for (const auto& part : parts_of_batch(number, batch_size_, rows_.size())) {
    const auto& order = epoch(part.epoch);
    const auto some =
        rows_.spans(order.order, order.order_there, part.first, part.count, order.shift);
    spans = spans.begins.defined() ? joined(spans, some) : some;
  }
  return rows_.gather(spans);
}

OrderedBatches::OrderedBatches(TextRows rows, std::int64_t batch_size, RowOrder order)
    : rows_(std::move(rows)), batch_size_(batch_size), order_(rows_.ordered(order)) {
  order_there_ = torch::tensor(order_, torch::kInt64).to(rows_.device());
}

Batch OrderedBatches::at(std::int64_t number) {
  const auto first = number * batch_size_;
  const auto count = std::min(batch_size_, rows_.size() - first);
  return rows_.gather(rows_.spans(order_, order_there_, first, count, /*shift=*/0));
}

}  // namespace zoo
