#include "models/blocks/feed_forward.h"

#include <torch/types.h>

#include "models/blocks/kernel_functions.h"

namespace zoo {

FeedForwardImpl::FeedForwardImpl(FeedForwardType type, std::int64_t d_model, std::int64_t d_ff,
                                 bool bias)
    : type_(type) {
  namespace nn = torch::nn;
  const auto width = type == FeedForwardType::kSwiglu ? 2 * d_ff : d_ff;
  up_ = register_module("up", nn::Linear(nn::LinearOptions(d_model, width).bias(bias)));
  down_ = register_module("down", nn::Linear(nn::LinearOptions(d_ff, d_model).bias(bias)));
}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x) {
  const auto hidden = up_(x);  // [..., F or 2F]
  if (type_ == FeedForwardType::kSwiglu) {
    const auto halves = hidden.chunk(2, -1);  // 2 of [..., F]
    return down_(torch::silu(halves[0]) * halves[1]);
  }
  return down_(kernels_serve(hidden) ? kernel_gelu(hidden) : torch::gelu(hidden));  // [..., C]
}

}  // namespace zoo
