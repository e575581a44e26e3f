#include "models/blocks/kernel_functions.h"

#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/autograd.h>

#include "kernels/attention.h"
#include "kernels/gelu.h"

namespace zoo {
namespace {

/// Above this length the weights, which the kernel keeps for the backward pass, cost too much
/// memory.
constexpr std::int64_t kLongestRow = 256;

/// How many PlainOperators live.
thread_local int plain_operators = 0;

/// How many KernelsWhileWatched live.
thread_local int kernels_while_watched = 0;

SelfAttentionSizes sizes_of(const torch::Tensor& qkv, std::int64_t n_heads, bool causal) {
  return {qkv.size(0), qkv.size(1), n_heads, qkv.size(2) / (3 * n_heads), causal};
}

struct SelfAttentionFunction : torch::autograd::Function<SelfAttentionFunction> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& qkv,
                               std::int64_t n_heads, bool causal) {
    const auto sizes = sizes_of(qkv, n_heads, causal);
    auto output = torch::empty({sizes.B, sizes.T, n_heads * sizes.D}, qkv.options());
    auto weights = torch::empty({sizes.B, n_heads, sizes.T, padded_keys(sizes.T)}, qkv.options());
    self_attention_forward(sizes, qkv.const_data_ptr<float>(), output.data_ptr<float>(),
                           weights.data_ptr<float>());
    context->save_for_backward({qkv, weights});
    context->saved_data["n_heads"] = n_heads;
    context->saved_data["causal"] = causal;
    return output;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto& qkv = saved[0];
    const auto sizes = sizes_of(qkv, context->saved_data["n_heads"].toInt(),
                                context->saved_data["causal"].toBool());
    const auto d_output = gradients[0].contiguous();
    auto d_qkv = torch::empty_like(qkv);
    self_attention_backward(sizes, qkv.const_data_ptr<float>(), saved[1].const_data_ptr<float>(),
                            d_output.const_data_ptr<float>(), d_qkv.data_ptr<float>());
    return {d_qkv, {}, {}};
  }
};

struct GeluFunction : torch::autograd::Function<GeluFunction> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x) {
    auto y = torch::empty_like(x);
    auto slope = torch::empty_like(x);
    gelu_forward(x.numel(), x.const_data_ptr<float>(), y.data_ptr<float>(),
                 slope.data_ptr<float>());
    context->save_for_backward({slope});
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto slope = context->get_saved_variables()[0];
    const auto d_y = gradients[0].contiguous();
    auto d_x = torch::empty_like(slope);
    gelu_backward(d_x.numel(), d_y.const_data_ptr<float>(), slope.const_data_ptr<float>(),
                  d_x.data_ptr<float>());
    return {d_x};
  }
};

}  // namespace

PlainOperators::PlainOperators() { ++plain_operators; }

PlainOperators::~PlainOperators() { --plain_operators; }

KernelsWhileWatched::KernelsWhileWatched() { ++kernels_while_watched; }

KernelsWhileWatched::~KernelsWhileWatched() { --kernels_while_watched; }

bool kernels_serve(const torch::Tensor& x) {
  const bool tracing = c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::Tracer);
  const bool watched = kernels_while_watched == 0 && at::hasCallbacks();
  return plain_operators == 0 && x.is_cpu() && x.scalar_type() == torch::kFloat32 &&
         x.is_contiguous() && !tracing && !watched;
}

bool attention_kernel_serves(const torch::Tensor& qkv, std::int64_t n_heads) {
  const auto d_head = qkv.size(-1) / (3 * n_heads);
  const auto T = qkv.dim() == 2 ? 1 : qkv.size(1);
  return d_head % 8 == 0 && T <= kLongestRow && kernels_serve(qkv);
}

torch::Tensor kernel_self_attention(const torch::Tensor& qkv, std::int64_t n_heads, bool causal) {
  RECORD_USER_SCOPE("zoo::attention");
  return SelfAttentionFunction::apply(qkv, n_heads, causal);
}

torch::Tensor kernel_attention_step(const torch::Tensor& qkv, const KeyValues& cached) {
  const auto& keys = cached.keys;
  const auto place = [](const torch::Tensor& x) -> CachedTokens {
    return {x.data_ptr<float>(), x.stride(1)};
  };
  auto output = torch::empty({qkv.size(0), qkv.size(1) / 3}, qkv.options());
  self_attention_step(keys.size(0), keys.size(1), keys.size(3), keys.size(2),
                      qkv.const_data_ptr<float>(), place(keys), place(cached.values),
                      output.data_ptr<float>());
  return output;
}

torch::Tensor kernel_gelu(const torch::Tensor& x) {
  if (torch::GradMode::is_enabled()) return GeluFunction::apply(x);
  auto y = torch::empty_like(x);
  gelu_forward(x.numel(), x.const_data_ptr<float>(), y.data_ptr<float>(), /*slope=*/nullptr);
  return y;
}

}  // namespace zoo
