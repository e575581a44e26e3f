#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "inference/export/scripted_program.h"

namespace zoo {

/// The most by which any answer of an export may differ from the model's own.
inline constexpr double kExportTolerance = 1e-5;

/// One call to an export and to the model that it was made from.
struct ProofCase {
  std::string method;
  std::vector<std::vector<std::int64_t>> shapes;  ///< of the arguments
  /// The largest of any number of the answers, computed with the operators that the export has.
  double difference = 0.0;
  /// The same where the model computes as it does elsewhere, with the kernels of this library.
  double kernel_difference = 0.0;
  double export_milliseconds = 0.0;  ///< the fastest of a few calls
  double model_milliseconds = 0.0;
};

/// Calls every method of an export in sizes that were not traced, and the model beside it. Throws
/// UserError where the export's encode or decode differs from the tokenizer.
std::vector<ProofCase> prove(const TrainedModel& trained, TorchscriptFile& file);

/// Of all cases.
double largest_difference(const std::vector<ProofCase>& cases);
double largest_kernel_difference(const std::vector<ProofCase>& cases);

nlohmann::json proof_json(const std::vector<ProofCase>& cases);

}  // namespace zoo
