#include "analysis/example_scores.h"

#include <numbers>
#include <numeric>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "inference/answers.h"
#include "text/utf8.h"
#include "training/text_batches.h"

namespace zoo {
namespace {

/// Predicted tokens of running text that count as one example.
constexpr double kBlock = 512;
constexpr std::int64_t kLogitsAtOnce = std::int64_t{1} << 21;

/// What a model is worth on each row of a split, in their order in the data.
struct RowLosses {
  std::vector<double> nats;
  std::vector<double> counts;  ///< predicted tokens
  std::vector<double> right;   ///< of classes: 1 where the answer is right
};

/// Rows in their order in the data.
class RowsInOrder : public BatchSource {
 public:
  RowsInOrder(TextRows rows, std::int64_t batch_size)
      : rows_(std::move(rows)),
        batch_size_(batch_size),
        order_(static_cast<std::size_t>(rows_.size())) {
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    order_there_ = torch::tensor(order_, torch::kInt64).to(rows_.device());
  }
  std::int64_t size() const override { return (rows_.size() + batch_size_ - 1) / batch_size_; }
  Batch at(std::int64_t number) override {
    const auto first = number * batch_size_;
    const auto count = std::min(batch_size_, rows_.size() - first);
    return rows_.gather(rows_.spans(order_, order_there_, first, count, /*shift=*/0));
  }

 private:
  TextRows rows_;
  std::int64_t batch_size_;
  std::vector<std::int64_t> order_;
  torch::Tensor order_there_;
};

std::unique_ptr<BatchSource> batches_in_order(const Experiment& experiment,
                                              const std::string& split) {
  if (experiment.reads_images()) return experiment.all_batches(split);
  const auto options = experiment.row_options();
  const auto width = std::max<std::int64_t>(options.width, 32);
  const auto rows =
      std::clamp<std::int64_t>(kLogitsAtOnce / (width * experiment.facts.vocab_size), 1, 512);
  return experiment.task->batches(
      std::make_unique<RowsInOrder>(
          TextRows(experiment.text.split(split), options, experiment.device), rows),
      rows, /*seed=*/1);
}

void append(std::vector<double>& values, const torch::Tensor& tensor) {
  const auto there = tensor.to(torch::kCPU, torch::kFloat64).contiguous();
  const auto* first = there.const_data_ptr<double>();
  values.insert(values.end(), first, first + there.numel());
}

RowLosses row_losses(const Experiment& experiment, const std::string& split) {
  const auto task =
      make_task(experiment.config.general.task, /*label_smoothing=*/0.0, experiment.facts);
  const auto batches = batches_in_order(experiment, split);
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode(*experiment.model);
  RowLosses losses;
  for (std::int64_t number = 0; number < batches->size(); ++number) {
    const auto batch = batches->at(number);
    const auto logits = experiment.model->forward(batch.inputs);
    const auto loss = task->training_loss(logits, batch);
    append(losses.nats, loss.sum);
    append(losses.counts, loss.count);
    if (experiment.facts.classes > 0) append(losses.right, logits.argmax(-1).eq(batch.targets));
  }
  return losses;
}

/// Predicted tokens of each line.
std::vector<double> predicted_of(const TextSplit& split) {
  std::vector<double> predicted;
  for (std::size_t i = 0; i + 1 < split.starts.size(); ++i) {
    predicted.push_back(static_cast<double>(split.starts[i + 1] - split.starts[i]));
  }
  return predicted;
}

/// Blocks of running text.
std::vector<double> blocks_of(double predicted) {
  std::vector<double> blocks(static_cast<std::size_t>(predicted / kBlock), kBlock);
  const auto rest = predicted - kBlock * static_cast<double>(blocks.size());
  if (rest > 0) blocks.push_back(rest);
  return blocks;
}

/// Adds rows up to examples: one of several rows gets what they have together, a row of several
/// examples is shared by their predicted tokens.
std::vector<double> gathered(const RowLosses& losses, const std::vector<double>& predicted) {
  std::vector<double> sums(predicted.size(), 0.0);
  std::size_t row = 0;
  double left_in_row = 0.0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    double wanted = predicted[i];
    while (wanted > 0.0 && row < losses.counts.size()) {
      if (left_in_row == 0.0) left_in_row = losses.counts[row];
      const auto taken = std::min(wanted, left_in_row);
      if (taken > 0.0) sums[i] += losses.nats[row] * taken / losses.counts[row];
      wanted -= taken;
      left_in_row -= taken;
      if (left_in_row == 0.0) ++row;
    }
  }
  return sums;
}

ExampleScores scores_of_text(const Experiment& experiment, const std::string& split_name) {
  const auto& split = experiment.text.split(split_name);
  const auto losses = row_losses(experiment, split_name);
  const bool running = experiment.text.format == TextFormat::kText;
  const auto total = std::accumulate(losses.counts.begin(), losses.counts.end(), 0.0);
  const auto predicted = running ? blocks_of(total) : predicted_of(split);
  require<UserError>(running || std::accumulate(predicted.begin(), predicted.end(), 0.0) == total,
                     "data.long_lines: lines of ", split_name,
                     " were cut or left out, so that models cannot be compared by it; use refuse");
  ExampleScores scores{gathered(losses, predicted), characters_of(experiment.text, split)};
  for (auto& value : scores.values) value /= std::numbers::ln2;
  if (running) {
    const auto characters = static_cast<double>(split.characters);
    scores.weights.clear();
    for (const auto tokens : predicted) scores.weights.push_back(characters * tokens / total);
  }
  return scores;
}

ExampleScores scores_of_targets(const Experiment& experiment, const std::string& split) {
  TranslationOptions options;
  options.generation.sampling.greedy = true;
  options.generation.max_new_tokens = experiment.config.training.sample_length;
  ExampleScores scores;
  for (const auto& answer : answer_split(experiment, split, /*count=*/-1, options)) {
    scores.values.push_back(answer.given.text == answer.wanted ? 1.0 : 0.0);
    scores.weights.push_back(1.0);
  }
  return scores;
}

}  // namespace

Yardstick yardstick_of(const Config& config) {
  switch (config.general.task) {
    case TaskType::kLanguageModel:
      return {"bits per character", false};
    case TaskType::kMaskedLanguageModel:
      return {"bits per hidden token", false};
    case TaskType::kSequenceToSequence:
      return {"exact match", true};
    case TaskType::kTextClassification:
    case TaskType::kImageClassification:
      break;
  }
  return {"accuracy", true};
}

ExampleScores example_scores(const Experiment& experiment, const std::string& split) {
  const auto task = experiment.config.general.task;
  if (task == TaskType::kLanguageModel) return scores_of_text(experiment, split);
  if (task == TaskType::kSequenceToSequence) return scores_of_targets(experiment, split);
  const auto losses = row_losses(experiment, split);
  if (tells_classes(task)) return {losses.right, losses.counts};
  ExampleScores scores{losses.nats, losses.counts};
  for (auto& value : scores.values) value /= std::numbers::ln2;
  return scores;
}

std::vector<double> characters_of(const TextData& text, const TextSplit& split) {
  if (text.format == TextFormat::kText) return {static_cast<double>(split.characters)};
  std::vector<double> characters;
  for (std::size_t i = 0; i + 1 < split.starts.size(); ++i) {
    const auto line = split.tokens.range(split.starts[i] + 1, split.starts[i + 1]);
    characters.push_back(static_cast<double>(count_characters(text.tokenizer->decode(line)) + 1));
  }
  return characters;
}

}  // namespace zoo
