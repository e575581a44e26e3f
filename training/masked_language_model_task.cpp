#include "training/masked_language_model_task.h"

#include <utility>

#include <torch/types.h>

#include "core/random.h"

namespace zoo {
namespace {

constexpr double kHidden = 0.15;
constexpr double kMasked = 0.8;
constexpr double kReplaced = 0.1;

/// Purposes of one seed.
enum : std::uint64_t { kWhich = 0, kHow = 1, kWhat = 2 };

/// x ^ (x >> bits), shifting zeros in.
torch::Tensor folded(const torch::Tensor& x, int bits) {
  const auto kept = (std::int64_t{1} << (64 - bits)) - 1;
  return x.bitwise_xor(x.bitwise_right_shift(bits).bitwise_and(kept));
}

/// A number of the generator SplitMix64 (Steele et al., 2014) for each of x, as a tensor, so that
/// every device draws the same.
torch::Tensor mixed(torch::Tensor x) {
  x = folded(x, 30) * static_cast<std::int64_t>(0xBF58476D1CE4E5B9ULL);
  x = folded(x, 27) * static_cast<std::int64_t>(0x94D049BB133111EBULL);
  return folded(x, 31);
}

/// Uniform in [0, 1) for every place of rows [B, T] whose first has the number `first` -> float64.
torch::Tensor uniforms(const torch::Tensor& rows, std::int64_t first, std::uint64_t seed) {
  const auto numbers = torch::arange(first, first + rows.size(0), rows.options()).unsqueeze(1);
  const auto places = torch::arange(rows.size(1), rows.options());
  const auto of_row = mixed(numbers + static_cast<std::int64_t>(seed));
  const auto bits = mixed(of_row + places * static_cast<std::int64_t>(0x9E3779B97F4A7C15ULL));
  return folded(bits, 11).bitwise_and((std::int64_t{1} << 53) - 1).to(torch::kFloat64) * 0x1p-53;
}

/// Which of the places that may be hidden are: the share of each row with the lowest draws, one at
/// least.
torch::Tensor chosen(const torch::Tensor& may_be_hidden, const torch::Tensor& draws) {
  const auto count = may_be_hidden.sum(1, /*keepdim=*/true);                  // [B, 1]
  const auto wanted = (count * kHidden).round().clamp_min(1).minimum(count);  // [B, 1]
  const auto rank = draws.masked_fill(may_be_hidden.logical_not(), 2.0)
                        .argsort(/*dim=*/1, /*descending=*/false)
                        .argsort(1, false);
  return rank < wanted;  // [B, T]
}

}  // namespace

MaskedBatches::MaskedBatches(std::unique_ptr<BatchSource> source, const DataFacts& facts,
                             std::int64_t rows, std::uint64_t seed)
    : source_(std::move(source)), facts_(facts), rows_(rows), seed_(seed) {}

Batch MaskedBatches::at(std::int64_t number) {
  auto batch = source_->at(number);
  auto& tokens = batch.inputs.tokens;  // [B, T]
  const auto draws = [&](std::uint64_t purpose) {
    return uniforms(tokens, number * rows_, mixed_seed(seed_, purpose));
  };
  auto may_be_hidden = tokens.ne(facts_.boundary_id).logical_and(tokens.ne(facts_.separator_id));
  if (batch.inputs.lengths.defined()) {
    const auto places = torch::arange(tokens.size(1), tokens.options());
    may_be_hidden = may_be_hidden.logical_and(places < batch.inputs.lengths.unsqueeze(1));
  }
  const auto hidden = chosen(may_be_hidden, draws(kWhich));
  batch.targets = tokens.masked_fill(hidden.logical_not(), kIgnored);

  const auto how = draws(kHow);
  const auto masked = hidden.logical_and(how < kMasked);
  const auto replaced = hidden.logical_and(how >= kMasked).logical_and(how < kMasked + kReplaced);
  const auto any =
      (draws(kWhat) * static_cast<double>(facts_.vocab_size)).to(torch::kInt64);  // [B, T]
  tokens = torch::where(replaced, any, tokens).masked_fill(masked, facts_.mask_id);
  return batch;
}

std::unique_ptr<BatchSource> MaskedLanguageModelTask::batches(std::unique_ptr<BatchSource> rows,
                                                              std::int64_t batch_size,
                                                              std::uint64_t seed) const {
  return std::make_unique<MaskedBatches>(std::move(rows), facts_, batch_size, seed);
}

}  // namespace zoo
