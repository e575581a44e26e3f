#include "analysis/nearest_image.h"

#include <algorithm>
#include <vector>

#include <torch/utils.h>

namespace zoo {
namespace {

constexpr std::int64_t kMostDistances = std::int64_t{1} << 24;
/// Known images that are compared at once.
constexpr std::int64_t kKnownAtOnce = 8192;

torch::Tensor flat(const torch::Tensor& images) { return images.flatten(1).to(torch::kFloat32); }

}  // namespace

torch::Tensor nearest_images(const torch::Tensor& known, const torch::Tensor& images) {
  const torch::NoGradGuard no_grad;
  const auto N = known.size(0);
  const auto at_once = std::max<std::int64_t>(1, kMostDistances / std::min(N, kKnownAtOnce));
  std::vector<torch::Tensor> nearest;
  for (const auto& some : images.split(at_once)) {
    const auto queries = flat(some);  // [m, P]
    torch::Tensor best, index;        // [m]
    for (std::int64_t first = 0; first < N; first += kKnownAtOnce) {
      const auto candidates = flat(known.narrow(0, first, std::min(kKnownAtOnce, N - first)));
      // |q - c|^2 without |q|^2, which is the same for all candidates.
      const auto distances = torch::addmm(candidates.square().sum(1), queries, candidates.t(),
                                          /*beta=*/1, /*alpha=*/-2);  // [m, n]
      const auto [least, where] = distances.min(1);
      const auto closer = best.defined() ? least.lt(best) : torch::ones_like(where, torch::kBool);
      index = best.defined() ? torch::where(closer, where + first, index) : where;
      best = best.defined() ? torch::minimum(best, least) : least;
    }
    nearest.push_back(index);
  }
  return torch::cat(nearest);
}

}  // namespace zoo
