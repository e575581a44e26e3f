#include "analysis/example_scores.h"

#include <numbers>
#include <numeric>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "inference/answers.h"
#include "models/shapes.h"
#include "text/utf8.h"
#include "training/text_batches.h"

namespace zoo {
namespace {

/// Predicted tokens of running text that count as one example.
constexpr double kBlock = 512;
/// Rows that are read together, and most tokens of running text that are hidden, for a
/// pseudo-log-likelihood: each costs a forward of its row.
constexpr std::int64_t kPseudoRows = 256;
constexpr std::int64_t kMostHidden = std::int64_t{1} << 15;

/// What a model is worth on each row of a split, in their order in the data.
struct RowLosses {
  std::vector<double> nats;
  std::vector<double> counts;  ///< predicted tokens
  std::vector<double> right;   ///< of classes: 1 where the answer is right
};

void append(std::vector<double>& values, const torch::Tensor& tensor) {
  const auto there = tensor.to(torch::kCPU, torch::kFloat64).contiguous();
  const auto* first = there.const_data_ptr<double>();
  values.insert(values.end(), first, first + there.numel());
}

RowLosses row_losses(const Experiment& experiment, const std::string& split) {
  const auto task =
      make_task(experiment.config.general.task, /*label_smoothing=*/0.0, experiment.facts);
  const auto batches = experiment.all_batches(split, RowOrder::kAsGiven);
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

/// Which tokens a masked model may be asked for: real ones that are no marks: bool [B, T].
torch::Tensor words_of(const Inputs& inputs, const DataFacts& facts) {
  const auto& tokens = inputs.tokens;
  const auto words = tokens.ne(facts.boundary_id).logical_and(tokens.ne(facts.separator_id));
  return inputs.lengths.defined() ? words.logical_and(real_tokens(inputs)) : words;
}

/// Minus the pseudo-log-likelihood of each row (Salazar et al., 2020): every token hidden by
/// itself. Of running text as many rows, evenly apart, as have kMostHidden tokens.
RowLosses pseudo_losses(const Experiment& experiment, const std::string& split) {
  const auto& facts = experiment.facts;
  const bool running = experiment.text.format == TextFormat::kText;
  const auto tokens_there = experiment.text.split(split).tokens.size();
  const auto step = running ? (tokens_there + kMostHidden - 1) / kMostHidden : 1;
  OrderedBatches batches(
      TextRows(experiment.text.split(split), experiment.row_options(), experiment.device),
      kPseudoRows * step, RowOrder::kAsGiven);
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode(*experiment.model);
  RowLosses losses;
  for (std::int64_t number = 0; number < batches.size(); ++number) {
    auto inputs = batches.at(number).inputs;
    for (auto& [name, tensor] : inputs.tensors()) {
      if (tensor->defined()) *tensor = tensor->slice(0, 0, c10::nullopt, step);
    }
    const auto tokens = inputs.tokens;  // [B, T]
    const auto words = words_of(inputs, facts);
    auto nats = torch::zeros({tokens.size(0)}, torch::TensorOptions().device(tokens.device()));
    for (std::int64_t t = 0; t < tokens.size(1); ++t) {
      const auto asked = words.select(1, t);  // [B]
      inputs.tokens = tokens.clone();
      inputs.tokens.select(1, t).masked_fill_(asked, facts.mask_id);
      const auto logits = experiment.model->forward(inputs).select(1, t);  // [B, V]
      const auto lost =
          at::cross_entropy_loss(logits, tokens.select(1, t), /*weight=*/{}, at::Reduction::None);
      nats += lost.masked_fill(asked.logical_not(), 0.0);
    }
    append(losses.nats, nats);
    append(losses.counts, words.sum(1));
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

ExampleScores scores_of_masked(const Experiment& experiment, const std::string& split_name) {
  const auto& split = experiment.text.split(split_name);
  const auto losses = pseudo_losses(experiment, split_name);
  ExampleScores scores{losses.nats, {}};
  for (auto& value : scores.values) value /= std::numbers::ln2;
  if (experiment.text.format == TextFormat::kText) {
    const auto characters =
        static_cast<double>(split.characters) / static_cast<double>(split.tokens.size());
    for (const auto tokens : losses.counts) scores.weights.push_back(characters * tokens);
    return scores;
  }
  require<UserError>(std::ssize(losses.nats) == split.size(), "data.long_lines: lines of ",
                     split_name,
                     " were left out, so that models cannot be compared by it; use refuse");
  for (const auto characters : characters_of(experiment.text, split)) {
    scores.weights.push_back(characters - 1);  // their end is no token to hide
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
      return {"pseudo-bits per character", false};
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
  if (task == TaskType::kMaskedLanguageModel) return scores_of_masked(experiment, split);
  const auto losses = row_losses(experiment, split);
  return {losses.right, losses.counts};
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
