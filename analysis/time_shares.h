#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include <ATen/record_function.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include "core/options.h"
#include "models/blocks/kernel_functions.h"
#include "training/batch.h"

namespace zoo {

/// What a training step spends its time on, backward with forward.
enum class Work {
  kProducts,   ///< matrix products, convolutions and fused recurrent layers
  kAttention,  ///< scores, weights and what they mix; its projections are products
  kNorms,
  kOptimizer,  ///< zeroing and clipping gradients, and the update
  kData,       ///< making the batches
  kWaiting,    ///< the thread does not run: for a device, for another thread, or for a core
  kOther,      ///< activations, embeddings, losses, dropout, and what LibTorch does around it all
};
inline EnumNames<Work> names_of(Work) {
  return {{"products", Work::kProducts}, {"attention", Work::kAttention},
          {"norms", Work::kNorms},       {"optimizer", Work::kOptimizer},
          {"data", Work::kData},         {"waiting", Work::kWaiting},
          {"other", Work::kOther}};
}

/// A number for each kind of work, in the order of names_of.
using PerWork = std::array<double, 7>;

/// Shares of the whole in percent, each a multiple of 0.1, which add up to 100: the largest
/// remainders are rounded up. Zeros where there is no time at all.
PerWork percentages(const PerWork& seconds);

class WorkClock;

/// Takes the time of this thread's work, and of the backward of its graphs, while it lives. Kernels
/// go on to serve, so that what is timed is what runs without it.
///
/// Work is told apart by the operators that the dispatcher is asked for, and by scopes named
/// "zoo::" and the kind around what operators do not show; the outermost that tells counts, and the
/// backward of what was done inside counts there too.
class TimeWatch {
 public:
  TimeWatch();
  ~TimeWatch();
  TimeWatch(const TimeWatch&) = delete;
  TimeWatch& operator=(const TimeWatch&) = delete;

  /// Seconds of each kind so far; together all that passed.
  PerWork seconds();

 private:
  std::shared_ptr<WorkClock> clock_;
  c10::DebugInfoGuard here_;
  KernelsWhileWatched kernels_;
  at::CallbackHandle calls_;
};

/// Batches of another source; making them shows as data.
class WatchedBatches : public BatchSource {
 public:
  explicit WatchedBatches(BatchSource& batches) : batches_(batches) {}

  std::int64_t size() const override { return batches_.size(); }
  Batch at(std::int64_t number) override;

 private:
  BatchSource& batches_;
};

}  // namespace zoo
