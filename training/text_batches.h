#pragma once

#include <cstdint>
#include <vector>

#include "training/batch.h"
#include "training/text_rows.h"

namespace zoo {

/// How rows of similar length are brought together: those of `steps` updates are sorted among
/// themselves, cut into updates of `rows` again and put in random order.
struct LengthPool {
  std::int64_t steps = 1;
  std::int64_t rows = 1;
};

/// Shuffled training batches. The rows of all epochs form one sequence without end, each epoch in
/// an order of its own, so every batch is full; batch n holds rows n B .. n B + B - 1 of it.
class ShuffledBatches : public BatchSource {
 public:
  ShuffledBatches(TextRows rows, std::int64_t batch_size, std::int64_t seed,
                  const LengthPool& pool = {});

  std::int64_t size() const override { return (rows_.size() + batch_size_ - 1) / batch_size_; }
  Batch at(std::int64_t number) override;

 private:
  struct Epoch {
    std::int64_t number = -1;
    std::vector<std::int64_t> order;
    torch::Tensor order_there;  // [R]
    std::int64_t shift = 0;
  };
  const Epoch& epoch(std::int64_t number);
  void bring_similar_together(std::vector<std::int64_t>& order, std::int64_t epoch,
                              std::uint64_t seed) const;

  TextRows rows_;
  std::int64_t batch_size_;
  std::uint64_t seed_;
  LengthPool pool_;
  Epoch current_;
};

/// Every row once, in a fixed order: for evaluation and for counting.
class OrderedBatches : public BatchSource {
 public:
  OrderedBatches(TextRows rows, std::int64_t batch_size, RowOrder order = RowOrder::kByLength);

  std::int64_t size() const override { return (rows_.size() + batch_size_ - 1) / batch_size_; }
  Batch at(std::int64_t number) override;

 private:
  TextRows rows_;
  std::int64_t batch_size_;
  std::vector<std::int64_t> order_;
  torch::Tensor order_there_;  // [R]
};

}  // namespace zoo
