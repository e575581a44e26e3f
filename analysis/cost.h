#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zoo {

class Model;
struct Inputs;

/// What one module costs by itself, its children not included.
struct ModuleCost {
  std::string name;  ///< dotted path; "" for the model itself
  std::string kind;  ///< its class without namespace and Impl: "Linear"
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> parameters;  ///< own; name, shape
  std::int64_t parameter_count = 0;   ///< numbers; a tied tensor counts where it comes first
  std::int64_t flops_forward = 0;     ///< one row, eval mode
  std::int64_t activation_bytes = 0;  ///< that a training forward of the batch keeps
};

/// What a model costs, measured; no architecture writes a formula.
struct Cost {
  std::vector<ModuleCost> modules;    ///< in order of registration, the model itself first
  std::int64_t parameters = 0;        ///< numbers; tied tensors once
  std::int64_t flops_forward = 0;     ///< one row, eval mode; 2 per multiply-add
  std::int64_t flops_training = 0;    ///< one row's share of the batch's forward and backward
  std::int64_t activation_bytes = 0;  ///< most that forward, loss and backward hold at a time
  std::int64_t memory_bytes = 0;  ///< that, parameters, buffers, gradients, two optimizer moments
};

/// Runs one forward of `one` in eval mode and one training step without update of `batch`, and
/// watches the dispatcher and the allocator meanwhile. Parameters, gradients, buffers, modes and
/// random numbers are afterwards as before. A model without parameters to train has no backward.
///
/// FLOPs and kept bytes belong to a module without hooks: an operator that reads a parameter, or a
/// view of one, belongs to the module that owns it (the largest counts where it reads several); an
/// operator inside another belongs where that does; any other to the module that the operators
/// before it last read, or, where that is a leaf, to its parent. So the products of attention after
/// "blocks.0.attention.qkv" belong to "blocks.0.attention", and an output head that is tied to the
/// embedding belongs to the embedding.
/// @param one inputs of one row, on the model's device
/// @param batch inputs of a training step's rows, on the model's device
Cost measure_cost(Model& model, const Inputs& one, const Inputs& batch);

}  // namespace zoo
