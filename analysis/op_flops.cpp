#include "analysis/op_flops.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>

namespace zoo {
namespace {

using Arguments = c10::ArrayRef<const c10::IValue>;

/// Sizes of dimension 2 and on, multiplied.
std::int64_t positions(const at::Tensor& images) {
  const auto sizes = images.sizes().slice(2);
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

/// left [.., n, k] times right [.., k, m] or [k].
std::int64_t matrix_product(const at::Tensor& left, const at::Tensor& right) {
  return 2 * left.numel() * (right.dim() > 1 ? right.size(-1) : 1);
}

/// Operators that multiply their arguments `first` and `first + 1`.
template <std::size_t first>
std::int64_t product_at(Arguments in) {
  return matrix_product(in[first].toTensor(), in[first + 1].toTensor());
}

/// Q [.., T, d_k], K [.., S, d_k], V [.., S, d_v], from argument `first` on: Q Kᵀ and A V.
std::int64_t attention_at(std::size_t first, Arguments in) {
  const auto& query = in[first].toTensor();
  const auto& key = in[first + 1].toTensor();
  const auto& value = in[first + 2].toTensor();
  const auto rows = query.numel() / std::max<std::int64_t>(query.size(-1), 1);
  return 2 * rows * key.size(-2) * (query.size(-1) + value.size(-1));
}

/// input [N, C, ..], weight [O, C / groups, ..]: every output position meets the weight once, or,
/// transposed, every input position.
std::int64_t convolution(Arguments in) {
  const auto& input = in[0].toTensor();
  const auto& weight = in[1].toTensor();
  if (in[6].toBool()) return 2 * input.size(0) * positions(input) * weight.numel();
  const auto stride = in[3].toIntVector();
  const auto padding = in[4].toIntVector();
  const auto dilation = in[5].toIntVector();
  const auto at = [](const std::vector<std::int64_t>& values, std::size_t axis) {
    return values[std::min(axis, values.size() - 1)];  // one value may stand for all axes
  };
  std::int64_t outputs = 1;
  for (std::int64_t dim = 2; dim < input.dim(); ++dim) {
    const auto axis = static_cast<std::size_t>(dim - 2);
    const auto reach = at(dilation, axis) * (weight.size(dim) - 1) + 1;
    outputs *= (input.size(dim) + 2 * at(padding, axis) - reach) / at(stride, axis) + 1;
  }
  return 2 * input.size(0) * outputs * weight.numel();
}

/// The gradients of input and weight, those that the output mask asks for.
std::int64_t convolution_backward(Arguments in) {
  const auto& spread = in[7].toBool() ? in[1].toTensor() : in[0].toTensor();
  const auto mask = in[10].toBoolList();
  const std::int64_t gradients = (mask.get(0) ? 1 : 0) + (mask.get(1) ? 1 : 0);
  return gradients * 2 * spread.size(0) * positions(spread) * in[2].toTensor().numel();
}

/// input [.., I]: each row of it meets each weight matrix once; biases are no products.
std::int64_t recurrent(const at::Tensor& input, const std::vector<at::Tensor>& weights) {
  const auto rows = input.numel() / std::max<std::int64_t>(input.size(-1), 1);
  std::int64_t multiply_adds = 0;
  for (const auto& weight : weights) {
    if (weight.dim() == 2) multiply_adds += rows * weight.numel();
  }
  return 2 * multiply_adds;
}

std::int64_t onednn_recurrent(Arguments in) {
  return recurrent(in[0].toTensor(), {in[1].toTensor(), in[2].toTensor()});
}

std::int64_t cudnn_recurrent(Arguments in) {
  return recurrent(in[0].toTensor(), in[1].toTensorVector());
}

template <std::int64_t (*forward)(Arguments)>
std::int64_t twice(Arguments in) {
  return 2 * forward(in);
}

using Count = std::int64_t (*)(Arguments);

const std::unordered_map<std::string_view, Count>& counts() {
  static const std::unordered_map<std::string_view, Count> table = {
      {"aten::mm", product_at<0>},
      {"aten::bmm", product_at<0>},
      {"aten::mv", product_at<0>},
      {"aten::dot", product_at<0>},
      {"aten::addmm", product_at<1>},
      {"aten::_addmm_activation", product_at<1>},
      {"aten::baddbmm", product_at<1>},
      {"aten::addbmm", product_at<1>},
      {"aten::addmv", product_at<1>},
      {"aten::convolution", convolution},
      {"aten::_convolution", convolution},
      {"aten::convolution_backward", convolution_backward},
      {"aten::mkldnn_rnn_layer", onednn_recurrent},
      {"aten::mkldnn_rnn_layer_backward", twice<onednn_recurrent>},
      {"aten::_cudnn_rnn", cudnn_recurrent},
      {"aten::_cudnn_rnn_backward", twice<cudnn_recurrent>},
  };
  return table;
}

/// How an operator that is not attention is counted; null: not at all.
Count count_of(std::string_view name) {
  if (name.ends_with('_')) name.remove_suffix(1);  // in place
  const auto entry = counts().find(name);
  return entry == counts().end() ? nullptr : entry->second;
}

}  // namespace

std::optional<std::int64_t> op_flops(std::string_view name, Arguments inputs) {
  if (is_attention(name)) {
    return name.ends_with("_backward") ? 2 * attention_at(1, inputs) : attention_at(0, inputs);
  }
  const auto count = count_of(name);
  if (count == nullptr) return std::nullopt;
  return count(inputs);
}

bool has_flops(std::string_view name) { return is_attention(name) || count_of(name) != nullptr; }

bool is_attention(std::string_view name) {
  // One kernel per device and case; all begin with Q, K, V or with a gradient, Q, K, V.
  return name.find("::scaled_dot_product_") != name.npos ||
         name.find("::_scaled_dot_product_") != name.npos;
}

}  // namespace zoo
