#include "apps/shown_images.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <vector>

#include <torch/types.h>
#include <nlohmann/json.hpp>

#include "apps/table.h"
#include "core/errors.h"
#include "vision/transforms.h"

namespace zoo {
namespace {

/// Columns of pixels that are shown, two characters each.
constexpr std::int64_t kWidest = 40;
constexpr std::array<const char*, 5> kShades = {"  ", "░░", "▒▒", "▓▓", "██"};

std::vector<std::int64_t> class_counts(const ImageSplit& split, std::size_t classes) {
  std::vector<std::int64_t> counts(classes, 0);
  for (const auto label : split.labels) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

std::vector<const ImageSplit*> splits_of(const ImageData& data) {
  std::vector<const ImageSplit*> splits;
  for (const auto* split : {&data.train, &data.val, &data.test}) {
    if (!split->empty()) splits.push_back(split);
  }
  return splits;
}

/// What a model was given -> the image again.
Image image_of(const torch::Tensor& normalized, const PixelStatistics& statistics) {
  const auto column = [&](const std::vector<double>& values) {
    return torch::tensor(values, torch::kFloat64).view({-1, 1, 1});
  };
  const auto brightness =
      normalized.cpu().to(torch::kFloat64) * column(statistics.deviation) + column(statistics.mean);
  const auto bytes = (brightness * 255.0).round().clamp(0, 255).to(torch::kUInt8).contiguous();
  const auto* first = bytes.const_data_ptr<std::uint8_t>();
  return {{bytes.size(0), bytes.size(1), bytes.size(2)}, {first, first + bytes.numel()}};
}

void print_picture(const Image& image) {
  const auto share =
      std::min(1.0, static_cast<double>(kWidest) / static_cast<double>(image.size.width));
  const auto side = [&](std::int64_t pixels) {
    return std::max<std::int64_t>(1,
                                  static_cast<std::int64_t>(share * static_cast<double>(pixels)));
  };
  const auto grey =
      resized(with_channels(image, 1), side(image.size.height), side(image.size.width));
  for (std::int64_t row = 0; row < grey.size.height; ++row) {
    std::string line = "  ";
    for (std::int64_t column = 0; column < grey.size.width; ++column) {
      const auto pixel = grey.pixels[static_cast<std::size_t>(row * grey.size.width + column)];
      line += kShades[pixel * kShades.size() / 256];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << "\n";
  }
}

void print_pictures(const Experiment& experiment, BatchSource& batches, std::int64_t count) {
  std::int64_t shown = 0;
  for (std::int64_t number = 0; number < batches.size() && shown < count; ++number) {
    const auto batch = batches.at(number);
    for (std::int64_t i = 0; i < batch.targets.size(0) && shown < count; ++i, ++shown) {
      const auto label = static_cast<std::size_t>(batch.targets[i].item<std::int64_t>());
      std::cout << "\n  label " << experiment.vocabulary.classes[label] << "\n";
      print_picture(image_of(batch.inputs.images[i], experiment.vocabulary.images->statistics));
    }
  }
}

nlohmann::json counts_json(const Experiment& experiment, std::int64_t batches) {
  const auto& data = experiment.images;
  nlohmann::json json = {{"channels", data.size.channels},
                         {"height", data.size.height},
                         {"width", data.size.width},
                         {"mean", experiment.vocabulary.images->statistics.mean},
                         {"deviation", experiment.vocabulary.images->statistics.deviation},
                         {"classes", data.classes},
                         {"batches_per_epoch", batches},
                         {"notes", data.notes}};
  for (const auto* split : splits_of(data)) {
    json["splits"][split->name] = {{"examples", split->size()},
                                   {"classes", class_counts(*split, data.classes.size())}};
  }
  return json;
}

void print_counts(const Experiment& experiment, std::int64_t batches) {
  const auto& data = experiment.images;
  const auto& config = experiment.config;
  const auto& statistics = experiment.vocabulary.images->statistics;
  std::cout << data.size.height << " x " << data.size.width << " pixels, "
            << (data.size.channels == 1 ? "grey" : "colour") << ", for "
            << name_of(config.general.task) << " by " << config.general.architecture << "\n\n";
  std::vector<std::string> headings = {"split", "images"};
  headings.insert(headings.end(), data.classes.begin(), data.classes.end());
  Table table(headings);
  for (const auto* split : splits_of(data)) {
    std::vector<std::string> cells = {split->name, with_commas(split->size())};
    for (const auto number : class_counts(*split, data.classes.size())) {
      cells.push_back(with_commas(number));
    }
    table.add(cells);
  }
  table.print(std::cout);
  std::cout << "\n  " << with_commas(batches) << " batches of " << config.training.batch_size
            << " images an epoch\n";
  for (std::size_t c = 0; c < statistics.mean.size(); ++c) {
    std::cout << "  channel " << c + 1 << ": mean " << fixed_digits(statistics.mean[c], 4)
              << ", standard deviation " << fixed_digits(statistics.deviation[c], 4)
              << " of brightness 0 to 1\n";
  }
  for (const auto& note : data.notes) std::cout << "  note: " << note << "\n";
}

}  // namespace

void show_images(const Experiment& experiment, std::int64_t count, bool json) {
  const auto batches = experiment.training_batches();
  if (json) {
    const auto document = counts_json(experiment, batches->size());
    std::cout << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return;
  }
  print_counts(experiment, batches->size());
  std::cout << "\nThe first images of the first batch"
            << (experiment.config.augmentation.any() ? ", augmented" : "") << "\n";
  print_pictures(experiment, *batches, count);
}

}  // namespace zoo
