#include "analysis/cost_observer.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "analysis/op_flops.h"

namespace zoo {
namespace {

/// From the slot that allocators report to, which the engine carries to the threads of a backward.
CostObserver& current() {
  return *static_cast<CostObserver*>(
      c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE));
}

std::unique_ptr<at::ObserverContext> begin_call(const at::RecordFunction& call) {
  current().begin(call);
  return nullptr;
}

void end_call(const at::RecordFunction& /*call*/, at::ObserverContext* /*context*/) {
  current().end();
}

}  // namespace

ModuleMap::ModuleMap(const torch::nn::Module& model) {
  std::unordered_map<std::string, std::size_t> index_of;
  for (const auto& item : model.named_modules()) {
    const auto index = containers_.size();
    index_of.emplace(item.key(), index);
    const auto dot = item.key().rfind('.');
    const auto parent = dot == std::string::npos ? "" : item.key().substr(0, dot);
    const bool leaf = item.value()->children().empty();
    containers_.push_back(leaf ? index_of.at(parent) : index);
    for (const auto& parameter : item.value()->parameters(/*recurse=*/false)) {
      if (parameter.numel() == 0) continue;
      const auto begin = static_cast<const char*>(parameter.const_data_ptr());
      regions_.try_emplace(begin, Region{begin + parameter.nbytes(), index});
    }
  }
}

std::optional<std::size_t> ModuleMap::owner(c10::ArrayRef<const c10::IValue> inputs) const {
  std::optional<std::size_t> module;
  std::ptrdiff_t most = 0;
  const auto look_at = [&](const at::Tensor& tensor) {
    const auto found = region(tensor);
    if (found == regions_.end()) return;
    const auto bytes = found->second.end - found->first;
    if (bytes <= most) return;
    most = bytes;
    module = found->second.module;
  };
  for (const auto& input : inputs) {
    if (input.isTensor()) {
      look_at(input.toTensor());
    } else if (input.isTensorList()) {
      for (const auto& tensor : input.toTensorVector()) look_at(tensor);
    }
  }
  return module;
}

ModuleMap::Regions::const_iterator ModuleMap::region(const at::Tensor& tensor) const {
  if (!tensor.defined() || !tensor.has_storage() || tensor.numel() == 0) return regions_.end();
  const auto address = static_cast<const char*>(tensor.const_data_ptr());
  auto next = regions_.upper_bound(address);
  if (next == regions_.begin()) return regions_.end();
  --next;
  return address < next->second.end ? next : regions_.end();
}

void CostObserver::begin(const at::RecordFunction& call) {
  Frame frame{last_container_, false};
  if (!frames_.empty()) frame = frames_.back();
  try {
    if (const auto owner = modules_.owner(call.inputs())) {
      frame.module = *owner;
      last_container_ = modules_.container(*owner);
    }
    if (!frame.counted) {
      const auto flops = op_flops(call.name(), call.inputs());
      frame.counted = flops.has_value();  // what it calls is not counted again
      flops_of_[frame.module] += flops.value_or(0);
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  frames_.push_back(frame);
}

void CostObserver::reportMemoryUsage(void* memory, std::int64_t size,
                                     std::size_t /*total_allocated*/,
                                     std::size_t /*total_reserved*/, c10::Device /*device*/) {
  if (size > 0) {
    const auto module = frames_.empty() ? last_container_ : frames_.back().module;
    blocks_[memory] = {size, module};
    live_of_[module] += size;
    live_ += size;
    peak_ = std::max(peak_, live_);
  } else if (const auto block = blocks_.find(memory); block != blocks_.end()) {
    live_of_[block->second.module] -= block->second.size;
    live_ -= block->second.size;
    blocks_.erase(block);
  }
}

std::int64_t CostObserver::flops() const {
  return std::accumulate(flops_of_.begin(), flops_of_.end(), std::int64_t{0});
}

Observation::Observation(std::shared_ptr<CostObserver> observer, Watched watched)
    : observer_(c10::DebugInfoKind::PROFILER_STATE, std::move(observer)) {
  if (watched == Watched::kAllocations) return;
  calls_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&begin_call, &end_call)
                                          .needsInputs(true)
                                          .scopes({at::RecordScope::FUNCTION}));
}

Observation::~Observation() {
  if (calls_) at::removeCallback(*calls_);
}

}  // namespace zoo
