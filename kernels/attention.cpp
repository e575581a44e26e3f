#include "kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/vector.h"

namespace zoo {
namespace {

/// Rows of D floats, one every `stride`.
struct Rows {
  const float* data;
  std::int64_t stride;
};

/// One head of one sequence. q, k, v and their gradients are rows of D floats.
struct Head {
  std::int64_t T, D, padded;
  bool causal;

  std::int64_t keys_of(std::int64_t query) const { return causal ? query + 1 : T; }
};

template <int N>
ZOO_INLINE void weighted_sum_of(std::int64_t count, const float* weight, std::int64_t weight_stride,
                                Rows rows, float* out) {
  Vector total[N] = {};
  for (std::int64_t r = 0; r < count; ++r) {
    const float w = weight[r * weight_stride];
    const float* row = rows.data + r * rows.stride;
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) total[n] += w * load(row + n * kLanes);
  }
#pragma GCC unroll 8
  for (int n = 0; n < N; ++n) store(out + n * kLanes, total[n]);
}

/// out[0..width) = sum over r < count of weight[r weight_stride] rows[r][0..width); width is a
/// multiple of 8. Every product of attention, forward and backward, is of this form.
ZOO_INLINE void weighted_sum(std::int64_t width, std::int64_t count, const float* weight,
                             std::int64_t weight_stride, Rows rows, float* out) {
  while (width > 0) {
    const auto vectors = std::min<std::int64_t>(width / kLanes, 8);
    std::int64_t done = 8;
    if (vectors >= 8) {
      weighted_sum_of<8>(count, weight, weight_stride, rows, out);
    } else if (vectors >= 4) {
      weighted_sum_of<4>(count, weight, weight_stride, rows, out);
      done = 4;
    } else if (vectors >= 2) {
      weighted_sum_of<2>(count, weight, weight_stride, rows, out);
      done = 2;
    } else {
      weighted_sum_of<1>(count, weight, weight_stride, rows, out);
      done = 1;
    }
    width -= done * kLanes;
    rows.data += done * kLanes;
    out += done * kLanes;
  }
}

ZOO_INLINE std::int64_t whole_vectors(std::int64_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

/// [T, D] -> [D, padded], zeros behind the last key.
ZOO_INLINE void transpose(const Head& head, Rows rows, float* out) {
  for (std::int64_t d = 0; d < head.D; ++d) {
    float* column = out + d * head.padded;
    for (std::int64_t t = 0; t < head.T; ++t) column[t] = rows.data[t * rows.stride + d];
    for (std::int64_t t = head.T; t < head.padded; ++t) column[t] = 0.0F;
  }
}

/// Turns the first `keys` scores into probabilities of scale * score, zeros behind them.
ZOO_INLINE void softmax(std::int64_t keys, std::int64_t padded, float scale, float* row) {
  const auto width = whole_vectors(keys);
  for (auto j = keys; j < width; ++j) row[j] = -std::numeric_limits<float>::infinity();
  Vector most = load(row);
  for (std::int64_t j = kLanes; j < width; j += kLanes) {
    const auto x = load(row + j);
    most = x > most ? x : most;
  }
  const float top = largest_of(most);
  Vector total = {};
  for (std::int64_t j = 0; j < width; j += kLanes) {
    const auto power = exp_of((load(row + j) - top) * scale);
    store(row + j, power);
    total += power;
  }
  // What stands behind the last key is e^-87 by now: nothing beside the largest, which is 1.
  const float share = 1.0F / sum_of(total);
  for (std::int64_t j = 0; j < width; j += kLanes) store(row + j, load(row + j) * share);
  for (auto j = keys; j < padded; ++j) row[j] = 0.0F;
}

/// scratch: D * padded floats.
ZOO_KERNEL void forward_head(const Head& head, Rows q, Rows k, Rows v, float* weights, float* out,
                             std::int64_t out_stride, float* scratch) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(head.D));
  transpose(head, k, scratch);
  for (std::int64_t i = 0; i < head.T; ++i) {
    const auto keys = head.keys_of(i);
    float* row = weights + i * head.padded;
    weighted_sum(whole_vectors(keys), head.D, q.data + i * q.stride, 1, {scratch, head.padded},
                 row);
    softmax(keys, head.padded, scale, row);
    weighted_sum(head.D, keys, row, 1, v, out + i * out_stride);
  }
}

/// scratch: (D + T) * padded floats. The gradients have the stride of q, k and v.
ZOO_KERNEL void backward_head(const Head& head, Rows q, Rows k, Rows v, const float* weights,
                              Rows d_out, float* d_q, float* d_k, float* d_v, float* scratch) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(head.D));
  float* d_scores = scratch + head.D * head.padded;  // [T, padded]
  transpose(head, v, scratch);
  for (std::int64_t i = 0; i < head.T; ++i) {
    const auto keys = head.keys_of(i);
    const auto width = whole_vectors(keys);
    const float* row = weights + i * head.padded;
    float* d_row = d_scores + i * head.padded;
    weighted_sum(width, head.D, d_out.data + i * d_out.stride, 1, {scratch, head.padded}, d_row);
    Vector product = {};
    for (std::int64_t j = 0; j < width; j += kLanes) product += load(row + j) * load(d_row + j);
    const float mean = sum_of(product);
    for (std::int64_t j = 0; j < width; j += kLanes) {
      store(d_row + j, load(row + j) * (load(d_row + j) - mean) * scale);
    }
    weighted_sum(head.D, keys, d_row, 1, k, d_q + i * q.stride);
  }
  for (std::int64_t j = 0; j < head.T; ++j) {
    const auto first = head.causal ? j : 0;
    const auto queries = head.T - first;
    const auto at = first * head.padded + j;
    weighted_sum(head.D, queries, d_scores + at, head.padded, {q.data + first * q.stride, q.stride},
                 d_k + j * k.stride);
    weighted_sum(head.D, queries, weights + at, head.padded,
                 {d_out.data + first * d_out.stride, d_out.stride}, d_v + j * v.stride);
  }
}

/// Calls what(head, its qkv offset, its output offset, its weights offset, scratch) for each head
/// of each sequence, on all threads.
template <class Function>
void for_each_head(const SelfAttentionSizes& sizes, std::int64_t scratch_size, Function what) {
  const Head head{sizes.T, sizes.D, padded_keys(sizes.T), sizes.causal};
  const auto C = sizes.H * sizes.D;
#pragma omp parallel
  {
    std::vector<float> scratch(static_cast<std::size_t>(scratch_size));
#pragma omp for schedule(static)
    for (std::int64_t index = 0; index < sizes.B * sizes.H; ++index) {
      const auto b = index / sizes.H;
      const auto h = index % sizes.H;
      what(head, (b * sizes.T * 3 * C) + h * sizes.D, (b * sizes.T * C) + h * sizes.D,
           index * sizes.T * head.padded, scratch.data());
    }
  }
}

/// Eight numbers whose sum is the product of two rows.
ZOO_INLINE Vector product(std::int64_t D, const float* a, const float* b) {
  Vector total = {};
  for (std::int64_t d = 0; d < D; d += kLanes) total += load(a + d) * load(b + d);
  return total;
}

/// One query over `tokens` keys. weights: room for whole vectors of them.
ZOO_KERNEL void step_head(std::int64_t D, std::int64_t tokens, const float* q, const float* k,
                          const float* v, float* keys, float* values, float* weights, float* out) {
  std::copy_n(k, D, keys + (tokens - 1) * D);
  std::copy_n(v, D, values + (tokens - 1) * D);
  std::int64_t j = 0;
  for (; j + kLanes <= tokens; j += kLanes) {
    Vector products[kLanes];
#pragma GCC unroll 8
    for (int lane = 0; lane < kLanes; ++lane) products[lane] = product(D, q, keys + (j + lane) * D);
    store(weights + j, sums_of(products));
  }
  for (; j < tokens; ++j) weights[j] = sum_of(product(D, q, keys + j * D));
  softmax(tokens, whole_vectors(tokens), 1.0F / std::sqrt(static_cast<float>(D)), weights);
  weighted_sum(D, tokens, weights, 1, {values, D}, out);
}

}  // namespace

std::int64_t padded_keys(std::int64_t T) { return whole_vectors(T); }

void self_attention_forward(const SelfAttentionSizes& sizes, const float* qkv, float* output,
                            float* weights) {
  const auto C = sizes.H * sizes.D;
  for_each_head(
      sizes, sizes.D * padded_keys(sizes.T),
      [=](const Head& head, std::int64_t in, std::int64_t out, std::int64_t row, float* scratch) {
        const auto* q = qkv + in;
        forward_head(head, {q, 3 * C}, {q + C, 3 * C}, {q + 2 * C, 3 * C}, weights + row,
                     output + out, C, scratch);
      });
}

void self_attention_backward(const SelfAttentionSizes& sizes, const float* qkv,
                             const float* weights, const float* d_output, float* d_qkv) {
  const auto C = sizes.H * sizes.D;
  for_each_head(
      sizes, (sizes.D + sizes.T) * padded_keys(sizes.T),
      [=](const Head& head, std::int64_t in, std::int64_t out, std::int64_t row, float* scratch) {
        const auto* q = qkv + in;
        auto* d_q = d_qkv + in;
        backward_head(head, {q, 3 * C}, {q + C, 3 * C}, {q + 2 * C, 3 * C}, weights + row,
                      {d_output + out, C}, d_q, d_q + C, d_q + 2 * C, scratch);
      });
}

void self_attention_step(std::int64_t B, std::int64_t H, std::int64_t D, std::int64_t tokens,
                         const float* qkv, CachedTokens keys, CachedTokens values, float* output) {
  const auto C = H * D;
#pragma omp parallel
  {
    std::vector<float> weights(static_cast<std::size_t>(whole_vectors(tokens)));
#pragma omp for schedule(static)
    for (std::int64_t index = 0; index < B * H; ++index) {
      const auto h = index % H;
      const auto* q = qkv + (index / H * 3 * C) + h * D;
      step_head(D, tokens, q, q + C, q + 2 * C, keys.first + index * keys.between_heads,
                values.first + index * values.between_heads, weights.data(), output + index * D);
    }
  }
}

}  // namespace zoo
