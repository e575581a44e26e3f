#include "training/experiment.h"

#include <algorithm>
#include <filesystem>

#include <torch/cuda.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "core/random.h"
#include "training/text_batches.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// Window of running text for an architecture that takes rows of any length.
constexpr std::int64_t kWindowWithoutBlock = 256;
/// Logits of one evaluation batch: 2^23 floats are 32 MiB.
constexpr std::int64_t kEvaluationLogits = std::int64_t{1} << 23;
constexpr std::int64_t kEvaluationRows = 256;
/// Sets what a task draws apart from the order of the data, which has the same seed.
constexpr std::uint64_t kTaskSeed = 0x7461736b;
/// What a task draws in evaluation is the same for every run.
constexpr std::uint64_t kEvaluationSeed = 1;

}  // namespace

torch::Device choose_device(const std::string& name) {
  const auto gpus = static_cast<std::int64_t>(torch::cuda::device_count());
  if (name == "auto") return torch::Device(gpus > 0 ? "cuda:0" : "cpu");
  if (name == "cpu") return torch::Device(torch::kCPU);
  const auto number = name == "cuda" ? 0 : std::stoll(name.substr(5));
  require<UserError>(gpus > 0, "device: ", name,
                     " is not here: this machine or this LibTorch has no CUDA; set device to cpu "
                     "or auto");
  require<UserError>(number < gpus, "device: ", name, " is not here: there are ", gpus,
                     " GPUs, cuda:0 to cuda:", gpus - 1);
  return torch::Device(torch::kCUDA, static_cast<c10::DeviceIndex>(number));
}

fs::path located(const std::string& section, const std::string& option, const std::string& path,
                 const RawConfig& raw) {
  if (fs::path(path).is_absolute() && fs::exists(path)) return path;
  const bool set = origin_of(raw, section, option) == "--set";
  const auto start = fs::absolute(raw.file).parent_path();
  for (auto folder = start; !set; folder = folder.parent_path()) {
    if (fs::exists(folder / path)) return folder / path;
    if (folder == folder.parent_path()) break;
  }
  require<UserError>(fs::exists(path), section, ".", option, ": no file or folder ", path, " in ",
                     fs::current_path().string(),
                     set ? "" : ", nor in " + start.string() + " or a folder above it");
  return fs::absolute(path);
}

void locate_data(const RawConfig& raw, Config& config) {
  auto& data = config.data;
  const auto locate = [&](const char* section, const char* option, std::string& path) {
    if (!path.empty()) path = located(section, option, path, raw).string();
  };
  for (const auto& [option, path] : data.paths()) locate("data", option, *path);
  if (!data.catalogues.empty()) locate("data", "catalogue_folder", data.catalogue_folder);
  locate("tokenizer", "path", config.tokenizer.path);
  if (config.source_tokenizer) locate("source_tokenizer", "path", config.source_tokenizer->path);
}

TextNeeds needs_of(const Config& config) {
  const auto task = config.general.task;
  TextNeeds needs;
  needs.classes = task == TaskType::kTextClassification;
  needs.marks = needs.classes || task == TaskType::kMaskedLanguageModel;
  needs.source_tokenizer = config.source_tokenizer;
  return needs;
}

RowOptions Experiment::row_options() const {
  const auto block = architecture.block_size(config.model);
  const bool lines = config.data.format != TextFormat::kText;
  const auto natural = architecture.fixed_length ? TextView::kPrefixes
                       : lines                   ? TextView::kLines
                                                 : TextView::kWindows;
  RowOptions options;
  options.view = config.data.view.value_or(natural);
  require<ConfigError>(!architecture.fixed_length || options.view == TextView::kPrefixes,
                       "data.view: ", name_of(options.view),
                       " gives rows of different lengths, and ", config.general.architecture,
                       " reads exactly block_size tokens; leave it out or set prefixes");
  options.width = block > 0 ? block : 0;
  if (options.view == TextView::kWindows) {
    options.width = config.data.window.value_or(block > 0 ? block : kWindowWithoutBlock);
    require<ConfigError>(block == 0 || options.width <= block, "data.window: ", options.width,
                         " is more than model.block_size ", block);
  } else if (options.view == TextView::kPrefixes && block == 0) {
    options.width = config.data.window.value_or(kWindowWithoutBlock);
  }
  switch (config.general.task) {
    case TaskType::kLanguageModel:
      break;
    case TaskType::kSequenceToSequence:
      options.layout =
          architecture.reads_source ? RowLayout::kSourceAndTarget : RowLayout::kTargets;
      break;
    case TaskType::kMaskedLanguageModel:
    case TaskType::kTextClassification:
      options.layout = RowLayout::kClosed;
      break;
  }
  require<ConfigError>(options.layout == RowLayout::kContinuous || options.view == natural,
                       "data.view: ", name_of(options.view), " is nothing that ",
                       name_of(config.general.task), " is learned from; leave it out");
  options.long_lines = config.data.long_lines;
  options.pad_id = facts.pad_id;
  options.source_pad_id = facts.source_pad_id;
  options.separator_id = facts.separator_id;
  return options;
}

const char* Experiment::unit() const {
  if (data.format == TextFormat::kText) return "texts";
  return data.train.separators.empty() ? "lines" : "pairs";
}

std::unique_ptr<BatchSource> Experiment::training_batches() const {
  if (dynamic_cast<const Counted*>(model.get()) != nullptr) return all_batches("train");
  const auto& training = config.training;
  const LengthPool pool = {training.length_pool, training.batch_size * training.accumulate};
  auto rows = std::make_unique<ShuffledBatches>(TextRows(data.train, row_options(), device),
                                                training.batch_size, config.general.seed, pool);
  const auto seed = mixed_seed(static_cast<std::uint64_t>(config.general.seed), kTaskSeed);
  return task->batches(std::move(rows), training.batch_size, seed);
}

std::unique_ptr<BatchSource> Experiment::all_batches(const std::string& split) const {
  const auto options = row_options();
  const auto width = std::max<std::int64_t>(options.width, 32);
  const auto rows =
      std::clamp<std::int64_t>(kEvaluationLogits / (width * facts.vocab_size), 1, kEvaluationRows);
  return task->batches(
      std::make_unique<OrderedBatches>(TextRows(data.split(split), options, device), rows), rows,
      kEvaluationSeed);
}

std::optional<double> Experiment::bits_per_character(const Evaluation& evaluation) const {
  const auto& split = data.split(evaluation.split);
  const bool whole =
      data.format == TextFormat::kText || config.data.long_lines == LongLines::kRefuse;
  const bool all_predicted = config.general.task == TaskType::kLanguageModel;
  if (has_pairs(data.format) || !whole || !all_predicted) return std::nullopt;
  const auto bits = evaluation.bits() * static_cast<double>(evaluation.tokens);
  return bits / static_cast<double>(split.characters);
}

Experiment make_experiment(Config config, const Tokenizers& tokenizers) {
  const auto& architecture = find_architecture(config.general.architecture);
  const auto device = choose_device(config.general.device);
  auto data = load_text_data(config.data, config.tokenizer, needs_of(config), tokenizers);
  auto vocabulary = vocabulary_of(data);
  const auto facts = facts_of(vocabulary);
  torch::manual_seed(static_cast<std::uint64_t>(config.general.seed));
  auto model = architecture.build(config.model, facts);
  model->to(device);
  auto task = make_task(config.general.task, config.training.label_smoothing, facts);
  return {std::move(config),     architecture, device,           std::move(data),
          std::move(vocabulary), facts,        std::move(model), std::move(task)};
}

}  // namespace zoo
