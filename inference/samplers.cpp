#include "inference/samplers.h"

#include <cmath>
#include <limits>
#include <tuple>

#include "core/errors.h"
#include "kernels/sampling.h"
#include "models/blocks/kernel_functions.h"
#include "models/shapes.h"

namespace zoo {
namespace {

constexpr double kExcluded = -std::numeric_limits<double>::infinity();

/// logits [B, V] -> [B, V]
torch::Tensor penalized(const torch::Tensor& logits, const torch::Tensor& seen, double penalty) {
  const auto repeated = torch::where(logits > 0, logits / penalty, logits * penalty);
  return torch::where(seen, repeated, logits);
}

/// Keeps the likeliest token of each row, the lowest id among equals: logits [B, V] -> [B, V].
torch::Tensor only_likeliest(const torch::Tensor& logits) {
  const auto likeliest = logits.argmax(-1, /*keepdim=*/true);  // [B, 1]
  return torch::full_like(logits, kExcluded).scatter(-1, likeliest, 0.0);
}

/// Top-k, then top-p on what is left: logits [B, V] -> [B, V].
torch::Tensor ranked(const torch::Tensor& logits, std::int64_t top_k, double top_p) {
  auto [sorted, order] = torch::sort(logits, /*stable=*/true, /*dim=*/-1, /*descending=*/true);
  if (top_k > 0) {
    const auto rank = torch::arange(logits.size(-1), order.options());  // [V]
    sorted = sorted.masked_fill(rank >= top_k, kExcluded);
  }
  if (top_p < 1.0) {
    const auto probabilities = sorted.softmax(-1);
    const auto mass_before = probabilities.cumsum(-1) - probabilities;
    sorted = sorted.masked_fill(mass_before >= top_p, kExcluded);
  }
  return torch::empty_like(logits).scatter(-1, order, sorted);
}

Sampled sampled_by_kernel(const torch::Tensor& logits, const torch::Tensor& uniforms) {
  const auto B = logits.size(0);
  Sampled sampled{torch::empty({B}, torch::kInt64), torch::empty({B}, torch::kDouble)};
  const auto drawn = uniforms.contiguous();
  sample_tokens(B, logits.size(1), logits.const_data_ptr<float>(), drawn.const_data_ptr<double>(),
                sampled.ids.data_ptr<std::int64_t>(), sampled.log_probabilities.data_ptr<double>());
  return sampled;
}

}  // namespace

void SamplingOptions::validate(const std::string& path) const {
  const auto values = write_options(*this);
  OptionsReader reader(values, path);
  auto checked = *this;
  fields(checked, reader);
  for (const auto value : {temperature, repetition_penalty}) {
    require<ConfigError>(std::isfinite(value), path,
                         ": temperature and repetition_penalty must be finite, got ", value);
  }
}

torch::Tensor filtered_logits(const torch::Tensor& logits, const torch::Tensor& seen,
                              const SamplingOptions& options) {
  expect_shape("filtered_logits", "logits", logits, {kAnySize, kAnySize});
  auto kept = logits.to(torch::kDouble);
  if (options.repetition_penalty != 1.0) {
    expect_shape("filtered_logits", "seen", seen, {logits.size(0), logits.size(1)});
    kept = penalized(kept, seen, options.repetition_penalty);
  }
  if (options.greedy || options.temperature == 0.0) return only_likeliest(kept);
  // The largest becomes 0 first: no temperature, however small, can then overflow.
  kept = (kept - kept.amax(-1, /*keepdim=*/true)) / options.temperature;
  const bool cuts = options.top_k > 0 && options.top_k < logits.size(1);
  if (cuts || options.top_p < 1.0) kept = ranked(kept, options.top_k, options.top_p);
  if (options.min_p > 0.0) kept = kept.masked_fill(kept < std::log(options.min_p), kExcluded);
  return kept;
}

torch::Tensor entropy(const torch::Tensor& logits) {
  const auto log_probabilities = logits.to(torch::kDouble).log_softmax(-1);  // [B, V]
  // A token that is out of the question adds nothing: 0 log 0 is 0 here.
  return -(log_probabilities.exp() * log_probabilities.clamp_min(-1e3)).sum(-1);
}

Sampled sample(const torch::Tensor& logits, const torch::Tensor& seen,
               const torch::Tensor& uniforms, const SamplingOptions& options) {
  expect_shape("sample", "logits", logits, {kAnySize, kAnySize});
  expect_shape("sample", "uniforms", uniforms, {logits.size(0)});
  if (options.leaves_all() && kernels_serve(logits)) return sampled_by_kernel(logits, uniforms);
  const auto log_probabilities = logits.to(torch::kDouble).log_softmax(-1);       // [B, V]
  const auto probabilities = filtered_logits(logits, seen, options).softmax(-1);  // [B, V]
  // A parallel scan may round a prefix below an earlier one. Only tokens with probability count, so
  // that none without can be drawn, and their largest prefix is the total, so that one always is.
  const auto reached = torch::where(probabilities > 0, probabilities.cumsum(-1), 0.0);
  const auto total = reached.amax(-1, /*keepdim=*/true);         // [B, 1]
  const auto passed = reached > uniforms.unsqueeze(-1) * total;  // [B, V]
  const auto ids = passed.to(torch::kInt).argmax(-1);            // [B], first passed
  return {ids, log_probabilities.gather(-1, ids.unsqueeze(-1)).squeeze(-1)};
}

}  // namespace zoo
