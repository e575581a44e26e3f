#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

namespace zoo {

/// FLOPs of one dispatcher call, 2 per multiply-add; nothing for an operator that is no product of
/// tensors. Counted are matrix products, convolutions, scaled dot-product attention over all its
/// positions (a causal mask halves nothing), fused recurrent layers, and the backward of each.
/// What a fused backward computes again is left out, so that fused and explicit cost the same.
/// @param name as the dispatcher spells it: "aten::mm"
/// @param inputs every argument of the schema, in its order
std::optional<std::int64_t> op_flops(std::string_view name,
                                     c10::ArrayRef<const c10::IValue> inputs);

/// Whether the operator of that name is counted.
bool has_flops(std::string_view name);

/// Whether it is scaled dot-product attention, of any device, or its backward.
bool is_attention(std::string_view name);

}  // namespace zoo
