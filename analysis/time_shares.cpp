#include "analysis/time_shares.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <time.h>  // clock_gettime

#include <ATen/SequenceNumber.h>
#include <c10/core/Allocator.h>

#include "analysis/op_flops.h"

namespace zoo {
namespace {

constexpr std::string_view kScope = "zoo::";

/// Seconds that this thread has run.
double thread_seconds() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// What the name of an operator, or of a scope of ours, tells.
Work work_named(std::string_view name) {
  if (name.starts_with(kScope)) {
    for (const auto& [text, work] : names_of(Work())) {
      if (name.substr(kScope.size()) == text) return work;
    }
  }
  if (is_attention(name)) return Work::kAttention;
  if (has_flops(name)) return Work::kProducts;
  for (const char* norm : {"layer_norm", "batch_norm", "group_norm", "rms_norm"}) {
    if (name.find(norm) != name.npos) return Work::kNorms;
  }
  // Reads a number, for which a device must be done.
  if (name == "aten::_local_scalar_dense") return Work::kWaiting;
  return Work::kOther;
}

}  // namespace

/// Sums up the time of one line of work. On a device's thread of a backward it is the same line:
/// the thread that asked for it waits meanwhile. It stands in the slot that allocators report to,
/// which the engine carries to such threads.
class WorkClock final : public c10::MemoryReportingInfoBase {
 public:
  void begin(const at::RecordFunction& call) {
    const auto before = current();
    const auto work = before == Work::kOther ? work_of(call) : before;
    if (work != before) {
      add_time_to(before);
      // The update follows the backward, which is over: its graph is gone.
      if (work == Work::kOptimizer) graph_.clear();
      first_node_ = at::sequence_number::peek();
    }
    open_.push_back(work);
  }

  void end() {
    const auto work = current();
    open_.pop_back();
    if (work == current()) return;
    add_time_to(work);
    const auto next_node = at::sequence_number::peek();
    if (next_node > first_node_) graph_.push_back({first_node_, next_node, work});
  }

  PerWork seconds() {
    add_time_to(current());
    auto seconds = seconds_;
    // Two clocks may disagree by their own grain.
    auto& waiting = seconds[index_of(Work::kWaiting)];
    seconds[index_of(Work::kOther)] += std::min(waiting, 0.0);
    waiting = std::max(waiting, 0.0);
    return seconds;
  }

  void reportMemoryUsage(void* /*memory*/, std::int64_t /*size*/, std::size_t /*allocated*/,
                         std::size_t /*reserved*/, c10::Device /*device*/) override {}
  bool memoryProfilingEnabled() const override { return false; }

 private:
  struct Moment {
    std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
    double run = thread_seconds();
    std::thread::id thread = std::this_thread::get_id();
  };
  /// Nodes of the graph, by the numbers that autograd gives them, that one kind of work made.
  struct Nodes {
    std::uint64_t first, end;
    Work work;
  };
  struct HashOfName {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };

  static std::size_t index_of(Work work) { return static_cast<std::size_t>(work); }
  Work current() const { return open_.empty() ? Work::kOther : open_.back(); }

  /// The time since the last moment: what the thread ran is the work's, the rest is waiting.
  void add_time_to(Work work) {
    const Moment now;
    const auto passed = std::chrono::duration<double>(now.wall - last_.wall).count();
    const auto run = now.thread == last_.thread ? now.run - last_.run : 0.0;
    seconds_[index_of(work)] += run;
    seconds_[index_of(Work::kWaiting)] += passed - run;
    last_ = now;
  }

  Work work_of(const at::RecordFunction& call) {
    if (call.scope() == at::RecordScope::BACKWARD_FUNCTION) return work_of_node(call.seqNr());
    const std::string_view name = call.name();
    const auto known = works_.find(name);
    if (known != works_.end()) return known->second;
    return works_.emplace(name, work_named(name)).first->second;
  }

  Work work_of_node(std::int64_t number) const {
    const auto node = static_cast<std::uint64_t>(number);
    const auto next =
        std::upper_bound(graph_.begin(), graph_.end(), node,
                         [](std::uint64_t one, const Nodes& nodes) { return one < nodes.first; });
    if (next == graph_.begin() || node >= std::prev(next)->end) return Work::kOther;
    return std::prev(next)->work;
  }

  std::vector<Work> open_;  // calls not yet returned, outermost first
  std::vector<Nodes> graph_;
  std::uint64_t first_node_ = 0;  // that the outermost call which tells could make
  std::unordered_map<std::string, Work, HashOfName, std::equal_to<>> works_;
  PerWork seconds_ = {};
  Moment last_;
};

namespace {

WorkClock& clock_of_thread() {
  return *static_cast<WorkClock*>(
      c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE));
}

std::unique_ptr<at::ObserverContext> begin_call(const at::RecordFunction& call) {
  clock_of_thread().begin(call);
  return nullptr;
}

void end_call(const at::RecordFunction& /*call*/, at::ObserverContext* /*context*/) {
  clock_of_thread().end();
}

}  // namespace

TimeWatch::TimeWatch()
    : clock_(std::make_shared<WorkClock>()),
      here_(c10::DebugInfoKind::PROFILER_STATE, clock_),
      calls_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(&begin_call, &end_call)
              .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                       at::RecordScope::USER_SCOPE}))) {}

TimeWatch::~TimeWatch() { at::removeCallback(calls_); }

PerWork TimeWatch::seconds() { return clock_->seconds(); }

Batch WatchedBatches::at(std::int64_t number) {
  RECORD_USER_SCOPE("zoo::data");
  return batches_.at(number);
}

PerWork percentages(const PerWork& seconds) {
  const auto total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  PerWork tenths = {};
  if (total <= 0.0) return tenths;
  std::vector<std::pair<double, std::size_t>> remainders;
  auto missing = 1000;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const auto exact = 1e3 * seconds[i] / total;
    tenths[i] = std::floor(exact);
    missing -= static_cast<int>(tenths[i]);
    remainders.emplace_back(tenths[i] - exact, i);
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t i = 0; static_cast<int>(i) < missing; ++i) tenths[remainders[i].second] += 1.0;
  for (auto& share : tenths) share /= 10.0;
  return tenths;
}

}  // namespace zoo
