#include "training/experiment.h"

#include <algorithm>
#include <filesystem>

#include <torch/cuda.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "training/text_batches.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// Window of running text for an architecture that takes rows of any length.
constexpr std::int64_t kWindowWithoutBlock = 256;
/// Logits of one evaluation batch: 2^23 floats are 32 MiB.
constexpr std::int64_t kEvaluationLogits = std::int64_t{1} << 23;
constexpr std::int64_t kEvaluationRows = 256;

fs::path located(const std::string& section, const std::string& option, const std::string& path,
                 const RawConfig& raw) {
  if (fs::path(path).is_absolute() && fs::exists(path)) return path;
  const bool set = origin_of(raw, section, option) == "--set";
  const auto start = fs::absolute(raw.file).parent_path();
  for (auto folder = start; !set; folder = folder.parent_path()) {
    if (fs::exists(folder / path)) return folder / path;
    if (folder == folder.parent_path()) break;
  }
  require<UserError>(fs::exists(path), section, ".", option, ": no file ", path, " in ",
                     fs::current_path().string(),
                     set ? "" : ", nor in " + start.string() + " or a folder above it");
  return fs::absolute(path);
}

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

DataFacts facts_of(const Tokenizer& tokenizer) {
  DataFacts facts;
  facts.vocab_size = tokenizer.vocab_size();
  facts.boundary_id = tokenizer.boundary_id();
  facts.separator_id = tokenizer.separator_id();
  return facts;
}

void locate_data(const RawConfig& raw, Config& config) {
  auto& data = config.data;
  const auto locate = [&](const char* section, const char* option, std::string& path) {
    if (!path.empty()) path = located(section, option, path, raw).string();
  };
  for (const auto& [option, path] : data.paths()) locate("data", option, *path);
  if (!data.catalogues.empty()) locate("data", "catalogue_folder", data.catalogue_folder);
  locate("tokenizer", "path", config.tokenizer.path);
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
  options.only_targets = config.general.task == TaskType::kSequenceToSequence;
  require<ConfigError>(!options.only_targets || options.view == TextView::kLines,
                       "data.view: ", name_of(options.view),
                       " cuts sources from their targets; leave it out");
  options.long_lines = config.data.long_lines;
  options.pad_id = std::max<std::int64_t>(facts.boundary_id, 0);
  return options;
}

std::unique_ptr<BatchSource> Experiment::training_batches() const {
  if (dynamic_cast<const Counted*>(model.get()) != nullptr) return all_batches("train");
  const auto& training = config.training;
  const LengthPool pool = {training.length_pool, training.batch_size * training.accumulate};
  return std::make_unique<ShuffledBatches>(TextRows(data.train, row_options(), device),
                                           training.batch_size, config.general.seed, pool);
}

std::unique_ptr<BatchSource> Experiment::all_batches(const std::string& split) const {
  const auto options = row_options();
  const auto width = std::max<std::int64_t>(options.width, 32);
  const auto rows =
      std::clamp<std::int64_t>(kEvaluationLogits / (width * facts.vocab_size), 1, kEvaluationRows);
  return std::make_unique<OrderedBatches>(TextRows(data.split(split), options, device), rows);
}

std::optional<double> Experiment::bits_per_character(const Evaluation& evaluation) const {
  const auto& split = data.split(evaluation.split);
  const bool whole =
      data.format == TextFormat::kText || config.data.long_lines == LongLines::kRefuse;
  if (has_pairs(data.format) || !whole) return std::nullopt;
  const auto bits = evaluation.bits() * static_cast<double>(evaluation.tokens);
  return bits / static_cast<double>(split.characters);
}

Experiment make_experiment(Config config, std::shared_ptr<const Tokenizer> tokenizer) {
  const auto& architecture = find_architecture(config.general.architecture);
  const auto device = choose_device(config.general.device);
  auto data = load_text_data(config.data, config.tokenizer, std::move(tokenizer));
  const auto facts = facts_of(*data.tokenizer);
  torch::manual_seed(static_cast<std::uint64_t>(config.general.seed));
  auto model = architecture.build(config.model, facts);
  model->to(device);
  auto task = make_task(config.general.task, config.training.label_smoothing);
  return {std::move(config), architecture,   device, std::move(data), facts,
          std::move(model),  std::move(task)};
}

}  // namespace zoo
