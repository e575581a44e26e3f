#pragma once

#include <functional>
#include <string>
#include <vector>

#include "training/experiment.h"
#include "training/trainer.h"

namespace zoo {

/// Asks the model for a few texts at every evaluation, always from the same seed, and hands them
/// on: new texts, or, of a task with right answers, "source → answer" for the first examples of the
/// judging split.
class SampleObserver : public TrainingObserver {
 public:
  using Sink = std::function<void(const Progress&, const std::vector<std::string>&)>;

  SampleObserver(const Experiment& experiment, Sink sink)
      : experiment_(experiment), sink_(std::move(sink)) {}

  bool on_evaluation(const Progress& progress, const Evaluation& evaluation) override;

 private:
  const Experiment& experiment_;
  Sink sink_;
};

}  // namespace zoo
