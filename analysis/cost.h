#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "training/optimizer.h"

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
  std::int64_t activation_bytes = 0;  ///< that a training forward of the batch keeps, operator by
                                      ///< operator; kernels of our own show in the whole alone
  std::int64_t lasting_bytes = 0;     ///< own parameters, buffers, gradients and moments; tied once
};

/// What a model costs, measured; no architecture writes a formula.
struct Cost {
  std::vector<ModuleCost> modules;    ///< in order of registration, the model itself first
  std::int64_t parameters = 0;        ///< numbers; tied tensors once
  std::int64_t flops_forward = 0;     ///< one row, eval mode; 2 per multiply-add
  std::int64_t flops_training = 0;    ///< one row's share of the batch's forward and backward
  std::int64_t activation_bytes = 0;  ///< most that forward, loss and backward hold at a time
  std::int64_t kept_bytes = 0;        ///< of that, what the forward keeps for the backward
  std::int64_t batch_bytes = 0;       ///< what the model reads
  std::int64_t parameter_bytes = 0;
  std::int64_t buffer_bytes = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t optimizer_bytes = 0;  ///< moments
  /// The most that training holds at a time, data and program apart: what lasts, and beside it the
  /// batch with its activations or, where they are more, the parameters once more, which the
  /// optimizer copies before it starts.
  std::int64_t memory_bytes = 0;

  /// What lives as long as training does.
  std::int64_t lasting_bytes() const {
    return parameter_bytes + buffer_bytes + gradient_bytes + optimizer_bytes;
  }
};

/// Runs one forward of `one` in eval mode and two training steps without update of `batch`; watches
/// the dispatcher meanwhile, and in the last step the allocator alone, as it is in a real run.
/// Parameters, gradients, buffers, modes and random numbers are afterwards as before. A model
/// without parameters to train has no backward.
///
/// FLOPs and kept bytes belong to a module without hooks: an operator that reads a parameter, or a
/// view of one, belongs to the module that owns it (the largest counts where it reads several); an
/// operator inside another belongs where that does; any other to the module that the operators
/// before it last read, or, where that is a leaf, to its parent. So the products of attention after
/// "blocks.0.attention.qkv" belong to "blocks.0.attention", and an output head that is tied to the
/// embedding belongs to the embedding.
/// @param one inputs of one row, on the model's device
/// @param batch inputs of a training step's rows, on the model's device
/// @param optimizer whose moments are counted
Cost measure_cost(Model& model, const Inputs& one, const Inputs& batch,
                  OptimizerType optimizer = OptimizerType::kAdamW);

/// So many rows of a batch: views.
Inputs first_rows(Inputs batch, std::int64_t count);

/// The same as measure_cost above, with the first row of the batch as the one.
Cost measure_cost(Model& model, const Inputs& batch, OptimizerType optimizer);

/// The same of a batch of `count` rows like these, where `available` bytes are left: if it may need
/// more than half of them, a few rows are measured and their activations extended to all.
Cost foretell_cost(Model& model, const Inputs& rows, std::int64_t count, OptimizerType optimizer,
                   std::int64_t available);

}  // namespace zoo
