#include "models/shapes.h"

#include "core/errors.h"

namespace zoo {
namespace {

std::string shown(c10::ArrayRef<std::int64_t> sizes) {
  std::vector<std::string> parts;
  for (const auto size : sizes) parts.push_back(size == kAnySize ? "?" : std::to_string(size));
  return "[" + join(parts, ", ") + "]";
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
  expect_shape(consumer, "tokens", inputs.tokens, {kAnySize, kAnySize});
  const auto T = inputs.tokens.size(1);
  require<ShapeError>(T > 0, consumer, ": tokens have no position");
  require<ShapeError>(block_size == 0 || T <= block_size, consumer, ": tokens ",
                      shown(inputs.tokens.sizes()), " are longer than block_size ", block_size);
  if (inputs.lengths.defined()) {
    expect_shape(consumer, "lengths", inputs.lengths, {inputs.tokens.size(0)});
  }
}

torch::Tensor real_tokens(const Inputs& inputs) {
  // Counted with ones_like, so that tracing for export bakes neither B nor T.
  const auto ones = torch::ones_like(inputs.tokens.narrow(0, 0, 1));  // [1, T]
  const auto lengths = inputs.lengths.unsqueeze(1);                   // [B, 1]
  if (!inputs.left_padded) return ones.cumsum(1) <= lengths;          // [B, T]
  return ones.flip(1).cumsum(1).flip(1) <= lengths;                   // [B, T]
}

}  // namespace zoo
