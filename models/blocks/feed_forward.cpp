#include "models/blocks/feed_forward.h"

#include <torch/types.h>

#include "models/blocks/kernel_functions.h"

namespace zoo {

FeedForwardImpl::FeedForwardImpl(std::int64_t d_model, std::int64_t d_ff, bool bias) {
  namespace nn = torch::nn;
  up_ = register_module("up", nn::Linear(nn::LinearOptions(d_model, d_ff).bias(bias)));
  down_ = register_module("down", nn::Linear(nn::LinearOptions(d_ff, d_model).bias(bias)));
}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x) {
  const auto hidden = up_(x);                                                       // [..., F]
  return down_(kernels_serve(hidden) ? kernel_gelu(hidden) : torch::gelu(hidden));  // [..., C]
}

}  // namespace zoo
