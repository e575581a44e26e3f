#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "training/checkpoint.h"
#include "training/config.h"
#include "training/tensor_file.h"
#include "training/vocabulary.h"

namespace zoo {

/// A run that another one starts from.
struct Initialization {
  std::filesystem::path run;
  Config config;
  Checkpoint checkpoint;  ///< its best
  Vocabulary vocabulary;
};

/// Opens the run for a new one of `config`, whose tokenizer sections become the run's own. Throws
/// UserError when the folder is no run, and ConfigError naming each difference when the
/// architecture is another or a tokenizer option that `raw` sets has another value there.
Initialization open_initialization(const std::filesystem::path& run, const RawConfig& raw,
                                   Config& config);

/// What became of the weights.
struct InitializationReport {
  TensorMatch tensors;
  std::vector<std::string> differences;  ///< "model.dropout: 0.1 there, 0.2 here"
};

/// Copies the weights that run and model both have. Throws UserError naming each tensor of another
/// shape that the model cannot resize, and when the classes are other ones.
InitializationReport initialize(Model& model, const Config& config, const Vocabulary& vocabulary,
                                const Initialization& from);

}  // namespace zoo
