#include "analysis/examination.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "analysis/cost.h"
#include "analysis/image_audit.h"
#include "analysis/machine.h"
#include "analysis/text_audit.h"
#include "core/errors.h"
#include "training/experiment.h"

namespace zoo {
namespace {

/// Batches among which the largest is looked for, and the most rows of one.
constexpr std::int64_t kBatchesSeen = 200, kRowsSeen = 512;
/// Share of the available memory beyond which nothing is tried out.
constexpr double kSafeShare = 0.9;

ExaminedSplit examined(const TextSplitAudit& audit) {
  ExaminedSplit split;
  split.name = audit.name;
  split.examples = audit.examples;
  split.tokens = audit.tokens;
  split.repeated = audit.repeated.count;
  split.in_train = audit.in_train.count;
  if (audit.near_train) split.near_train = audit.near_train->count;
  split.unseen_characters = static_cast<std::int64_t>(audit.unseen.size());
  split.class_counts = audit.class_counts;
  return split;
}

ExaminedSplit examined(const ImageSplitAudit& audit) {
  ExaminedSplit split;
  split.name = audit.name;
  split.examples = audit.images;
  split.repeated = audit.repeated.count;
  split.in_train = audit.in_train.count;
  split.class_counts = audit.class_counts;
  return split;
}

template <class Audit>
void take_audit(const Audit& audit, Examination& found) {
  found.classes = audit.classes;
  for (const auto& split : audit.splits) found.splits.push_back(examined(split));
}

void skip_unknown(TokenizerOptions& options) {
  if (options.unknown == UnknownCharacter::kRefuse) options.unknown = UnknownCharacter::kSkip;
}

/// Looks through the text, and makes the config do without what training would refuse of it.
void examine_text(Config& config, Examination& found) {
  const auto audit = audit_text(config.data, config.tokenizer, needs_of(config));
  take_audit(audit, found);
  const bool unseen = std::any_of(found.splits.begin(), found.splits.end(),
                                  [](const auto& split) { return split.unseen_characters > 0; });
  if (!unseen) return;
  skip_unknown(config.tokenizer);
  if (config.source_tokenizer) skip_unknown(*config.source_tokenizer);
}

/// Why rows of the experiment's splits cannot be made; empty: they can.
std::string refusal_of(const Experiment& experiment) {
  try {
    experiment.all_batches("train");
    experiment.all_batches(experiment.judging_split());
    return "";
  } catch (const ConfigError&) {
    throw;
  } catch (const UserError& error) {
    return error.what();
  }
}

/// Cuts examples that are too long, or leaves them out where that is not enough. Throws the
/// UserError of training where nothing is left.
void take_long_examples(Experiment& experiment, Examination& found) {
  found.refusal = refusal_of(experiment);
  if (found.refusal.empty()) return;
  experiment.config.data.long_lines = LongLines::kCut;
  if (refusal_of(experiment).empty()) return;
  experiment.config.data.long_lines = LongLines::kSkip;
  require<UserError>(refusal_of(experiment).empty(), found.refusal);
}

/// Tokens of a row of the batch, of source and target the more.
std::int64_t width_of(const Inputs& inputs) {
  const auto source = inputs.source.defined() ? inputs.source.size(1) : 0;
  return std::max(inputs.tokens.size(1), source);
}

void examine_rows(const Experiment& experiment, Examination& found) {
  const auto options = experiment.row_options();
  found.block_size = experiment.architecture.block_size(experiment.config.model);
  found.rows_are_examples = options.view == TextView::kLines;
  if (!found.rows_are_examples) return;
  for (const auto& split : found.splits) {
    const auto ordered = experiment.all_batches(split.name);  // by length
    found.longest = std::max(found.longest, width_of(ordered->at(ordered->size() - 1).inputs));
  }
  if (options.long_lines != LongLines::kSkip) return;
  const auto train = experiment.all_batches("train");
  found.left_out = found.train().examples;
  for (std::int64_t number = 0; number < train->size(); ++number) {
    found.left_out -= train->at(number).inputs.tokens.size(0);
  }
}

TokenUse token_use(const TextData& data) {
  const auto& train = data.train;
  TokenUse use;
  use.vocab_size = data.tokenizer->vocab_size();
  std::vector<std::int64_t> counts(static_cast<std::size_t>(use.vocab_size));
  const auto count = [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) ++counts[static_cast<std::size_t>(train.tokens[i])];
  };
  if (data.tokenizer == data.source_tokenizer) {
    count(0, train.tokens.size());
  } else {
    for (std::size_t i = 0; i < train.separators.size(); ++i) {
      count(train.separators[i], train.starts[i + 1]);
    }
  }
  for (const auto times : counts) {
    use.used += times > 0 ? 1 : 0;
    use.rare += times > 0 && times < kRareToken ? 1 : 0;
  }
  return use;
}

std::int64_t size_of(const Inputs& inputs) {
  std::int64_t size = 0;
  for (const auto* part : {&inputs.tokens, &inputs.source, &inputs.images}) {
    if (part->defined()) size += part->numel();
  }
  return size;
}

/// The largest of the first training batches; of a batch of very many rows some of them.
Inputs largest_batch(Experiment& experiment) {
  auto& batch_size = experiment.config.training.batch_size;
  const auto rows = batch_size;
  batch_size = std::min(rows, kRowsSeen);
  const auto train = experiment.training_batches();
  batch_size = rows;
  auto largest = train->at(0).inputs;
  const bool alike = largest.images.defined();
  for (std::int64_t number = 1; !alike && number < std::min(train->size(), kBatchesSeen);
       ++number) {
    auto inputs = train->at(number).inputs;
    if (size_of(inputs) > size_of(largest)) largest = std::move(inputs);
  }
  return largest;
}

/// What training takes; then, where this machine has it, a trial.
void examine_training(Experiment& experiment, double trial_seconds, Examination& found) {
  const auto& training = experiment.config.training;
  found.batches = experiment.training_batches()->size();
  found.steps = training.total_steps(found.batches);
  // What a GPU has left is not known here.
  auto& memory = found.memory;
  const bool known = experiment.device.is_cpu();
  const auto left = known ? available_memory() : 0;
  const auto unlimited = std::numeric_limits<std::int64_t>::max();
  memory.process = held_memory();
  memory.available = left > 0 ? left + memory.process : 0;
  const auto cost = foretell_cost(*experiment.model, largest_batch(experiment), training.batch_size,
                                  experiment.config.optimizer.type, left > 0 ? left : unlimited);
  found.parameters = cost.parameters;
  memory.training = cost.memory_bytes;
  const auto most = kSafeShare * static_cast<double>(memory.available);
  if (left > 0 && static_cast<double>(memory.in_all()) > most) return;
  found.trial = try_out(experiment, trial_seconds);
}

}  // namespace

const ExaminedSplit& Examination::judging() const {
  const auto val = std::find_if(splits.begin(), splits.end(),
                                [](const auto& split) { return split.name == "val"; });
  return val == splits.end() ? splits.front() : *val;
}

double Examination::passes() const {
  return static_cast<double>(steps * config.training.accumulate) / static_cast<double>(batches);
}

std::int64_t Examination::evaluations() const {
  return steps == 0 ? 1 : 2 + (steps - 1) / config.training.evaluate_every;
}

double Examination::evaluation_seconds() const {
  return trial ? static_cast<double>(evaluations()) * trial->evaluation_seconds : 0.0;
}

double Examination::seconds() const {
  if (!trial) return 0.0;
  return static_cast<double>(steps) * trial->step_milliseconds / 1e3 + evaluation_seconds();
}

Examination examine(const Config& config, const Tokenizers& tokenizers, double trial_seconds) {
  Examination found;
  found.config = config;
  auto taken = config;
  if (!config.reads_images()) examine_text(taken, found);
  auto experiment = make_experiment(std::move(taken), tokenizers);
  found.unit = experiment.unit();
  found.device = experiment.device.str();
  found.gpu_idle = experiment.device.is_cpu() && torch::cuda::is_available();
  if (config.reads_images()) {
    take_audit(audit_images(experiment.images, config.images), found);
  } else {
    take_long_examples(experiment, found);
    examine_rows(experiment, found);
    found.tokens = token_use(experiment.text);
  }
  if (const auto* counted = dynamic_cast<const Counted*>(experiment.model.get())) {
    found.order = counted->order();
    return found;
  }
  examine_training(experiment, trial_seconds, found);
  return found;
}

}  // namespace zoo
