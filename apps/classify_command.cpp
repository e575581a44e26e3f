#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/image_arguments.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "apps/text_arguments.h"
#include "core/errors.h"
#include "inference/classification.h"

namespace zoo {
namespace {

/// Texts that were classified, or files of images with what was done to them first.
struct Classified {
  std::vector<std::string> inputs;
  std::vector<std::string> changes;  ///< of images
  std::vector<Classification> found;
};

Classified classified_texts(const cxxopts::ParseResult& arguments, const Run& run,
                            const std::vector<std::string>& texts) {
  return {texts, {}, classify(trained_model(run), texts, arguments.count("cut") > 0)};
}

Classified classified_images(const cxxopts::ParseResult& arguments, const Run& run,
                             const std::vector<std::string>& paths) {
  Classified classified;
  classified.inputs = paths;
  std::vector<Image> images;
  for (const auto& path : paths) {
    auto read = read_prepared_image(arguments, run, path);
    classified.changes.push_back(read.changes);
    images.push_back(std::move(read.image));
  }
  classified.found = classify(trained_model(run), images);
  return classified;
}

/// The likeliest classes that are shown.
std::size_t shown(const Classification& classification, std::size_t top) {
  return std::min(top, classification.classes.size());
}

void print(const Classified& classified, std::size_t top) {
  for (std::size_t i = 0; i < classified.inputs.size(); ++i) {
    const auto& found = classified.found[i];
    std::cout << classified.inputs[i];
    if (!classified.changes.empty() && !classified.changes[i].empty()) {
      std::cout << " (" << classified.changes[i] << ")";
    }
    std::cout << " → " << found.label();
    for (std::size_t k = 0; k < shown(found, top); ++k) {
      std::cout << "   " << found.classes[k] << " " << fixed_digits(found.probabilities[k], 3);
    }
    std::cout << "\n";
  }
}

void add_json(const Classified& classified, std::size_t top, nlohmann::json& results) {
  for (std::size_t i = 0; i < classified.inputs.size(); ++i) {
    const auto& found = classified.found[i];
    nlohmann::json row = {{"input", classified.inputs[i]},
                          {"label", found.label()},
                          {"probability", found.probability()}};
    if (!classified.changes.empty()) row["resized"] = classified.changes[i];
    for (std::size_t k = 0; k < shown(found, top); ++k) {
      row["top"].push_back({{"label", found.classes[k]}, {"probability", found.probabilities[k]}});
    }
    results.push_back(std::move(row));
  }
}

int run(const cxxopts::ParseResult& arguments) {
  const auto opened = open_run(arguments);
  const bool images = opened.config.reads_images();
  if (!images) require_task(opened, TaskType::kTextClassification);
  require<UserError>(images || arguments.count("invert") == 0,
                     "--invert: the run reads text; leave it out");
  require<UserError>(!images || arguments.count("cut") == 0,
                     "--cut: the run reads images; leave it out");
  const auto top = static_cast<std::size_t>(at_least_one(arguments, "top"));
  const bool json = arguments.count("json") > 0;
  auto results = nlohmann::json::array();
  for_texts(arguments, [&](const std::vector<std::string>& inputs) {
    const auto found = images ? classified_images(arguments, opened, inputs)
                              : classified_texts(arguments, opened, inputs);
    if (json) {
      add_json(found, top, results);
    } else {
      print(found, top);
    }
  });
  if (json) print_results(opened, std::move(results));
  return kDone;
}

}  // namespace

Command classify_command() {
  return {
      "classify",
      "RUN [TEXT|IMAGE...]",
      "Says which class each text, or PNG or JPEG file, belongs to: arguments, or lines of stdin",
      "zoo classify runs/digits-vit seven.png",
      [](cxxopts::Options& options) {
        add_run_options(options);
        add_text_arguments(options, "The texts, or the image files");
        options.add_options()("cut", "Take the end off a text that is too long")(
            "top", "The K likeliest classes are shown",
            cxxopts::value<std::int64_t>()->default_value("5"), "K");
        add_image_options(options);
        add_json_option(options);
      },
      run};
}

}  // namespace zoo
