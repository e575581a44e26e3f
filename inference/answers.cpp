#include "inference/answers.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "inference/classification.h"
#include "text/translation_scores.h"

namespace zoo {
namespace {

/// Sources and targets of a split, those left out that the model was not trained on either.
std::vector<Answer> pairs_of(const Experiment& experiment, const TextSplit& split,
                             std::int64_t count) {
  const auto block = trained_model(experiment).block_size();
  const bool skip = experiment.config.data.long_lines == LongLines::kSkip && block > 0;
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < split.separators.size() && count != 0; ++i) {
    const auto begin = split.starts[i];
    const auto separator = split.separators[i];
    const auto end = split.starts[i + 1];
    const auto positions = experiment.architecture.reads_source
                               ? std::max(separator - begin, end - separator)
                               : end - begin;
    if (skip && positions > block) continue;
    answers.push_back(
        {experiment.vocabulary.source().decode(split.tokens.range(begin + 1, separator)),
         experiment.vocabulary.target().decode(split.tokens.range(separator + 1, end)),
         {}});
    --count;
  }
  return answers;
}

std::vector<std::string> sources_of(const std::vector<Answer>& answers) {
  std::vector<std::string> sources;
  for (const auto& answer : answers) sources.push_back(answer.source);
  return sources;
}

std::vector<Answer> translated(const Experiment& experiment, const TextSplit& split,
                               std::int64_t count, TranslationOptions options) {
  options.cut = options.cut || experiment.config.data.long_lines == LongLines::kCut;
  auto answers = pairs_of(experiment, split, count);
  auto translations = translate(trained_model(experiment), sources_of(answers), options);
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i].given = translations[i].front();
  return answers;
}

std::vector<Answer> classified(const Experiment& experiment, const TextSplit& split,
                               std::int64_t count) {
  const auto size = static_cast<std::size_t>(split.size());
  const auto wanted = count < 0 ? size : std::min(size, static_cast<std::size_t>(count));
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto label = static_cast<std::size_t>(split.labels[i]);
    const auto ids = split.tokens.range(split.starts[i] + 1, split.starts[i + 1]);
    answers.push_back(
        {experiment.vocabulary.target().decode(ids), experiment.vocabulary.classes[label], {}});
  }
  const auto found = classify(trained_model(experiment), sources_of(answers), /*cut=*/true);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answers[i].given = {found[i].label(), std::log(found[i].probability()), true};
  }
  return answers;
}

/// The text of row `number` of tokens [B, T], without padding and marks.
std::string text_of_row(const Experiment& experiment, const Inputs& inputs,
                        const torch::Tensor& tokens, std::int64_t number) {
  const auto there = tokens[number].to(torch::kCPU).contiguous();
  const auto* first = there.const_data_ptr<std::int64_t>();
  const auto length =
      inputs.lengths.defined() ? inputs.lengths[number].item<std::int64_t>() : there.numel();
  std::vector<std::int64_t> ids(first, first + length);
  const auto& facts = experiment.facts;
  std::erase_if(
      ids, [&](std::int64_t id) { return id == facts.boundary_id || id == facts.separator_id; });
  return experiment.vocabulary.target().decode(ids);
}

/// The rows with the masks that evaluation gives them.
std::vector<Answer> filled(const Experiment& experiment, const std::string& split,
                           std::int64_t count) {
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode(*experiment.model);
  const auto batches = experiment.all_batches(split);
  std::vector<Answer> answers;
  for (std::int64_t number = 0; number < batches->size(); ++number) {
    const auto batch = batches->at(number);
    const auto& tokens = batch.inputs.tokens;
    const auto log_probabilities = experiment.model->forward(batch.inputs).log_softmax(-1);
    const auto [best, ids] = log_probabilities.max(-1);  // [B, T]
    const auto hidden = batch.targets.ne(kIgnored);
    const auto found = torch::where(hidden, ids, tokens);
    const auto right = torch::where(hidden, batch.targets, tokens);
    const auto sums = best.masked_fill(hidden.logical_not(), 0.0).sum(1).cpu();
    for (std::int64_t row = 0; row < tokens.size(0); ++row) {
      if (static_cast<std::int64_t>(answers.size()) == count) return answers;
      const auto text = [&](const torch::Tensor& shown) {
        return text_of_row(experiment, batch.inputs, shown, row);
      };
      answers.push_back({text(tokens), text(right), {text(found), sums[row].item<double>(), true}});
    }
  }
  return answers;
}

/// Where an image is, without the folders that all images are in: "3/a.png", "digits.csv, line 7".
std::string short_place(const ImageSplit& split, std::int64_t image) {
  const std::filesystem::path place = split.place_of(image);
  const bool in_class_folder = split.number_in_file[static_cast<std::size_t>(image)] == 0;
  return (in_class_folder ? place.parent_path().filename() / place.filename() : place.filename())
      .string();
}

/// What images of a split were taken for, in their order, `count` at most (-1: all).
std::vector<Answer> classified_images(const Experiment& experiment, const std::string& name,
                                      std::int64_t count, bool mistakes_only) {
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode(*experiment.model);
  const auto& split = experiment.images.split(name);
  const auto& classes = experiment.vocabulary.classes;
  const auto batches = experiment.all_batches(name);
  std::vector<Answer> answers;
  std::int64_t image = 0;
  for (std::int64_t number = 0; number < batches->size(); ++number) {
    const auto logits = experiment.model->forward(batches->at(number).inputs);
    const auto [sure, found] = logits.log_softmax(-1).cpu().to(torch::kFloat64).max(-1);  // [B]
    for (std::int64_t row = 0; row < found.size(0); ++row, ++image) {
      if (static_cast<std::int64_t>(answers.size()) == count) return answers;
      const auto wanted = static_cast<std::size_t>(split.labels[static_cast<std::size_t>(image)]);
      const auto given = static_cast<std::size_t>(found[row].item<std::int64_t>());
      if (mistakes_only && given == wanted) continue;
      answers.push_back({short_place(split, image),
                         classes[wanted],
                         {classes[given], sure[row].item<double>(), true}});
    }
  }
  return answers;
}

}  // namespace

std::vector<Answer> surest_mistakes(const Experiment& experiment, const std::string& split,
                                    std::int64_t count) {
  auto mistakes = classified_images(experiment, split, -1, /*mistakes_only=*/true);
  std::stable_sort(mistakes.begin(), mistakes.end(), [](const Answer& a, const Answer& b) {
    return a.given.log_probability > b.given.log_probability;
  });
  if (static_cast<std::int64_t>(mistakes.size()) > count) {
    mistakes.resize(static_cast<std::size_t>(count));
  }
  return mistakes;
}

std::vector<Answer> answer_split(const Experiment& experiment, const std::string& name,
                                 std::int64_t count, const TranslationOptions& options) {
  switch (experiment.config.general.task) {
    case TaskType::kSequenceToSequence:
      return translated(experiment, experiment.text.split(name), count, options);
    case TaskType::kTextClassification:
      return classified(experiment, experiment.text.split(name), count);
    case TaskType::kImageClassification:
      return classified_images(experiment, name, count, /*mistakes_only=*/false);
    case TaskType::kMaskedLanguageModel:
      return filled(experiment, name, count);
    case TaskType::kLanguageModel:
      break;
  }
  throw std::logic_error("a language model has no right answers");
}

TranslationScores score(const std::vector<Answer>& answers) {
  TranslationScores scores;
  scores.pairs = static_cast<std::int64_t>(answers.size());
  if (answers.empty()) return scores;
  std::vector<std::string> written, wanted;
  std::int64_t exact = 0;
  for (const auto& answer : answers) {
    written.push_back(answer.given.text);
    wanted.push_back(answer.wanted);
    exact += answer.given.text == answer.wanted && answer.given.finished ? 1 : 0;
  }
  scores.exact_match = static_cast<double>(exact) / static_cast<double>(answers.size());
  scores.bleu = bleu(written, wanted);
  scores.chrf = chrf(written, wanted);
  return scores;
}

}  // namespace zoo
