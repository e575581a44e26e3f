#include "models/blocks/key_value_cache.h"

#include <algorithm>

namespace zoo {
namespace {

/// Tokens that there is room for at first.
constexpr std::int64_t kLeastCapacity = 32;

}  // namespace

void KeyValues::select_rows(const torch::Tensor& rows) {
  keys = keys.index_select(0, rows);
  values = values.index_select(0, rows);
}

KeyValues KeyValueCache::kept() const {
  return {room_.keys.narrow(2, first_, end_ - first_),
          room_.values.narrow(2, first_, end_ - first_)};
}

KeyValues KeyValueCache::extend(at::IntArrayRef sizes, const torch::TensorOptions& options) {
  const auto T = sizes[2];
  if (most_ > 0) first_ = std::max(first_, end_ + T - most_);
  const auto capacity = room_.keys.defined() ? room_.keys.size(2) : 0;
  if (end_ + T > capacity) {
    // Twice what is kept, so that moving it costs a token little, however many there will be.
    const auto length = end_ - first_;
    const auto larger = std::max(2 * (length + T), kLeastCapacity);
    const auto moved = [&](const torch::Tensor& old) {
      auto room = torch::empty({sizes[0], sizes[1], larger, sizes[3]}, options);
      if (length > 0) room.narrow(2, 0, length).copy_(old.narrow(2, first_, length));
      return room;
    };
    room_ = {moved(room_.keys), moved(room_.values)};
    first_ = 0;
    end_ = length;
  }
  end_ += T;
  return kept();
}

KeyValues KeyValueCache::append(const torch::Tensor& keys, const torch::Tensor& values) {
  const auto all = extend(keys.sizes(), keys.options());
  const auto T = keys.size(2);
  const auto S = all.keys.size(2);
  all.keys.narrow(2, S - T, T).copy_(keys);
  all.values.narrow(2, S - T, T).copy_(values);
  return all;
}

void KeyValueCache::select_rows(const torch::Tensor& rows) {
  if (room_.keys.defined()) room_.select_rows(rows);
}

}  // namespace zoo
