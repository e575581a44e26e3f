#pragma once

#include <cstdint>
#include <memory>

#include "models/model.h"
#include "training/language_model_task.h"

namespace zoo {

/// Hides tokens of rows (Devlin et al., 2019) and makes what was hidden their targets.
///
/// Of each row's tokens, its first and its separators left out, 15 % are chosen, one at least; of
/// those 80 % become the mask, 10 % any token, 10 % stay. Which is a function of (seed, number of
/// the row), whatever the batch size and the device.
class MaskedBatches : public BatchSource {
 public:
  /// `rows` in a batch of `source`, the last one excepted.
  MaskedBatches(std::unique_ptr<BatchSource> source, const DataFacts& facts, std::int64_t rows,
                std::uint64_t seed);

  std::int64_t size() const override { return source_->size(); }
  Batch at(std::int64_t number) override;

 private:
  std::unique_ptr<BatchSource> source_;
  DataFacts facts_;
  std::int64_t rows_;
  std::uint64_t seed_;
};

/// Find the tokens that were hidden: cross-entropy in nats per hidden token, and accuracy.
class MaskedLanguageModelTask : public LanguageModelTask {
 public:
  MaskedLanguageModelTask(double label_smoothing, const DataFacts& facts)
      : LanguageModelTask(label_smoothing), facts_(facts) {}

  std::unique_ptr<BatchSource> batches(std::unique_ptr<BatchSource> rows, std::int64_t batch_size,
                                       std::uint64_t seed) const override;

 private:
  DataFacts facts_;
};

}  // namespace zoo
