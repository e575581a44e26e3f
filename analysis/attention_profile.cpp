#include "analysis/attention_profile.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>

#include <torch/types.h>
#include <torch/utils.h>

#include "analysis/cost_observer.h"
#include "models/blocks/attention.h"
#include "models/blocks/kernel_functions.h"

namespace zoo {
namespace {

/// Repeats whose median is taken, after one that is not timed.
constexpr int kRepeats = 5;

/// From q, k and v one after the other, [1, T, 3C], to what attention makes of them.
using Path = std::function<torch::Tensor(const torch::Tensor& qkv)>;

/// A path from q, k and v of each head [1, H, T, D].
template <class Attend>
Path by_heads(std::int64_t n_heads, Attend attend) {
  return [n_heads, attend](const torch::Tensor& qkv) {
    const auto parts = qkv.unflatten(-1, {3, n_heads, -1}).transpose(1, 3).unbind(2);
    return attend(parts[0], parts[1], parts[2]);
  };
}

AttentionFigures measured(const Path& path, std::int64_t d_model, std::int64_t length) {
  const auto qkv = torch::randn({1, length, 3 * d_model}, torch::requires_grad());
  const auto step = [&] {
    qkv.mutable_grad() = torch::Tensor();
    path(qkv).sum().backward();
  };
  AttentionFigures figures{length};
  {
    const auto nothing = std::make_shared<torch::nn::Module>("nothing");
    const ModuleMap modules(*nothing);
    const auto observer = std::make_shared<CostObserver>(modules);
    const Observation observation(observer, Watched::kAllocations);
    step();
    figures.peak_bytes = observer->peak_bytes();
  }
  std::vector<double> times;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    step();
    const auto passed = std::chrono::steady_clock::now() - start;
    times.push_back(std::chrono::duration<double, std::milli>(passed).count());
  }
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  figures.milliseconds = times[kRepeats / 2];
  return figures;
}

AttentionProfile profiled(const std::string& name, const Path& path, std::int64_t d_model,
                          const std::vector<std::int64_t>& lengths) {
  AttentionProfile profile{name, {}};
  std::vector<double> tokens, times, bytes;
  for (const auto length : lengths) {
    const auto& figures = profile.figures.emplace_back(measured(path, d_model, length));
    tokens.push_back(static_cast<double>(length));
    times.push_back(figures.milliseconds);
    bytes.push_back(static_cast<double>(figures.peak_bytes));
  }
  profile.time_exponent = fitted_exponent(tokens, times);
  profile.memory_exponent = fitted_exponent(tokens, bytes);
  return profile;
}

}  // namespace

std::vector<AttentionProfile> profile_attention(std::int64_t d_model, std::int64_t n_heads,
                                                const std::vector<std::int64_t>& lengths) {
  const AttentionMask causal{{}, /*causal=*/true};
  const auto explicitly = by_heads(n_heads, [causal](const auto& q, const auto& k, const auto& v) {
    return explicit_attention(q, k, v, causal).output;
  });
  const auto fused = by_heads(n_heads, [causal](const auto& q, const auto& k, const auto& v) {
    return fused_attention(q, k, v, causal);
  });
  std::vector<AttentionProfile> profiles = {profiled("explicit", explicitly, d_model, lengths),
                                            profiled("fused", fused, d_model, lengths)};
  const bool served = std::all_of(lengths.begin(), lengths.end(), [&](std::int64_t length) {
    return attention_kernel_serves(torch::empty({1, length, 3 * d_model}), n_heads);
  });
  if (served) {
    const auto kernel = [n_heads](const torch::Tensor& qkv) {
      return kernel_self_attention(qkv, n_heads, /*causal=*/true);
    };
    profiles.push_back(profiled("kernel", kernel, d_model, lengths));
  }
  return profiles;
}

double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  const auto count = static_cast<double>(x.size());
  double mean_x = 0.0, mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  double products = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    squares += std::pow(std::log(x[i]) - mean_x, 2);
  }
  return products / squares;
}

}  // namespace zoo
