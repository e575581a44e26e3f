#include "models/shapes.h"

#include "core/errors.h"

namespace zoo {
namespace {

std::string shown(c10::ArrayRef<std::int64_t> sizes) {
  std::vector<std::string> parts;
  for (const auto size : sizes) parts.push_back(size == kAnySize ? "?" : std::to_string(size));
  return "[" + join(parts, ", ") + "]";
}

void expect_rows(const char* consumer, const char* name, const torch::Tensor& rows,
                 const torch::Tensor& lengths, std::int64_t block_size) {
  expect_shape(consumer, name, rows, {kAnySize, kAnySize});
  const auto T = rows.size(1);
  require<ShapeError>(T > 0, consumer, ": ", name, " have no position");
  require<ShapeError>(block_size == 0 || T <= block_size, consumer, ": ", name, " ",
                      shown(rows.sizes()), " are longer than block_size ", block_size);
  if (lengths.defined()) expect_shape(consumer, "lengths", lengths, {rows.size(0)});
}

// What follows counts with ones_like, so that tracing for export bakes neither B nor T.

/// 1, 2, ..., T for rows [B, T, ...]: [1, T].
torch::Tensor counted(const torch::Tensor& rows) {
  const auto one_row = rows.narrow(0, 0, 1);
  return torch::ones_like(rows.dim() == 2 ? one_row : one_row.select(2, 0), torch::kInt64)
      .cumsum(1);
}

/// x [B, T, ...] with each row turned `steps` [B, 1] places towards its start.
torch::Tensor turned(const torch::Tensor& x, const torch::Tensor& steps) {
  const auto places = counted(x);                                                       // [1, T]
  const auto from = (places - 1 + steps).remainder(places.select(1, -1).unsqueeze(1));  // [B, T]
  return x.gather(1, x.dim() == 2 ? from : from.unsqueeze(2).expand_as(x));
}

/// T - lengths [B, 1]: the padding of each row.
torch::Tensor padding_of(const torch::Tensor& x, const torch::Tensor& lengths) {
  return counted(x).select(1, -1).unsqueeze(1) - lengths.unsqueeze(1);
}

}  // namespace

void expect_shape(const char* consumer, const char* name, const torch::Tensor& tensor,
                  std::initializer_list<std::int64_t> sizes) {
  require<ShapeError>(tensor.defined(), consumer, ": needs ", name, " ", shown(sizes),
                      ", got none");
  bool matches = tensor.dim() == static_cast<std::int64_t>(sizes.size());
  std::int64_t dim = 0;
  for (const auto size : sizes) {
    if (!matches) break;
    matches = size == kAnySize || tensor.size(dim) == size;
    ++dim;
  }
  require<ShapeError>(matches, consumer, ": ", name, " must be ", shown(sizes), ", got ",
                      shown(tensor.sizes()));
}

void expect_tokens(const char* consumer, const Inputs& inputs, std::int64_t block_size) {
  expect_rows(consumer, "tokens", inputs.tokens, inputs.lengths, block_size);
}

void expect_source(const char* consumer, const Inputs& inputs, std::int64_t block_size) {
  expect_rows(consumer, "source", inputs.source, inputs.source_lengths, block_size);
}

void expect_step(const char* consumer, std::int64_t length, std::int64_t block_size) {
  require<ShapeError>(block_size == 0 || length < block_size, consumer, ": ", length,
                      " tokens fill block_size ", block_size);
}

torch::Tensor real_tokens(const Inputs& inputs) {
  if (!inputs.left_padded) return real_rows(inputs.tokens, inputs.lengths);
  const auto places = counted(inputs.tokens);
  return places > padding_of(inputs.tokens, inputs.lengths);  // [B, T]
}

torch::Tensor real_rows(const torch::Tensor& rows, const torch::Tensor& lengths) {
  return lengths.defined() ? counted(rows) <= lengths.unsqueeze(1) : lengths;  // [B, T]
}

torch::Tensor real_source(const Inputs& inputs) {
  return real_rows(inputs.source, inputs.source_lengths);
}

torch::Tensor moved_to_start(const torch::Tensor& x, const torch::Tensor& lengths) {
  return turned(x, padding_of(x, lengths));
}

torch::Tensor moved_to_end(const torch::Tensor& x, const torch::Tensor& lengths) {
  return turned(x, -padding_of(x, lengths));
}

torch::Tensor reversed_rows(const torch::Tensor& x, const torch::Tensor& lengths) {
  // The row from its last token to its first: reversed, what was padding stands in front.
  return moved_to_start(x.flip(1), lengths);
}

torch::Tensor last_real(const torch::Tensor& x, const Inputs& inputs) {
  if (!inputs.lengths.defined() || inputs.left_padded) return x.select(1, -1);  // [B, C]
  const auto last = (inputs.lengths - 1).view({-1, 1, 1}).expand({-1, 1, x.size(2)});
  return x.gather(1, last).squeeze(1);  // [B, C]
}

}  // namespace zoo
