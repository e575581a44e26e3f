#include "tests/fuzz/json_mutator.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace zoo {
namespace {

using Json = nlohmann::json;
using Random = std::minstd_rand;

std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

/// Every value of a document, containers before what is in them.
std::vector<Json*> values_of(Json& document) {
  std::vector<Json*> values{&document};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]->is_structured()) continue;
    for (auto& item : *values[i]) values.push_back(&item);
  }
  return values;
}

std::string mutated_text(std::string text) {
  const auto size = text.size();
  text.resize(size + 16);
  const auto mutated =
      LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size());
  text.resize(mutated);
  return text;
}

void change_scalar(Json& value, Random& random) {
  if (value.is_boolean()) {
    value = !value.get<bool>();
  } else if (value.is_string()) {
    value = mutated_text(value.get<std::string>());
  } else if (value.is_number_integer()) {
    const std::int64_t far[] = {-1, 0, 1, 1 << 20, std::numeric_limits<std::int64_t>::max()};
    const auto near = static_cast<std::uint64_t>(value.get<std::int64_t>()) + below(random, 5) - 2;
    value = below(random, 4) == 0 ? far[below(random, std::size(far))]
                                  : static_cast<std::int64_t>(near);
  } else {
    const Json others[] = {nullptr, true, "", 0, 1.5, Json::array(), Json::object()};
    value = others[below(random, std::size(others))];
  }
}

void remove_one(Json& container, Random& random) {
  if (container.empty()) return;
  const auto at = static_cast<std::ptrdiff_t>(below(random, container.size()));
  container.erase(std::next(container.begin(), at));
}

void add_one(Json& container, const Json& value, Random& random) {
  if (container.is_array()) {
    container.push_back(value);
  } else if (value.is_string() && below(random, 2) == 0) {
    container[value.get<std::string>()] = container.size();
  } else if (!container.empty()) {
    const auto at = static_cast<std::ptrdiff_t>(below(random, container.size()));
    container[mutated_text(std::next(container.begin(), at).key())] = value;
  }
}

}  // namespace

std::string mutated_json(std::string_view text, unsigned seed) {
  auto document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return "";
  Random random(seed);
  const auto values = values_of(document);
  auto& value = *values[below(random, values.size())];
  const Json other = *values[below(random, values.size())];
  if (value.is_structured() && below(random, 4) != 0) {
    if (below(random, 2) == 0) {
      remove_one(value, random);
    } else {
      add_one(value, other, random);
    }
  } else if (below(random, 3) == 0) {
    value = other;
  } else {
    change_scalar(value, random);
  }
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::size_t mutate_json_head(std::uint8_t* data, std::size_t size, std::size_t max_size,
                             unsigned seed) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(bytes.find('\0'), size);
  // One in 16 stays libFuzzer's own, which knows the text behind the NUL too. Few: what is no JSON
  // any more after one change is none after the next either.
  auto mutated = seed % 16 == 0 ? "" : mutated_json(bytes.substr(0, end), seed / 16);
  mutated += bytes.substr(end);
  if (mutated.size() == size - end || mutated.size() > max_size) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  std::copy(mutated.begin(), mutated.end(), data);
  return mutated.size();
}

}  // namespace zoo
