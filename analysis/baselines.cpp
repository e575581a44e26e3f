#include "analysis/baselines.h"

#include <algorithm>

#include <torch/types.h>

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

Baseline counted(const Experiment& experiment, const NgramOptions& options,
                 const RowOptions& rows) {
  const auto width = std::max<std::int64_t>(rows.width, 16);
  const auto batch_size =
      std::max<std::int64_t>(1, kProbabilities / (width * experiment.facts.vocab_size));
  const auto batches = [&](const std::string& split) {
    return OrderedBatches(TextRows(experiment.data.split(split), rows, torch::kCPU), batch_size);
  };
  NgramImpl model(options, experiment.facts);
  auto train = batches("train");
  count_batches(model, train);
  const auto split = experiment.judging_split();
  auto judged = batches(split);
  const auto name =
      text_of("counted ", options.order, "-gram", options.interpolate ? ", interpolated" : "");
  return {name, evaluate(model, *experiment.task, judged, split).loss, model.distinct_grams()};
}

}  // namespace

std::vector<Baseline> counted_baselines(const Experiment& experiment) {
  if (experiment.data.train.tokens.size() > kMostTokens) return {};
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
    baselines.push_back(counted(experiment, options, rows));
  }
  options.order = kHighestOrder;
  options.interpolate = true;
  baselines.push_back(counted(experiment, options, rows));
  return baselines;
}

}  // namespace zoo
