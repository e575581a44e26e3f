#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

namespace zoo {

/// Counts, while it lives, the bytes that LibTorch's allocators hand to this thread and to the
/// backward of its graphs.
class AllocationWatch {
 public:
  AllocationWatch();
  /// Most bytes that were allocated since then and not yet freed.
  std::int64_t peak_bytes() const { return count_->peak; }

 private:
  struct Count final : c10::MemoryReportingInfoBase {
    void reportMemoryUsage(void* memory, std::int64_t size, std::size_t total_allocated,
                           std::size_t total_reserved, c10::Device device) override;
    bool memoryProfilingEnabled() const override { return true; }

    std::unordered_map<void*, std::int64_t> blocks;
    std::int64_t live = 0;
    std::int64_t peak = 0;
  };

  std::shared_ptr<Count> count_;
  c10::DebugInfoGuard guard_;
};

}  // namespace zoo
