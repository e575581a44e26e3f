#include "kernels/sampling.h"

#include <cmath>
#include <limits>

namespace zoo {
namespace {

/// Logits that are worth a second thread.
constexpr std::int64_t kManyLogits = 16384;

void sample_row(std::int64_t V, const float* logits, double uniform, std::int64_t& id,
                double& log_probability) {
  float most = logits[0];
  for (std::int64_t v = 1; v < V; ++v) most = logits[v] > most ? logits[v] : most;
  double total = 0.0;
  for (std::int64_t v = 0; v < V; ++v) total += std::exp(double{logits[v]} - double{most});
  id = 0;
  log_probability = std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(total)) return;
  // The last possible token is drawn where rounding leaves nothing above the others.
  const double wanted = uniform * total;
  double reached = 0.0;
  for (std::int64_t v = 0; v < V && reached <= wanted; ++v) {
    const double mass = std::exp(double{logits[v]} - double{most});
    if (mass > 0.0) id = v;
    reached += mass;
  }
  log_probability = double{logits[id]} - double{most} - std::log(total);
}

}  // namespace

void sample_tokens(std::int64_t B, std::int64_t V, const float* logits, const double* uniforms,
                   std::int64_t* ids, double* log_probabilities) {
#pragma omp parallel for schedule(static) if (B * V > kManyLogits)
  for (std::int64_t b = 0; b < B; ++b) {
    sample_row(V, logits + b * V, uniforms[b], ids[b], log_probabilities[b]);
  }
}

}  // namespace zoo
