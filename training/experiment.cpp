#include "training/experiment.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <torch/cuda.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "core/random.h"
#include "training/image_batches.h"
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
  const auto locate = [&](const char* section, const char* option, std::string& path) {
    if (path.empty()) return;
    path = located(section, option, path, raw).string();
    require<UserError>(!fs::is_other(path), section, ".", option, ": ", path,
                       " is a pipe or a device, and a run reads it more than once; "
                       "give a file");
  };
  for (const auto& [option, path] : config.data_paths()) locate("data", option, *path);
  auto& data = config.data;
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
    case TaskType::kImageClassification:
      throw std::logic_error("images are not cut into rows of tokens");
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
  if (reads_images()) return "images";
  if (text.format == TextFormat::kText) return "texts";
  return text.train.separators.empty() ? "lines" : "pairs";
}

bool Experiment::has_split(const std::string& name) const {
  const auto among = [&](const auto& data) {
    for (const auto* split : {&data.train, &data.val, &data.test}) {
      if (split->name == name) return !split->empty();
    }
    return false;
  };
  return reads_images() ? among(images) : among(text);
}

std::unique_ptr<BatchSource> Experiment::training_batches() const {
  if (dynamic_cast<const Counted*>(model.get()) != nullptr) return all_batches("train");
  const auto& training = config.training;
  const auto seed = mixed_seed(static_cast<std::uint64_t>(config.general.seed), kTaskSeed);
  if (reads_images()) {
    return std::make_unique<ShuffledImages>(
        ImageRows(images.train, images.size, vocabulary.images->statistics, device),
        training.batch_size, config.general.seed, config.augmentation);
  }
  const LengthPool pool = {training.length_pool, training.batch_size * training.accumulate};
  auto rows = std::make_unique<ShuffledBatches>(TextRows(text.train, row_options(), device),
                                                training.batch_size, config.general.seed, pool);
  return task->batches(std::move(rows), training.batch_size, seed);
}

std::unique_ptr<BatchSource> Experiment::all_batches(const std::string& split,
                                                     RowOrder order) const {
  if (reads_images()) return changed_images(split, {});
  const auto options = row_options();
  const auto width = std::max<std::int64_t>(options.width, 32);
  const auto rows =
      std::clamp<std::int64_t>(kEvaluationLogits / (width * facts.vocab_size), 1, kEvaluationRows);
  return task->batches(
      std::make_unique<OrderedBatches>(TextRows(text.split(split), options, device), rows, order),
      rows, kEvaluationSeed);
}

std::unique_ptr<BatchSource> Experiment::changed_images(
    const std::string& split, const AugmentationOptions& augmentation) const {
  return std::make_unique<OrderedImages>(
      ImageRows(images.split(split), images.size, vocabulary.images->statistics, device),
      kEvaluationRows, augmentation);
}

std::optional<double> Experiment::bits_per_character(const Evaluation& evaluation) const {
  if (reads_images()) return std::nullopt;
  const auto& split = text.split(evaluation.split);
  const bool whole =
      text.format == TextFormat::kText || config.data.long_lines == LongLines::kRefuse;
  const bool all_predicted = config.general.task == TaskType::kLanguageModel;
  if (has_pairs(text.format) || !whole || !all_predicted) return std::nullopt;
  const auto bits = evaluation.bits() * static_cast<double>(evaluation.tokens);
  return bits / static_cast<double>(split.characters);
}

namespace {

/// The data that a config names, with the tokenizers that are given.
Experiment with_data(Config config, const Tokenizers& tokenizers, torch::Device device) {
  const auto& architecture = find_architecture(config.general.architecture);
  Experiment experiment{std::move(config), architecture, device, {}, {}, {}, {}, nullptr, nullptr};
  const auto& made = experiment.config;
  if (made.reads_images()) {
    experiment.images = load_image_data(made.images);
  } else {
    experiment.text = load_text_data(made.data, made.tokenizer, needs_of(made), tokenizers);
  }
  return experiment;
}

void add_task(Experiment& experiment) {
  const auto& config = experiment.config;
  experiment.task =
      make_task(config.general.task, config.training.label_smoothing, experiment.facts);
}

}  // namespace

Experiment make_experiment(Config config, const Tokenizers& tokenizers) {
  const auto device = choose_device(config.general.device);
  auto experiment = with_data(std::move(config), tokenizers, device);
  experiment.vocabulary =
      experiment.reads_images() ? vocabulary_of(experiment.images) : vocabulary_of(experiment.text);
  experiment.facts = facts_of(experiment.vocabulary);
  torch::manual_seed(static_cast<std::uint64_t>(experiment.config.general.seed));
  experiment.model = experiment.architecture.build(experiment.config.model, experiment.facts);
  experiment.model->to(device);
  add_task(experiment);
  return experiment;
}

Experiment make_experiment(Config config, const Vocabulary& vocabulary,
                           std::shared_ptr<Model> model, torch::Device device) {
  auto experiment = with_data(std::move(config), vocabulary.tokenizers, device);
  experiment.vocabulary = vocabulary;
  experiment.facts = facts_of(vocabulary);
  experiment.model = std::move(model);
  add_task(experiment);
  return experiment;
}

}  // namespace zoo
