#pragma once

#include <torch/types.h>

#include "models/blocks/norm.h"
#include "models/blocks/transformer_options.h"

namespace zoo {

/// How a sublayer joins the residual stream.
struct Residual {
  NormPlace place = NormPlace::kPre;
  double dropout = 0.0;  ///< 0 in evaluation

  /// pre: x + dropout(sublayer(norm(x))); post: norm(x + dropout(sublayer(x))). x [B, T, C].
  template <class Sublayer>
  torch::Tensor operator()(const torch::Tensor& x, Norm& norm, const torch::Tensor& real,
                           Sublayer&& sublayer) const {
    const auto drop = [this](const torch::Tensor& y) {
      return dropout > 0.0 ? torch::dropout(y, dropout, /*train=*/true) : y;
    };
    if (place == NormPlace::kPre) return x + drop(sublayer(norm(x, real)));
    return norm(x + drop(sublayer(x)), real);
  }
};

}  // namespace zoo
