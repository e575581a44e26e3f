#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace zoo {

/// Token ids one after another, in memory or in a mapped file. Immutable; copies share the ids.
class TokenStream {
 public:
  TokenStream() = default;
  TokenStream(std::vector<std::int32_t> tokens);
  TokenStream(std::initializer_list<std::int32_t> tokens)
      : TokenStream(std::vector<std::int32_t>(tokens)) {}
  /// `size` unsigned ids of `width` bytes each (1, 2 or 4) at `data`, which `owner` keeps alive;
  /// `release` gives the memory of its pages back, which are read again when they are needed.
  TokenStream(std::shared_ptr<const void> owner, const void* data, std::int64_t size, int width,
              std::function<void()> release = nullptr)
      : owner_(std::move(owner)),
        release_(std::move(release)),
        data_(data),
        size_(size),
        width_(width) {}

  std::int64_t size() const { return size_; }
  std::int64_t operator[](std::int64_t index) const;
  /// The ids [begin, end).
  std::vector<std::int64_t> range(std::int64_t begin, std::int64_t end) const;

  const void* data() const { return data_; }
  /// Bytes of an id.
  int width() const { return width_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  /// Gives back memory that a mapped file has taken; nothing happens to ids in memory.
  void release() const {
    if (release_) release_();
  }

 private:
  std::shared_ptr<const void> owner_;
  std::function<void()> release_;
  const void* data_ = nullptr;
  std::int64_t size_ = 0;
  int width_ = 4;
};

}  // namespace zoo
