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

/// A split of pairs without the end of those sources that make an example longer than `width`.
TextSplit with_short_sources(const TextSplit& split, std::int64_t width) {
  TextSplit cut = split;
  std::vector<std::int32_t> tokens;
  const auto copy = [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) tokens.push_back(static_cast<std::int32_t>(split.tokens[i]));
  };
  for (std::size_t i = 0; i < split.separators.size(); ++i) {
    const auto begin = split.starts[i];
    const auto end = split.starts[i + 1];
    const auto excess = std::max<std::int64_t>(end - begin - width, 0);
    // Where the target alone is too long, the source goes to its last token and no further.
    const auto kept = std::max(begin + 2, split.separators[i] - excess);
    cut.starts[i] = static_cast<std::int64_t>(tokens.size());
    copy(begin, std::min(kept, split.separators[i]));
    cut.separators[i] = static_cast<std::int64_t>(tokens.size());
    copy(split.separators[i], end);
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
  const auto cut = cut_sources ? with_short_sources(whole, options.width) : TextSplit();
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
  split_tokens_ = split.tokens;
  tokens_ = as_tensor(split.tokens).to(device);
  begins_ = torch::tensor(host_begins_, torch::kInt64).to(device);
  host_begins_ = {};
  lengths_there_ = torch::tensor(lengths_, torch::kInt64).to(device);
  if (options.only_targets) {
    separators_ = torch::tensor(host_separators_, torch::kInt64).to(device);
    host_separators_ = {};
  }
}

void TextRows::add(std::int64_t begin, std::int64_t length) {
  host_begins_.push_back(begin);
  lengths_.push_back(length);
}

void TextRows::cut_lines(const TextSplit& split) {
  for (std::size_t line = 0; line + 1 < split.starts.size(); ++line) {
    const auto begin = split.starts[line];
    auto length = split.starts[line + 1] - begin;
    if (options_.width > 0 && length > options_.width) {
      if (options_.long_lines == LongLines::kSkip) continue;
      const bool pair = !split.separators.empty();
      if (pair || options_.long_lines == LongLines::kRefuse) refuse_line(split, line);
      length = options_.width;
    }
    add(begin, length);
    if (options_.only_targets) host_separators_.push_back(split.separators[line] - begin);
  }
}

void TextRows::refuse_line(const TextSplit& split, std::size_t line) const {
  std::int64_t longest = 0;
  for (std::size_t i = 0; i + 1 < split.starts.size(); ++i) {
    longest = std::max(longest, split.starts[i + 1] - split.starts[i]);
  }
  const auto begin = split.starts[line];
  const auto end = split.starts[line + 1];
  std::string parts;
  if (!split.separators.empty()) {
    const auto separator = split.separators[line];
    parts = text_of(" (source ", separator - begin - 1, ", target ", end - separator - 1, ")");
  }
  const bool cut = options_.long_lines == LongLines::kCut;
  throw UserError(text_of("data: ", split.place_of(static_cast<std::int64_t>(line)), " needs ",
                          end - begin, " positions", parts, " and model.block_size is ",
                          options_.width, cut ? ": its target alone is too long" : "",
                          "; set model.block_size to ", longest, " or data.long_lines to skip",
                          cut ? "" : " or cut"));
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
    for (auto target = split.starts[line] + 1; target <= split.starts[line + 1]; ++target) {
      const auto length = std::min(options_.width, target - split.starts[line]);
      add(target - length, length);
    }
  }
}

std::vector<std::int64_t> TextRows::by_length() const {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [this](std::int64_t a, std::int64_t b) { return length(a) < length(b); });
  return order;
}

RowSpans TextRows::spans(const std::vector<std::int64_t>& rows, const torch::Tensor& rows_on_device,
                         std::int64_t first, std::int64_t count, std::int64_t shift) const {
  RowSpans spans;
  spans.shortest = std::numeric_limits<std::int64_t>::max();
  for (auto i = first; i < first + count; ++i) {
    const auto tokens = length(rows[static_cast<std::size_t>(i)]);
    spans.longest = std::max(spans.longest, tokens);
    spans.shortest = std::min(spans.shortest, tokens);
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
  if (++gathered_ % kGathersBetweenReleases == 0) split_tokens_.release();
  const auto at = (first.unsqueeze(1) + offsets).clamp(0, tokens_.size(0) - 1);  // [B, T+1]
  const auto found =
      unsigned_ids(tokens_.index_select(0, at.flatten())).view(at.sizes());  // [B, T+1]

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
  if (spans.separators.defined()) {
    const auto source = offsets.narrow(0, 0, width) < spans.separators.unsqueeze(1);  // [B, T]
    batch.targets = batch.targets.masked_fill(source, kIgnored);
  }
  return batch;
}

}  // namespace zoo
