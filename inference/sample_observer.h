#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/model.h"
#include "text/tokenizer.h"
#include "training/config.h"
#include "training/trainer.h"

namespace zoo {

/// Generates a few texts at every evaluation, always from the same seed, and hands them on.
class SampleObserver : public TrainingObserver {
 public:
  using Sink = std::function<void(const Progress&, const std::vector<std::string>&)>;

  SampleObserver(Model& model, const Tokenizer& tokenizer, const Config& config, Sink sink)
      : model_(model), tokenizer_(tokenizer), config_(config), sink_(std::move(sink)) {}

  bool on_evaluation(const Progress& progress, const Evaluation& evaluation) override;

 private:
  Model& model_;
  const Tokenizer& tokenizer_;
  const Config& config_;
  Sink sink_;
};

}  // namespace zoo
