#include "analysis/baselines.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <torch/types.h>

#include "analysis/naive_bayes.h"
#include "analysis/nearest_image.h"
#include "analysis/nearest_source.h"
#include "analysis/neighbour_table.h"
#include "core/errors.h"
#include "models/ngram.h"
#include "training/counting.h"
#include "training/evaluation.h"
#include "training/text_batches.h"

namespace zoo {
namespace {

constexpr std::int64_t kHighestOrder = 5;
constexpr double kAlpha = 0.1;
constexpr std::int64_t kWindow = 256;
/// Tables of more text would not fit beside the model.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 22;
/// Probabilities of one batch, which counting keeps in float64 several times over.
constexpr std::int64_t kProbabilities = std::int64_t{1} << 19;
constexpr std::int64_t kRowsAtOnce = 256;
/// Multiplications that the nearest of all images may take: about a minute.
constexpr double kMostProducts = 4e12;

Baseline counted(const Experiment& experiment, const std::string& split,
                 const NgramOptions& options, const RowOptions& rows) {
  const auto width = std::max<std::int64_t>(rows.width, 16);
  const auto batch_size =
      std::max<std::int64_t>(1, kProbabilities / (width * experiment.facts.vocab_size));
  const auto batches = [&](const std::string& name) {
    return OrderedBatches(TextRows(experiment.text.split(name), rows, torch::kCPU), batch_size);
  };
  NgramImpl model(options, experiment.facts);
  auto train = batches("train");
  count_batches(model, train);
  auto judged = batches(split);
  const auto name =
      text_of("counted ", options.order, "-gram", options.interpolate ? ", interpolated" : "");
  return {name, evaluate(model, *experiment.task, judged, split).loss, model.distinct_grams(), {}};
}

std::vector<Baseline> counted_ngrams(const Experiment& experiment, const std::string& split) {
  auto rows = experiment.row_options();
  if (rows.view == TextView::kPrefixes) {
    const bool lines = experiment.config.data.format != TextFormat::kText;
    rows.view = lines ? TextView::kLines : TextView::kWindows;
    rows.width = lines ? 0 : kWindow;
  }
  std::vector<Baseline> baselines;
  NgramOptions options;
  options.alpha = kAlpha;
  for (options.order = 1; options.order <= kHighestOrder; ++options.order) {
    baselines.push_back(counted(experiment, split, options, rows));
  }
  options.order = kHighestOrder;
  options.interpolate = true;
  baselines.push_back(counted(experiment, split, options, rows));
  return baselines;
}

/// The real tokens of every row of a batch.
std::vector<std::vector<std::int64_t>> rows_of(const Inputs& inputs) {
  const auto tokens = inputs.tokens.cpu().contiguous();
  const auto lengths = inputs.lengths.defined() ? inputs.lengths.cpu() : torch::Tensor();
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t i = 0; i < tokens.size(0); ++i) {
    const auto* first = tokens[i].const_data_ptr<std::int64_t>();
    const auto length = lengths.defined() ? lengths[i].item<std::int64_t>() : tokens.size(1);
    rows.emplace_back(first, first + length);
  }
  return rows;
}

NeighbourTable neighbour_table_of(const Experiment& experiment) {
  NeighbourTable table(experiment.facts.vocab_size);
  OrderedBatches batches(TextRows(experiment.text.train, experiment.row_options(), torch::kCPU),
                         kRowsAtOnce);
  const auto& facts = experiment.facts;
  for (std::int64_t number = 0; number < batches.size(); ++number) {
    for (const auto& row : rows_of(batches.at(number).inputs)) {
      table.count(row, [&](std::int64_t id) {
        return id != facts.boundary_id && id != facts.separator_id;
      });
    }
  }
  return table;
}

/// Losses and right answers of a table, with and without its neighbours.
struct TableFigures {
  double alone = 0.0;
  double between = 0.0;
  std::int64_t right_alone = 0;
  std::int64_t right_between = 0;
  std::int64_t count = 0;
};

void judge(const NeighbourTable& table, const std::vector<std::int64_t>& row,
           const std::vector<std::int64_t>& targets, std::int64_t mask_id, TableFigures& figures) {
  const auto seen = [&](std::size_t i) {
    return i < row.size() && row[i] != mask_id ? row[i] : NeighbourTable::kUnknown;
  };
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (targets[i] == kIgnored) continue;
    const auto left = i > 0 ? seen(i - 1) : NeighbourTable::kUnknown;
    figures.alone -= std::log(table.probability(targets[i]));
    figures.between -= std::log(table.probability(left, targets[i], seen(i + 1)));
    figures.right_alone +=
        table.likeliest(NeighbourTable::kUnknown, NeighbourTable::kUnknown) == targets[i] ? 1 : 0;
    figures.right_between += table.likeliest(left, seen(i + 1)) == targets[i] ? 1 : 0;
    ++figures.count;
  }
}

std::vector<Baseline> masked_token_baselines(const Experiment& experiment,
                                             const std::string& split) {
  const auto table = neighbour_table_of(experiment);
  const auto batches = experiment.all_batches(split);
  TableFigures figures;
  for (std::int64_t number = 0; number < batches->size(); ++number) {
    auto batch = batches->at(number);
    const auto rows = rows_of(batch.inputs);
    batch.inputs.tokens = batch.targets;
    const auto targets = rows_of(batch.inputs);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      judge(table, rows[i], targets[i], experiment.facts.mask_id, figures);
    }
  }
  const auto count = static_cast<double>(figures.count);
  const auto accuracy = [&](std::int64_t right) {
    return std::map<std::string, double>{{"accuracy", static_cast<double>(right) / count}};
  };
  return {{"counted tokens", figures.alone / count, table.distinct_tokens(),
           accuracy(figures.right_alone)},
          {"counted between neighbours", figures.between / count, table.distinct_triples(),
           accuracy(figures.right_between)}};
}

/// Texts and classes of a split.
struct LabelledTexts {
  std::vector<std::string> texts;
  std::vector<std::int32_t> labels;
};

LabelledTexts labelled_texts(const Experiment& experiment, const std::string& name) {
  const auto& split = experiment.text.split(name);
  LabelledTexts labelled;
  for (std::size_t i = 0; i < split.labels.size(); ++i) {
    const auto ids = split.tokens.range(split.starts[i] + 1, split.starts[i + 1]);
    labelled.texts.push_back(experiment.vocabulary.target().decode(ids));
    labelled.labels.push_back(split.labels[i]);
  }
  return labelled;
}

Baseline judged_classes(const std::string& name, const std::vector<std::int32_t>& answers,
                        const std::vector<std::int32_t>& labels, std::int64_t classes,
                        std::int64_t counts) {
  const auto K = static_cast<std::size_t>(classes);
  Confusion confusion(K, std::vector<std::int64_t>(K, 0));
  std::int64_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++confusion[static_cast<std::size_t>(labels[i])][static_cast<std::size_t>(answers[i])];
    right += answers[i] == labels[i] ? 1 : 0;
  }
  const auto accuracy = static_cast<double>(right) / static_cast<double>(labels.size());
  return {name, {}, counts, {{"accuracy", accuracy}, {"macro_f1", macro_f1(confusion)}}};
}

Baseline largest_class(const std::vector<std::int32_t>& train,
                       const std::vector<std::int32_t>& judged, std::int64_t classes) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(classes), 0);
  for (const auto label : train) ++sizes[static_cast<std::size_t>(label)];
  const auto largest =
      static_cast<std::int32_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  return judged_classes("largest class", std::vector<std::int32_t>(judged.size(), largest), judged,
                        classes, classes);
}

/// The bytes of a split's images [N, P], where they are.
torch::Tensor bytes_of(const ImageSplit& split, const ImageSize& size) {
  // Only read; from_blob takes no const.
  return torch::from_blob(const_cast<std::uint8_t*>(split.pixels.data()),
                          {split.size(), size.pixels()}, torch::kUInt8);
}

std::vector<Baseline> image_baselines(const Experiment& experiment, const std::string& split) {
  const auto& images = experiment.images;
  const auto& train = images.train;
  const auto& judged = images.split(split);
  const auto K = experiment.facts.classes;
  std::vector<Baseline> baselines = {largest_class(train.labels, judged.labels, K)};
  const auto products = static_cast<double>(train.size()) * static_cast<double>(judged.size()) *
                        static_cast<double>(images.size.pixels());
  if (split == "train" || products > kMostProducts) return baselines;
  const auto nearest =
      nearest_images(bytes_of(train, images.size), bytes_of(judged, images.size)).contiguous();
  const auto* found = nearest.const_data_ptr<std::int64_t>();
  std::vector<std::int32_t> answers;
  for (std::int64_t i = 0; i < judged.size(); ++i) {
    answers.push_back(train.labels[static_cast<std::size_t>(found[i])]);
  }
  baselines.push_back(
      judged_classes("nearest training image", answers, judged.labels, K, train.size()));
  return baselines;
}

std::vector<Baseline> class_baselines(const Experiment& experiment, const std::string& split) {
  const auto train = labelled_texts(experiment, "train");
  const auto judged = labelled_texts(experiment, split);
  const auto K = experiment.facts.classes;
  const NaiveBayes bayes(train.texts, train.labels, K);
  std::vector<std::int32_t> answers;
  for (const auto& text : judged.texts) answers.push_back(bayes.predict(text));
  return {largest_class(train.labels, judged.labels, K),
          judged_classes("naive Bayes, 1- to 4-grams", answers, judged.labels, K,
                         bayes.distinct_grams())};
}

/// The sources of the training split, in its order.
std::vector<std::string> training_sources(const Experiment& experiment) {
  const auto& split = experiment.text.train;
  std::vector<std::string> sources;
  for (std::size_t i = 0; i < split.separators.size(); ++i) {
    sources.push_back(experiment.vocabulary.source().decode(
        split.tokens.range(split.starts[i] + 1, split.separators[i])));
  }
  return sources;
}

}  // namespace

std::vector<Baseline> baselines_of(const Experiment& experiment, const std::string& split) {
  if (experiment.text.train.tokens.size() > kMostTokens) return {};
  switch (experiment.config.general.task) {
    case TaskType::kLanguageModel:
      return counted_ngrams(experiment, split);
    case TaskType::kMaskedLanguageModel:
      return masked_token_baselines(experiment, split);
    case TaskType::kTextClassification:
      return class_baselines(experiment, split);
    case TaskType::kImageClassification:
      return image_baselines(experiment, split);
    case TaskType::kSequenceToSequence:
      break;
  }
  return {};
}

std::vector<TranslationBaseline> translation_baselines(const Experiment& experiment,
                                                       const std::vector<Answer>& answers) {
  const auto& split = experiment.text.train;
  const NearestSource nearest(training_sources(experiment));
  std::vector<TranslationBaseline> baselines = {{"copy the source", answers},
                                                {"target of the nearest training source", answers}};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    baselines[0].answers[i].given = {answers[i].source, 0.0, true};
    const auto found = nearest.nearest(answers[i].source);
    const auto target = split.tokens.range(split.separators[found] + 1, split.starts[found + 1]);
    baselines[1].answers[i].given = {experiment.vocabulary.target().decode(target), 0.0, true};
  }
  return baselines;
}

NearDuplicateIndex index_training_sources(const Experiment& experiment) {
  const auto sources = training_sources(experiment);
  return NearDuplicateIndex(std::vector<std::string_view>(sources.begin(), sources.end()));
}

std::vector<Answer> without_near_duplicates(const NearDuplicateIndex& index,
                                            const std::vector<Answer>& answers) {
  std::vector<Answer> kept;
  for (const auto& answer : answers) {
    if (!index.has_near(answer.source)) kept.push_back(answer);
  }
  return kept;
}

}  // namespace zoo
