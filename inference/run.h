#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "inference/generation.h"
#include "models/model.h"
#include "text/text_data.h"
#include "text/tokenizers/tokenizer.h"
#include "training/checkpoint.h"
#include "training/config.h"
#include "training/experiment.h"

namespace zoo {

/// A run folder opened for use: its config, one checkpoint, and the model with those weights. The
/// folder alone is needed, wherever it was moved.
struct Run {
  std::filesystem::path folder;
  RawConfig raw;
  Config config;
  Checkpoint checkpoint;
  std::shared_ptr<const Tokenizer> tokenizer;
  DataFacts facts;
  torch::Device device;
  std::shared_ptr<Model> model;
};

/// Reads RUN/config.json with `settings` over it. Throws UserError when the folder is not a run.
RawConfig read_run_config(const std::filesystem::path& folder,
                          const std::vector<std::string>& settings = {});

/// The tokenizer that a checkpoint holds. Throws UserError when it is not the one that the weights
/// were trained with.
std::shared_ptr<const Tokenizer> tokenizer_of(const Checkpoint& checkpoint);

/// `checkpoint` is "best", "last" or "step-N"; `device` as in a config, "" for the run's own.
Run open_run(const std::filesystem::path& folder, const std::string& checkpoint,
             const std::string& device);

/// The run's data, checked to be what it was trained on, with its model in place.
Experiment experiment_of(const Run& run);

/// Texts that follow a prompt.
struct GeneratedText {
  std::string text;  ///< with the prompt, without boundaries
  double log_probability = 0.0;
};

/// Whether a run writes targets for sources rather than going on with a text.
inline bool translates(const Config& config) {
  return config.general.task == TaskType::kSequenceToSequence;
}

/// Generates `count` texts after one prompt. A line starts at its boundary; running text without a
/// prompt after a line break. Throws UserError for a prompt with unknown characters.
std::vector<GeneratedText> generate_texts(Model& model, const Tokenizer& tokenizer,
                                          const Config& config, const std::string& prompt,
                                          std::int64_t count, const GenerationOptions& options);

}  // namespace zoo
