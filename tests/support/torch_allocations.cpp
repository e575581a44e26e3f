#include "tests/support/torch_allocations.h"

#include <algorithm>

namespace zoo {

AllocationWatch::AllocationWatch()
    : count_(std::make_shared<Count>()), guard_(c10::DebugInfoKind::PROFILER_STATE, count_) {}

void AllocationWatch::Count::reportMemoryUsage(void* memory, std::int64_t size,
                                               std::size_t /*total_allocated*/,
                                               std::size_t /*total_reserved*/,
                                               c10::Device /*device*/) {
  if (size > 0) {
    blocks[memory] = size;
    live += size;
    peak = std::max(peak, live);
  } else if (const auto block = blocks.find(memory); block != blocks.end()) {
    live -= block->second;
    blocks.erase(block);
  }
}

}  // namespace zoo
