#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <torch/types.h>

#include "text/text_data.h"
#include "training/batch.h"

namespace zoo {

/// How a split is cut into rows.
struct RowOptions {
  TextView view = TextView::kLines;
  std::int64_t width = 0;  ///< most tokens of a row: block or window; 0 only for lines: any length
  LongLines long_lines = LongLines::kRefuse;
  std::int64_t pad_id = 0;
  bool only_targets = false;  ///< of pairs, what follows the separator is predicted, not the source
};

/// A row: real tokens [begin, begin + length) of the stream.
struct RowSpans {
  torch::Tensor begins;      // [B] int64
  torch::Tensor lengths;     // [B] int64
  torch::Tensor separators;  // [B] int64, offset in the row; undefined where all is predicted
  std::int64_t longest = 0;  // known on the host, so that nothing waits for the device
  std::int64_t shortest = 0;
};

/// The rows of one split, its tokens on the device from the start and gathered by index; on the CPU
/// they stay where the split has them.
///
/// Lines and windows have a target at each position and are padded on the right; prefixes have one
/// target, the token after the row, and are padded on the left to the full width.
class TextRows {
 public:
  /// Throws UserError for an example that is longer than the width, unless such ones are skipped or
  /// cut: a line loses its end, a pair the end of its source.
  TextRows(const TextSplit& split, const RowOptions& options, torch::Device device);

  std::int64_t size() const {
    return options_.view == TextView::kWindows ? windows_
                                               : static_cast<std::int64_t>(lengths_.size());
  }

  /// The spans of rows[first .. first + count), `shift` tokens further on.
  RowSpans spans(const std::vector<std::int64_t>& rows, const torch::Tensor& rows_on_device,
                 std::int64_t first, std::int64_t count, std::int64_t shift) const;
  Batch gather(const RowSpans& spans) const;

  /// Tokens of a row.
  std::int64_t length(std::int64_t row) const {
    if (options_.view != TextView::kWindows) return lengths_[static_cast<std::size_t>(row)];
    return std::min(options_.width, predicted_ - row * options_.width);
  }
  /// Whether a batch is as wide as its longest row, and some are longer than others.
  bool widths_vary() const;
  /// Row numbers, shortest row first.
  std::vector<std::int64_t> by_length() const;
  /// How far the rows may be shifted: windows fall elsewhere in each epoch; 0 for the others.
  std::int64_t largest_shift() const { return largest_shift_; }
  /// Drops the last rows until they may be shifted by up to a row's width.
  void make_room_for_shift();
  torch::Device device() const { return device_; }

 private:
  void cut_lines(const TextSplit& split);
  [[noreturn]] void refuse_line(const TextSplit& split, std::size_t line) const;
  void cut_prefixes(const TextSplit& split);
  void add(std::int64_t begin, std::int64_t length);

  RowOptions options_;
  torch::Device device_;
  TokenStream split_tokens_;
  torch::Tensor tokens_;         // [N], 1, 2 or 4 bytes each, of split_tokens_ on the CPU
  torch::Tensor begins_;         // [R] int64
  torch::Tensor lengths_there_;  // [R] int64
  torch::Tensor separators_;     // [R] int64 or undefined
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> host_begins_, host_separators_;  // until the tensors are made
  std::int64_t windows_ = 0;    // of running text, all of the full width but the last
  std::int64_t predicted_ = 0;  // tokens of it that have one before them
  std::int64_t largest_shift_ = 0;
  mutable std::int64_t gathered_ = 0;
};

}  // namespace zoo
