#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/nn/module.h>

namespace zoo {

/// The modules of a model by their index in `named_modules()`, and whose a tensor is.
class ModuleMap {
 public:
  /// The parameters must keep their place in memory while the map is used.
  explicit ModuleMap(const torch::nn::Module& model);

  std::size_t size() const { return containers_.size(); }

  /// The module itself if it has children, else its parent.
  std::size_t container(std::size_t module) const { return containers_[module]; }

  /// The owner of the largest parameter that is among the inputs, itself or through a view.
  std::optional<std::size_t> owner(c10::ArrayRef<const c10::IValue> inputs) const;

 private:
  // Compared by address, not by storage: an optimizer may keep all parameters in one storage.
  struct Region {
    const char* end;
    std::size_t module;
  };
  using Regions = std::map<const char*, Region>;

  Regions::const_iterator region(const at::Tensor& tensor) const;

  Regions regions_;
  std::vector<std::size_t> containers_;
};

/// Counts the FLOPs and bytes of one thread's work, and the backward of its graphs, while an
/// Observation of it lasts. Each belongs to a module by the rule that `measure_cost` states.
class CostObserver final : public c10::MemoryReportingInfoBase {
 public:
  explicit CostObserver(const ModuleMap& modules)
      : modules_(modules), flops_of_(modules.size()), live_of_(modules.size()) {}

  void begin(const at::RecordFunction& call);
  void end() { frames_.pop_back(); }

  void reportMemoryUsage(void* memory, std::int64_t size, std::size_t total_allocated,
                         std::size_t total_reserved, c10::Device device) override;
  bool memoryProfilingEnabled() const override { return true; }

  /// Throws what went wrong in `begin`: the dispatcher swallows what its callbacks throw.
  void check() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  std::int64_t flops() const;
  /// By module.
  const std::vector<std::int64_t>& flops_of() const { return flops_of_; }
  /// Most bytes that were allocated during the observation and not yet freed.
  std::int64_t peak_bytes() const { return peak_; }
  /// By module, now.
  const std::vector<std::int64_t>& live_bytes_of() const { return live_of_; }

 private:
  struct Frame {
    std::size_t module;
    bool counted;
  };
  struct Block {
    std::int64_t size;
    std::size_t module;
  };

  const ModuleMap& modules_;
  std::vector<Frame> frames_;  // calls not yet returned, outermost first
  std::size_t last_container_ = 0;
  std::vector<std::int64_t> flops_of_;
  std::unordered_map<void*, Block> blocks_;
  std::vector<std::int64_t> live_of_;
  std::int64_t live_ = 0;
  std::int64_t peak_ = 0;
  std::exception_ptr failure_;
};

/// What an observer is shown. Models put kernels of their own in the place of operators while
/// nobody watches operators, so allocations alone are those of a real run.
enum class Watched { kAllocations, kOperatorsToo };

/// Lets an observer see the work of this thread for a scope.
class Observation {
 public:
  Observation(std::shared_ptr<CostObserver> observer, Watched watched);
  ~Observation();
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

 private:
  c10::DebugInfoGuard observer_;
  std::optional<at::CallbackHandle> calls_;
};

}  // namespace zoo
