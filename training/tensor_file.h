#pragma once

#include <map>
#include <string>
#include <string_view>

#include "training/optimizer.h"

namespace zoo {

/// Tensors -> the bytes of a safetensors file.
std::string tensors_to_bytes(const NamedTensors& tensors);

/// Copies the tensors of a safetensors file into those of the same name. Throws UserError naming
/// `source` for one that is missing, unknown, or has another shape or type. A tensor that
/// `resizable` holds takes the shape that the file gives.
void bytes_into_tensors(std::string_view bytes, const std::string& source,
                        const NamedTensors& tensors, bool resizable = false);

/// Parameters (tied ones once) and buffers of a model, by name.
NamedTensors model_state(const Model& model);

}  // namespace zoo
