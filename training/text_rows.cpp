#include "training/text_rows.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "core/errors.h"

namespace zoo {

namespace {

/// Every batch leaves more pages of a mapped file in memory; after so many they are given back.
constexpr std::int64_t kGathersBetweenReleases = 16;

/// A split's tokens as a tensor that shares their memory and keeps it alive: [N].
torch::Tensor as_tensor(const TokenStream& tokens) {
  const auto type = tokens.width() == 1   ? torch::kUInt8
                    : tokens.width() == 2 ? torch::kInt16  // widened by unsigned_ids
                                          : torch::kInt32;
  return torch::from_blob(
      const_cast<void*>(tokens.data()), {tokens.size()}, [owner = tokens.owner()](void*) {}, type);
}

/// Ids of any width -> int64.
torch::Tensor unsigned_ids(const torch::Tensor& ids) {
  const auto wide = ids.to(torch::kInt64);
  return ids.scalar_type() == torch::kInt16 ? wide.bitwise_and(0xFFFF) : wide;
}

/// One example of a split: [begin, end) of its stream, and its separator, or -1.
struct ExampleSpan {
  std::int64_t begin, separator, end;
};

ExampleSpan example_of(const TextSplit& split, std::size_t number) {
  const auto separator = split.separators.empty() ? -1 : split.separators[number];
  return {split.starts[number], separator, split.starts[number + 1]};
}

/// Positions that a model needs for it.
std::int64_t positions_of(const ExampleSpan& example, RowLayout layout) {
  switch (layout) {
    case RowLayout::kSourceAndTarget:
      return std::max(example.separator - example.begin, example.end - example.separator);
    case RowLayout::kClosed:
      return example.end - example.begin + 1;
    case RowLayout::kContinuous:
    case RowLayout::kTargets:
      break;
  }
  return example.end - example.begin;
}

/// A split of pairs without the end of those sources that make an example longer than `width`.
TextSplit with_short_sources(const TextSplit& split, const RowOptions& options) {
  TextSplit cut = split;
  std::vector<std::int32_t> tokens;
  const auto copy = [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) tokens.push_back(static_cast<std::int32_t>(split.tokens[i]));
  };
  for (std::size_t i = 0; i < split.separators.size(); ++i) {
    const auto example = example_of(split, i);
    const auto measured = options.layout == RowLayout::kSourceAndTarget
                              ? example.separator - example.begin
                              : positions_of(example, options.layout);
    const auto excess = std::max<std::int64_t>(measured - options.width, 0);
    // Where the target alone is too long, the source goes to its last token and no further.
    const auto kept = std::max(example.begin + 2, example.separator - excess);
    cut.starts[i] = static_cast<std::int64_t>(tokens.size());
    copy(example.begin, std::min(kept, example.separator));
    cut.separators[i] = static_cast<std::int64_t>(tokens.size());
    copy(example.separator, example.end);
  }
  cut.starts.back() = static_cast<std::int64_t>(tokens.size());
  copy(split.starts.back(), split.starts.back() + 1);
  cut.tokens = TokenStream(std::move(tokens));
  return cut;
}

}  // namespace

TextRows::TextRows(const TextSplit& whole, const RowOptions& options, torch::Device device)
    : options_(options), device_(device) {
  const bool cut_sources = options.long_lines == LongLines::kCut && options.width > 0 &&
                           options.view == TextView::kLines && !whole.separators.empty();
  const auto cut = cut_sources ? with_short_sources(whole, options) : TextSplit();
  const auto& split = cut_sources ? cut : whole;
  switch (options.view) {
    case TextView::kLines:
      cut_lines(split);
      break;
    case TextView::kWindows:
      predicted_ = split.tokens.size() - 1;
      windows_ = (predicted_ + options.width - 1) / options.width;
      break;
    case TextView::kPrefixes:
      cut_prefixes(split);
      break;
  }
  require<UserError>(size() > 0, "data: the ", split.name, " split has no row that fits");
  keep_on_device(split);
}

void TextRows::keep_on_device(const TextSplit& split) {
  const auto there = [this](const std::vector<std::int64_t>& numbers) {
    return numbers.empty() ? torch::Tensor() : torch::tensor(numbers, torch::kInt64).to(device_);
  };
  split_tokens_ = split.tokens;
  tokens_ = as_tensor(split.tokens).to(device_);
  begins_ = there(host_begins_);
  lengths_there_ = there(lengths_);
  separators_ = there(host_separators_);
  labels_ = there(host_labels_);
  host_begins_ = {};
  host_labels_ = {};
}

void TextRows::add(std::int64_t begin, std::int64_t length) {
  host_begins_.push_back(begin);
  lengths_.push_back(length);
}

void TextRows::cut_lines(const TextSplit& split) {
  for (std::size_t line = 0; line + 1 < split.starts.size(); ++line) {
    const auto example = example_of(split, line);
    auto length = example.end - example.begin;
    const auto positions = positions_of(example, options_.layout);
    if (options_.width > 0 && positions > options_.width) {
      if (options_.long_lines == LongLines::kSkip) continue;
      const bool pair = example.separator >= 0;
      if (pair || options_.long_lines == LongLines::kRefuse) refuse_line(split, line);
      length -= positions - options_.width;
    }
    add(example.begin, length);
    if (example.separator >= 0) host_separators_.push_back(example.separator - example.begin);
    if (!split.labels.empty()) host_labels_.push_back(split.labels[line]);
  }
}

void TextRows::refuse_line(const TextSplit& split, std::size_t line) const {
  std::int64_t longest = 0;
  for (std::size_t i = 0; i + 1 < split.starts.size(); ++i) {
    longest = std::max(longest, positions_of(example_of(split, i), options_.layout));
  }
  const auto example = example_of(split, line);
  std::string parts;
  if (example.separator >= 0) {
    parts = text_of(" (source ", example.separator - example.begin - 1, ", target ",
                    example.end - example.separator - 1, ")");
  }
  const bool cut = options_.long_lines == LongLines::kCut;
  throw UserError(text_of("data: ", split.place_of(static_cast<std::int64_t>(line)), " needs ",
                          positions_of(example, options_.layout), " positions", parts,
                          " and model.block_size is ", options_.width,
                          cut ? ": its target alone is too long" : "", "; set model.block_size to ",
                          longest, " or data.long_lines to skip", cut ? "" : " or cut"));
}

bool TextRows::widths_vary() const {
  return options_.view == TextView::kLines &&
         std::adjacent_find(lengths_.begin(), lengths_.end(), std::not_equal_to<>()) !=
             lengths_.end();
}

void TextRows::make_room_for_shift() {
  if (options_.view != TextView::kWindows) return;
  require<UserError>(predicted_ >= options_.width, "data: the train split has ", predicted_,
                     " predicted tokens, fewer than one block of ", options_.width,
                     "; use more text or a smaller model.block_size");
  windows_ = std::max<std::int64_t>(1, (predicted_ + 1) / options_.width - 1);
  largest_shift_ = std::min(options_.width - 1, predicted_ - windows_ * options_.width);
}

void TextRows::cut_prefixes(const TextSplit& split) {
  for (std::size_t line = 0; line + 1 < split.starts.size(); ++line) {
    const auto example = example_of(split, line);
    const bool pair = options_.layout == RowLayout::kTargets;
    if (pair && example.end - example.begin > options_.width) {
      if (options_.long_lines == LongLines::kSkip) continue;
      if (options_.long_lines == LongLines::kRefuse) refuse_line(split, line);
    }
    const auto last_given = pair ? example.separator : example.begin;
    for (auto target = last_given + 1; target <= example.end; ++target) {
      const auto length = std::min(options_.width, target - example.begin);
      add(target - length, length);
    }
  }
}

std::vector<std::int64_t> TextRows::ordered(RowOrder order) const {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(size()));
  std::iota(rows.begin(), rows.end(), 0);
  if (order == RowOrder::kAsGiven) return rows;
  std::stable_sort(rows.begin(), rows.end(),
                   [this](std::int64_t a, std::int64_t b) { return length(a) < length(b); });
  return rows;
}

RowSpans TextRows::spans(const std::vector<std::int64_t>& rows, const torch::Tensor& rows_on_device,
                         std::int64_t first, std::int64_t count, std::int64_t shift) const {
  RowSpans spans;
  const bool closed = options_.layout == RowLayout::kClosed && options_.view == TextView::kLines;
  for (auto i = first; i < first + count; ++i) {
    const auto row = rows[static_cast<std::size_t>(i)];
    auto tokens = length(row) + (closed ? 1 : 0);
    if (options_.layout == RowLayout::kSourceAndTarget) {
      const auto separator = host_separators_[static_cast<std::size_t>(row)];
      spans.source.add(separator);  // its tokens and its end
      tokens -= separator;
    }
    spans.tokens.add(tokens);
  }
  const auto chosen = rows_on_device.narrow(0, first, count);
  if (options_.view == TextView::kWindows) {
    spans.begins = chosen * options_.width;
    spans.lengths = (predicted_ - spans.begins).clamp_max(options_.width);
    if (shift != 0) spans.begins = spans.begins + shift;
    return spans;
  }
  spans.begins = begins_.index_select(0, chosen);
  spans.lengths = lengths_there_.index_select(0, chosen);
  if (separators_.defined()) spans.separators = separators_.index_select(0, chosen);
  if (labels_.defined()) spans.labels = labels_.index_select(0, chosen);
  return spans;
}

torch::Tensor TextRows::tokens_at(const torch::Tensor& first, std::int64_t width) const {
  const auto offsets = torch::arange(width, first.options());
  // What lies outside the row, or the stream, is overwritten afterwards.
  const auto at = (first.unsqueeze(1) + offsets).clamp(0, tokens_.size(0) - 1);  // [B, width]
  return unsigned_ids(tokens_.index_select(0, at.flatten())).view(at.sizes());   // [B, width]
}

Batch TextRows::gather(const RowSpans& spans) const {
  if (++gathered_ % kGathersBetweenReleases == 0) split_tokens_.release();
  if (options_.view == TextView::kPrefixes) return gather_prefixes(spans);
  if (options_.layout == RowLayout::kClosed) return gather_closed(spans);
  if (options_.layout == RowLayout::kSourceAndTarget) {
    auto batch = gather_continuous(spans.begins + spans.separators,
                                   spans.lengths - spans.separators, spans.tokens);
    add_source(spans, batch.inputs);
    return batch;
  }
  auto batch = gather_continuous(spans.begins, spans.lengths, spans.tokens);
  if (options_.layout == RowLayout::kTargets) {
    const auto places = torch::arange(spans.tokens.longest, spans.begins.options());
    const auto source = places < spans.separators.unsqueeze(1);  // [B, T]
    batch.targets = batch.targets.masked_fill(source, kIgnored);
  }
  return batch;
}

Batch TextRows::gather_continuous(const torch::Tensor& first, const torch::Tensor& lengths,
                                  const Extent& extent) const {
  const auto width = extent.longest;
  const auto found = tokens_at(first, width + 1);  // [B, T+1]
  Batch batch;
  batch.inputs.tokens = found.narrow(1, 0, width);  // [B, T]
  batch.targets = found.narrow(1, 1, width);        // [B, T]
  if (extent.shortest == width) return batch;
  const auto padding = torch::arange(width, first.options()) >= lengths.unsqueeze(1);  // [B, T]
  batch.inputs.tokens = batch.inputs.tokens.masked_fill(padding, options_.pad_id);
  batch.targets = batch.targets.masked_fill(padding, kIgnored);
  batch.inputs.lengths = lengths;
  return batch;
}

Batch TextRows::gather_prefixes(const RowSpans& spans) const {
  const auto width = options_.width;
  const auto found = tokens_at(spans.begins + spans.lengths - width, width + 1);  // [B, T+1]
  Batch batch;
  batch.inputs.tokens = found.narrow(1, 0, width);  // [B, T]
  batch.targets = found.select(1, width);           // [B]
  if (spans.tokens.shortest == width) return batch;
  const auto places = torch::arange(width, spans.begins.options());
  const auto padding = places < width - spans.lengths.unsqueeze(1);  // [B, T]
  batch.inputs.tokens = batch.inputs.tokens.masked_fill(padding, options_.pad_id);
  batch.inputs.lengths = spans.lengths;
  batch.inputs.left_padded = true;
  return batch;
}

Batch TextRows::gather_closed(const RowSpans& spans) const {
  const auto width = spans.tokens.longest;
  const auto places = torch::arange(width, spans.begins.options());  // [T]
  Batch batch;
  auto& inputs = batch.inputs;
  inputs.tokens = tokens_at(spans.begins, width);  // [B, T]
  auto lengths = spans.lengths;
  if (options_.view == TextView::kLines) {
    const auto end = places == lengths.unsqueeze(1);  // [B, T]
    inputs.tokens = inputs.tokens.masked_fill(end, options_.separator_id);
    lengths = lengths + 1;
  }
  if (spans.tokens.shortest < width) {
    const auto padding = places >= lengths.unsqueeze(1);  // [B, T]
    inputs.tokens = inputs.tokens.masked_fill(padding, options_.pad_id);
    inputs.lengths = lengths;
  }
  if (spans.separators.defined()) {
    inputs.segments = (places > spans.separators.unsqueeze(1)).to(torch::kInt64);  // [B, T]
  }
  batch.targets = spans.labels;
  return batch;
}

void TextRows::add_source(const RowSpans& spans, Inputs& inputs) const {
  const auto width = spans.source.longest;
  const auto places = torch::arange(width, spans.begins.options());
  const auto end_and_padding = places >= spans.separators.unsqueeze(1) - 1;  // [B, S]
  inputs.source =
      tokens_at(spans.begins + 1, width).masked_fill(end_and_padding, options_.source_pad_id);
  if (spans.source.shortest < width) inputs.source_lengths = spans.separators;  // [B]
}

}  // namespace zoo
