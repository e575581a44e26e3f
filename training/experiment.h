#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <torch/types.h>

#include "models/model.h"
#include "text/text_data.h"
#include "training/batch.h"
#include "training/config.h"
#include "training/evaluation.h"
#include "training/task.h"
#include "training/text_rows.h"
#include "training/vocabulary.h"
#include "vision/image_data.h"

namespace zoo {

/// The device that a config's name stands for. Throws UserError for a GPU that is not there, naming
/// what there is.
torch::Device choose_device(const std::string& name);

/// Replaces the paths of a config's data and tokenizer by paths that exist: a relative path from
/// the command line is meant from the current folder; one from a file, from the file's folder or
/// the nearest folder above it that has such a file. Throws UserError for one that is nowhere.
void locate_data(const RawConfig& raw, Config& config);

/// The same for one option that names a file or a folder.
std::filesystem::path located(const std::string& section, const std::string& option,
                              const std::string& path, const RawConfig& raw);

/// Everything that a config names, made: data read and split, model built on its device.
struct Experiment {
  Config config;
  const Architecture& architecture;
  torch::Device device;
  TextData text;     ///< empty where images are read
  ImageData images;  ///< empty where text is read
  Vocabulary vocabulary;
  DataFacts facts;
  std::shared_ptr<Model> model;
  std::unique_ptr<Task> task;

  bool reads_images() const { return config.reads_images(); }
  bool has_split(const std::string& name) const;
  /// The split that decides which checkpoint is best: val, or train where there is no val.
  std::string judging_split() const { return has_split("val") ? "val" : "train"; }
  /// What its examples are: lines, pairs, texts or images.
  const char* unit() const;
  /// What the data was read from, and what a careful user wants to be told about it.
  const std::vector<SourceFile>& files() const {
    return reads_images() ? images.files : text.files;
  }
  const std::vector<std::string>& notes() const {
    return reads_images() ? images.notes : text.notes;
  }
  /// Batches to learn from: shuffled, or in order for a model that counts.
  std::unique_ptr<BatchSource> training_batches() const;
  /// Every row of a split once; images as they stand. Throws UserError for a split without data.
  std::unique_ptr<BatchSource> all_batches(const std::string& split,
                                           RowOrder order = RowOrder::kByLength) const;
  /// The same of images, each changed as `augmentation` says, in the same way at every call.
  std::unique_ptr<BatchSource> changed_images(const std::string& split,
                                              const AugmentationOptions& augmentation) const;
  /// Loss per character of the original text, in bits, so that tokenizers can be compared; none
  /// where it means nothing: of pairs, and where examples were cut or left out.
  std::optional<double> bits_per_character(const Evaluation& evaluation) const;
  /// How the config cuts splits into rows. Throws ConfigError for a view that does not fit the
  /// model or the task.
  RowOptions row_options() const;
};

/// What a config's task and model ask of the data.
TextNeeds needs_of(const Config& config);

/// Reads the data (paths as they stand), seeds the global generators and builds the model.
/// Tokenizers that are given are used instead of learning them.
Experiment make_experiment(Config config, const Tokenizers& tokenizers = {});

/// The same around a model and what it knows of the data, both there already.
Experiment make_experiment(Config config, const Vocabulary& vocabulary,
                           std::shared_ptr<Model> model, torch::Device device);

}  // namespace zoo
