#include "training/run_comparison.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/json_file.h"
#include "core/safetensors.h"
#include "training/checkpoint.h"
#include "training/metrics_file.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

template <class Value>
std::string value_at(const TensorEntry& tensor, std::size_t index) {
  Value value;
  std::memcpy(&value, tensor.bytes.data() + index * sizeof value, sizeof value);
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

std::string element(const TensorEntry& tensor, std::size_t index) {
  if (tensor.dtype == "F32") return value_at<float>(tensor, index);
  if (tensor.dtype == "F64") return value_at<double>(tensor, index);
  if (tensor.dtype == "I64") return value_at<std::int64_t>(tensor, index);
  return "another value";
}

/// "[3, 7]" of an element by its number.
std::string place_of(const TensorEntry& tensor, std::size_t index) {
  std::vector<std::size_t> place(tensor.shape.size());
  for (auto i = place.size(); i-- > 0;) {
    const auto size = static_cast<std::size_t>(tensor.shape[i]);
    place[i] = index % size;
    index /= size;
  }
  return Json(place).dump();
}

std::string difference_of(const TensorEntry& one, const TensorEntry& other) {
  if (one.name != other.name) return one.name + " and " + other.name;
  if (one.dtype != other.dtype || one.shape != other.shape) return one.name + ": another shape";
  const auto at = std::mismatch(one.bytes.begin(), one.bytes.end(), other.bytes.begin());
  if (at.first == one.bytes.end()) return "";
  const auto byte = static_cast<std::size_t>(at.first - one.bytes.begin());
  const auto index = byte / static_cast<std::size_t>(bytes_of_dtype(one.dtype));
  return text_of(one.name, " at ", place_of(one, index), ": ", element(one, index), " and ",
                 element(other, index));
}

/// Compares two things item by item; returns how many are equal, up to the first that is not.
class Differences {
 public:
  explicit Differences(std::string& first) : first_(first) {}

  std::int64_t tensors(const std::string& file, const Checkpoint& one, const Checkpoint& other) {
    const auto a = parse_safetensors(one.file(file), file).tensors;
    const auto b = parse_safetensors(other.file(file), file).tensors;
    return items(file, a.size(), b.size(), [&](auto i) { return difference_of(a[i], b[i]); });
  }

  std::int64_t texts(const std::string& name, const std::vector<std::string>& a,
                     const std::vector<std::string>& b) {
    return items(name, a.size(), b.size(),
                 [&](auto i) { return a[i] == b[i] ? "" : a[i] + " and " + b[i]; });
  }

 private:
  template <class DifferenceAt>
  std::int64_t items(const std::string& name, std::size_t count, std::size_t other_count,
                     DifferenceAt&& difference_at) {
    std::int64_t equal = 0;
    for (std::size_t i = 0; first_.empty() && i < std::min(count, other_count); ++i) {
      const std::string difference = difference_at(i);
      if (!difference.empty()) first_ = name + ": " + difference;
      equal += difference.empty() ? 1 : 0;
    }
    if (first_.empty() && count != other_count) {
      first_ = text_of(name, ": ", count, " and ", other_count, " entries");
    }
    return equal;
  }

  std::string& first_;
};

/// "random.cpu: ..." and the like: all of state.json but the clock, and what it was made with.
std::vector<std::string> states_of(const Checkpoint& checkpoint) {
  auto state = parse_json(checkpoint.file("state.json"), "state.json");
  state.erase("made_with");
  state["progress"].erase("seconds");
  std::vector<std::string> texts;
  const auto pointers = state.flatten();
  for (const auto& [place, value] : pointers.items()) texts.push_back(place + " " + value.dump());
  return texts;
}

/// Lines of metrics.jsonl without what depends on the clock.
std::vector<std::string> metrics_of(const fs::path& run) {
  const auto file = run / kMetricsFile;
  std::istringstream lines(read_file(file));
  std::vector<std::string> texts;
  for (std::string line; std::getline(lines, line);) {
    auto json = parse_json(line, file.string());
    json.erase("seconds");
    json.erase("tokens_per_second");
    texts.push_back(json.dump());
  }
  return texts;
}

}  // namespace

RunComparison compare_runs(const fs::path& one, const fs::path& other,
                           const std::string& identity) {
  const auto a = read_newest_checkpoint(one, identity);
  const auto b = read_newest_checkpoint(other, identity);
  RunComparison result;
  Differences differences(result.difference);
  if (a.step != b.step) result.difference = text_of("steps: ", a.step, " and ", b.step);
  result.lines = differences.texts(kMetricsFile, metrics_of(one), metrics_of(other));
  result.tensors = differences.tensors("model.safetensors", a, b);
  if (a.files.contains("optimizer.safetensors")) {  // a model that counts has none
    result.moments = differences.tensors("optimizer.safetensors", a, b);
  }
  result.states = differences.texts("state.json", states_of(a), states_of(b));
  return result;
}

}  // namespace zoo
