#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <torch/types.h>

#include "text/text_data.h"
#include "training/batch.h"

namespace zoo {

/// What a row holds of an example.
enum class RowLayout {
  kContinuous,       ///< `$emma`, with the token after each as its target
  kTargets,          ///< the same of pairs, `$two[SEP]iki`, but sources are not predicted
  kSourceAndTarget,  ///< `two$` as Inputs.source, `[SEP]iki` as tokens, the one after each as
                     ///< target
  kClosed,           ///< `[CLS]emma[SEP]` and the class of the example, if any; no other target
};

/// How rows are ordered where all are read once.
enum class RowOrder {
  kByLength,  ///< so that little is padding
  kAsGiven,   ///< as they stand in the data
};

/// How a split is cut into rows.
struct RowOptions {
  TextView view = TextView::kLines;
  RowLayout layout = RowLayout::kContinuous;
  std::int64_t width = 0;  ///< most tokens of a row: block or window; 0 only for lines: any length
  LongLines long_lines = LongLines::kRefuse;
  std::int64_t pad_id = 0;
  std::int64_t source_pad_id = 0;
  std::int64_t separator_id = -1;  ///< closes rows
};

/// The longest and the shortest of some rows; known on the host, so that nothing waits for the
/// device.
struct Extent {
  std::int64_t longest = 0;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();

  void add(std::int64_t length) {
    longest = std::max(longest, length);
    shortest = std::min(shortest, length);
  }
};

/// Rows: real tokens [begin, begin + length) of the stream.
struct RowSpans {
  torch::Tensor begins;      // [B] int64
  torch::Tensor lengths;     // [B] int64
  torch::Tensor separators;  // [B] int64, offset in the row; undefined: there are none
  torch::Tensor labels;      // [B] int64; undefined: there are none
  Extent tokens;             // of what becomes Inputs.tokens
  Extent source;             // of what becomes Inputs.source
};

/// The rows of one split, its tokens on the device from the start and gathered by index; on the CPU
/// they stay where the split has them.
///
/// Lines and windows are padded on the right; prefixes have one target, the token after the row,
/// and are padded on the left to the full width. Of pairs all prefixes end in the target; where the
/// width is too small and pairs are cut, their source loses its beginning.
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
  std::vector<std::int64_t> ordered(RowOrder order) const;
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
  void keep_on_device(const TextSplit& split);

  /// Tokens of the stream [first, first + width) of each row: [B, width] int64.
  torch::Tensor tokens_at(const torch::Tensor& first, std::int64_t width) const;
  Batch gather_prefixes(const RowSpans& spans) const;
  Batch gather_closed(const RowSpans& spans) const;
  /// Rows of `lengths` tokens from `first` on, each with the token after it as its target.
  Batch gather_continuous(const torch::Tensor& first, const torch::Tensor& lengths,
                          const Extent& extent) const;
  void add_source(const RowSpans& spans, Inputs& inputs) const;

  RowOptions options_;
  torch::Device device_;
  TokenStream split_tokens_;
  torch::Tensor tokens_;         // [N], 1, 2 or 4 bytes each, of split_tokens_ on the CPU
  torch::Tensor begins_;         // [R] int64
  torch::Tensor lengths_there_;  // [R] int64
  torch::Tensor separators_;     // [R] int64 or undefined
  torch::Tensor labels_;         // [R] int64 or undefined
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> host_separators_;            // offsets in the rows; of pairs only
  std::vector<std::int64_t> host_begins_, host_labels_;  // until the tensors are made
  std::int64_t windows_ = 0;    // of running text, all of the full width but the last
  std::int64_t predicted_ = 0;  // tokens of it that have one before them
  std::int64_t largest_shift_ = 0;
  mutable std::int64_t gathered_ = 0;
};

}  // namespace zoo
