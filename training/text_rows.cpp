#include "training/text_rows.h"

#include <algorithm>
#include <numeric>

#include "core/errors.h"

namespace zoo {

TextRows::TextRows(const TextSplit& split, const RowOptions& options, torch::Device device)
    : options_(options), device_(device) {
  switch (options.view) {
    case TextView::kLines:
      cut_lines(split);
      break;
    case TextView::kWindows:
      cut_windows(split);
      break;
    case TextView::kPrefixes:
      cut_prefixes(split);
      break;
  }
  require<UserError>(!lengths_.empty(), "data: the ", split.name, " split has no row that fits");
  tokens_ = torch::tensor(split.tokens, torch::kInt32).to(device);
  begins_ = torch::tensor(host_begins_, torch::kInt64).to(device);
  lengths_there_ = torch::tensor(lengths_, torch::kInt64).to(device);
}

void TextRows::add(std::int64_t begin, std::int64_t length) {
  host_begins_.push_back(begin);
  lengths_.push_back(length);
}

void TextRows::cut_lines(const TextSplit& split) {
  for (std::size_t line = 0; line + 1 < split.starts.size(); ++line) {
    const auto length = split.starts[line + 1] - split.starts[line];
    if (options_.width == 0 || length <= options_.width) {
      add(split.starts[line], length);
    } else if (options_.long_lines == LongLines::kCut) {
      add(split.starts[line], options_.width);
    } else if (options_.long_lines == LongLines::kRefuse) {
      std::int64_t longest = 0;
      for (std::size_t i = 0; i + 1 < split.starts.size(); ++i) {
        longest = std::max(longest, split.starts[i + 1] - split.starts[i]);
      }
      throw UserError(text_of("data: line ", line + 1, " of the ", split.name, " split needs ",
                              length, " positions and model.block_size is ", options_.width,
                              "; set model.block_size to ", longest,
                              " or data.long_lines to skip or cut"));
    }
  }
}

void TextRows::cut_windows(const TextSplit& split) {
  const auto predicted = static_cast<std::int64_t>(split.tokens.size()) - 1;
  for (std::int64_t begin = 0; begin < predicted; begin += options_.width) {
    add(begin, std::min(options_.width, predicted - begin));
  }
}

void TextRows::make_room_for_shift() {
  if (options_.view != TextView::kWindows) return;
  const auto predicted = tokens_.size(0) - 1;
  require<UserError>(predicted >= options_.width, "data: the train split has ", predicted,
                     " predicted tokens, fewer than one block of ", options_.width,
                     "; use more text or a smaller model.block_size");
  const auto windows = std::max<std::int64_t>(1, (predicted + 1) / options_.width - 1);
  lengths_.resize(static_cast<std::size_t>(windows));
  largest_shift_ = std::min(options_.width - 1, predicted - windows * options_.width);
}

void TextRows::cut_prefixes(const TextSplit& split) {
  for (std::size_t line = 0; line + 1 < split.starts.size(); ++line) {
    for (auto target = split.starts[line] + 1; target <= split.starts[line + 1]; ++target) {
      const auto length = std::min(options_.width, target - split.starts[line]);
      add(target - length, length);
    }
  }
}

std::vector<std::int64_t> TextRows::by_length() const {
  std::vector<std::int64_t> order(lengths_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](std::int64_t a, std::int64_t b) {
    return lengths_[static_cast<std::size_t>(a)] < lengths_[static_cast<std::size_t>(b)];
  });
  return order;
}

RowSpans TextRows::spans(const std::vector<std::int64_t>& rows, const torch::Tensor& rows_on_device,
                         std::int64_t first, std::int64_t count, std::int64_t shift) const {
  RowSpans spans;
  spans.shortest = std::numeric_limits<std::int64_t>::max();
  for (auto i = first; i < first + count; ++i) {
    const auto length = lengths_[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
    spans.longest = std::max(spans.longest, length);
    spans.shortest = std::min(spans.shortest, length);
  }
  const auto chosen = rows_on_device.narrow(0, first, count);
  spans.begins = begins_.index_select(0, chosen);
  if (shift != 0) spans.begins = spans.begins + shift;
  spans.lengths = lengths_there_.index_select(0, chosen);
  return spans;
}

Batch TextRows::gather(const RowSpans& spans) const {
  const bool prefixes = options_.view == TextView::kPrefixes;
  const auto width = prefixes ? options_.width : spans.longest;
  const bool padded = spans.shortest < width;

  // The real tokens of a row and the one after them; what lies outside is overwritten below.
  auto first = spans.begins;
  if (prefixes && padded) first = first + spans.lengths - width;
  const auto offsets = torch::arange(width + 1, first.options());
  const auto at = (first.unsqueeze(1) + offsets).clamp(0, tokens_.size(0) - 1);  // [B, T+1]
  const auto found =
      tokens_.index_select(0, at.flatten()).view(at.sizes()).to(torch::kInt64);  // [B, T+1]

  Batch batch;
  batch.inputs.tokens = found.narrow(1, 0, width);                                // [B, T]
  batch.targets = prefixes ? found.select(1, width) : found.narrow(1, 1, width);  // [B] or [B, T]
  if (padded) {
    const auto position = offsets.narrow(0, 0, width);
    const auto lengths = spans.lengths.unsqueeze(1);
    const auto padding = prefixes ? position < width - lengths : position >= lengths;  // [B, T]
    batch.inputs.tokens = batch.inputs.tokens.masked_fill(padding, options_.pad_id);
    if (!prefixes) batch.targets = batch.targets.masked_fill(padding, kIgnored);
    batch.inputs.lengths = spans.lengths;
    batch.inputs.left_padded = prefixes;
  }
  return batch;
}

}  // namespace zoo
