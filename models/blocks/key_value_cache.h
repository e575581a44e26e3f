#pragma once

#include <cstdint>

#include <torch/types.h>

namespace zoo {

/// Keys and values that queries attend to.
struct KeyValues {
  torch::Tensor keys;    ///< [B, H, S, D]
  torch::Tensor values;  ///< [B, H, S, D]

  /// Keeps these rows, in this order: rows [B'] int64.
  void select_rows(const torch::Tensor& rows);
};

/// Those of texts that are being written, in memory that is set aside ahead of them.
class KeyValueCache {
 public:
  /// Keeps the last `most` tokens; 0: all.
  explicit KeyValueCache(std::int64_t most = 0) : most_(most) {}

  /// Makes room for T more tokens, in sizes [B, H, T, D], and forgets the oldest beyond `most` ->
  /// all that are kept, of which the last T are still to be written.
  KeyValues extend(at::IntArrayRef sizes, const torch::TensorOptions& options);
  /// Adds tokens [B, H, T, D] -> all that are kept.
  KeyValues append(const torch::Tensor& keys, const torch::Tensor& values);
  /// Keeps these rows, in this order: rows [B'] int64.
  void select_rows(const torch::Tensor& rows);

 private:
  KeyValues kept() const;

  std::int64_t most_;
  KeyValues room_;  // [B, H, capacity, D]; tokens first_ .. end_ - 1 are there
  std::int64_t first_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace zoo
