#include "tests/support/torch_training.h"

#include <algorithm>
#include <memory>
#include <sstream>

#include "core/files.h"
#include "training/checkpoint_observer.h"
#include "training/metrics_file.h"

namespace zoo {
namespace {

constexpr const char* kNames =
    "ada\nanna\nava\nbea\nbob\ncara\ndana\ndora\nella\nemma\nevan\nfinn\ngina\nhans\nida\nivan\n"
    "jana\njohn\nkai\nlara\nlea\nleo\nlina\nlucas\nmaia\nmax\nmia\nnina\nnoah\nola\notto\npaul\n";

/// 24 images of 12 x 8 pixels, a bright row where its class says.
std::string tiny_images_csv() {
  std::string csv;
  for (int image = 0; image < 24; ++image) {
    for (int pixel = 0; pixel < 12 * 8; ++pixel) {
      const bool bright = pixel / 8 / 4 == image % 3;
      csv += std::to_string((bright ? 180 : 20) + (image * 31 + pixel * 17) % 60) + ",";
    }
    csv += "row" + std::to_string(image % 3) + "\n";
  }
  return csv;
}

/// Writes the data that a task is learned from, and says what it is.
nlohmann::json tiny_data(const std::filesystem::path& folder, const std::string& task) {
  make_folders(folder);
  std::istringstream names(kNames);
  std::string pairs, labelled;
  for (std::string name; std::getline(names, name);) {
    pairs += name + "\t" + std::string(name.rbegin(), name.rend()) + "\n";
    labelled += (name.ends_with('a') ? "A\t" : "other\t") + name + "\n";
  }
  write_file_synced(folder / "names.txt", kNames);
  write_file_synced(folder / "pairs.tsv", pairs);
  write_file_synced(folder / "labelled.tsv", labelled);
  write_file_synced(folder / "images.csv", tiny_images_csv());
  if (task == "image_classification") {
    return {{"path", "images.csv"}, {"format", "csv"}, {"height", 12}, {"width", 8}};
  }
  if (task == "sequence_to_sequence") return {{"path", "pairs.tsv"}, {"format", "pairs"}};
  if (task == "text_classification") return {{"path", "labelled.tsv"}, {"format", "labelled"}};
  return {{"path", "names.txt"}};
}

nlohmann::json tiny_options(const Architecture& architecture, const std::string& task) {
  const bool other = task == "image_classification" && architecture.tiny_on_images != nullptr;
  return (other ? architecture.tiny_on_images : architecture.tiny)(1).options;
}

}  // namespace

RawConfig tiny_config(const std::filesystem::path& folder, const Architecture& architecture,
                      const std::vector<std::string>& settings, const std::string& task) {
  const auto learned = task.empty() ? architecture.tasks.front() : task;
  RawConfig raw;
  raw.file = folder / "config.json";
  raw.document = {{"architecture", architecture.name},
                  {"task", learned},
                  {"device", "cpu"},
                  {"model", tiny_options(architecture, learned)},
                  {"data", tiny_data(folder, learned)},
                  {"training",
                   {{"max_steps", 12},
                    {"batch_size", 4},
                    {"evaluate_every", 4},
                    {"report_every", 3},
                    {"keep_checkpoints", 100}}}};
  raw.document["data"]["val_fraction"] = 0.25;
  if (learned == "image_classification") {
    raw.document["augmentation"] = {
        {"crop_padding", 1}, {"flip", true}, {"rotation", 10}, {"cutout", 2}};
  }
  // A pair stands in one row where the model has one side only.
  auto& model = raw.document["model"];
  if (learned == "sequence_to_sequence" && model.contains("block_size")) model["block_size"] = 14;
  const auto options = architecture.describe();
  const bool has_dropout = std::any_of(options.begin(), options.end(),
                                       [](const auto& option) { return option.name == "dropout"; });
  if (has_dropout) raw.document["model"]["dropout"] = 0.2;
  apply_settings(raw, settings);
  return raw;
}

Experiment make_tiny_experiment(const RawConfig& raw) {
  auto config = resolve_config(raw);
  locate_data(raw, config);
  return make_experiment(std::move(config));
}

Progress train_tiny(const std::filesystem::path& run, Experiment& experiment,
                    std::int64_t max_steps, std::int64_t stop_at) {
  make_folders(run);
  auto& model = *experiment.model;
  const auto identity = experiment.config.identity();
  auto* counted = dynamic_cast<Counted*>(&model);
  std::unique_ptr<Optimizer> optimizer;
  if (counted == nullptr)
    optimizer = std::make_unique<Optimizer>(model, experiment.config.optimizer);
  auto progress = Progress::start(experiment.device);
  if (std::filesystem::exists(run / "checkpoints")) {
    progress = restore_checkpoint(read_newest_checkpoint(run, identity), model, optimizer.get(),
                                  experiment.device);
  }
  const auto train = experiment.training_batches();
  const auto val = experiment.all_batches("val");
  MetricsFile metrics(run / "metrics.jsonl", progress);
  CheckpointObserver checkpoints(run,
                                 {model, optimizer.get(), experiment.vocabulary, experiment.device},
                                 identity, experiment.config.training);
  Trainer trainer({model,
                   *experiment.task,
                   *train,
                   [&] { return evaluate(model, *experiment.task, *val, "val"); },
                   {&metrics, &checkpoints},
                   [&] { return progress.step == stop_at; }},
                  experiment.config.training);
  if (counted != nullptr) {
    trainer.count(*counted, progress);
  } else {
    auto schedule = experiment.config.schedule;
    schedule.decay_steps = experiment.config.training.total_steps(train->size());
    trainer.fit(*optimizer, Schedule(schedule, experiment.config.optimizer.learning_rate),
                max_steps, progress);
  }
  return progress;
}

}  // namespace zoo
