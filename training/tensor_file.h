#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "training/optimizer.h"

namespace zoo {

/// Tensors -> the bytes of a safetensors file.
std::string tensors_to_bytes(const NamedTensors& tensors);

/// Copies the tensors of a safetensors file into those of the same name. Throws UserError naming
/// `source` for one that is missing, unknown, or has another shape or type. A tensor that
/// `resizable` holds takes the shape that the file gives.
void bytes_into_tensors(std::string_view bytes, const std::string& source,
                        const NamedTensors& tensors, bool resizable = false);

/// How the tensors of a file and those of a model go together.
struct TensorMatch {
  std::vector<std::string> loaded;    ///< in both
  std::vector<std::string> resized;   ///< those of them that were made to fit
  std::vector<std::string> fresh;     ///< of the model alone
  std::vector<std::string> left_out;  ///< of the file alone
};

/// A tensor of another shape made to fit; undefined where that cannot be.
using ResizeTensor = std::function<torch::Tensor(const std::string&, const torch::Tensor&)>;

/// Copies those tensors of a safetensors file that both sides have, of other shapes what `resize`
/// makes of them. Throws UserError naming `source` and every tensor whose shape or type differs;
/// then nothing was copied.
TensorMatch matching_into_tensors(std::string_view bytes, const std::string& source,
                                  const NamedTensors& tensors, const ResizeTensor& resize);

/// Parameters (tied ones once) and buffers of a model, by name.
NamedTensors model_state(const Model& model);

}  // namespace zoo
