#pragma once

#include <string>
#include <vector>

#include <torch/types.h>

#include "inference/run.h"
#include "models/model.h"
#include "training/experiment.h"

namespace zoo {

/// A model with what it takes to give it texts, of a run or of one that is being trained. Nothing
/// is owned.
struct TrainedModel {
  Model& model;
  const Vocabulary& vocabulary;
  const DataFacts& facts;
  const Config& config;
  torch::Device device;

  const Architecture& architecture() const {
    return find_architecture(config.general.architecture);
  }
  /// Most tokens of a row; 0: any number.
  std::int64_t block_size() const { return architecture().block_size(config.model); }
};

TrainedModel trained_model(const Run& run);
TrainedModel trained_model(const Experiment& experiment);

/// Rows of any lengths, padded on the right: tokens [B, T], and lengths [B] where any is padded.
struct PaddedRows {
  torch::Tensor tokens;
  torch::Tensor lengths;
};
PaddedRows padded_rows(const std::vector<std::vector<std::int64_t>>& rows, std::int64_t pad_id,
                       torch::Device device);

/// Texts as the model's task reads them: `[CLS]text[SEP]` for hidden tokens and classes, as
/// Inputs.source where sources are read apart, `$text` otherwise. Throws UserError naming the
/// number of a text that has unknown characters or is too long, unless `cut` takes its end off;
/// `what` it is in messages.
Inputs inputs_of(const TrainedModel& trained, const std::vector<std::string>& texts,
                 const std::string& what, bool cut = false);

/// Puts a model into evaluation mode, and at the end of the scope back.
class EvaluationMode {
 public:
  explicit EvaluationMode(Model& model) : model_(model), was_training_(model.is_training()) {
    model_.eval();
  }
  ~EvaluationMode() { model_.train(was_training_); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  Model& model_;
  bool was_training_;
};

}  // namespace zoo
