#include "training/image_batches.h"

#include <algorithm>
#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <torch/utils.h>

#include "core/random.h"
#include "training/epochs.h"

namespace zoo {
namespace {

/// Purposes of one seed.
enum : std::uint64_t { kOrder = 0, kAugmentation = 1 };
/// What evaluation draws is the same for every run.
constexpr std::uint64_t kEvaluationSeed = 1;

}  // namespace

ImageRows::ImageRows(const ImageSplit& split, const ImageSize& size,
                     const PixelStatistics& statistics, torch::Device device)
    : normalized_(statistics, device) {
  // Only read; from_blob takes no const.
  auto* bytes = const_cast<std::uint8_t*>(split.pixels.data());
  images_ =
      torch::from_blob(bytes, {split.size(), size.channels, size.height, size.width}, torch::kUInt8)
          .to(device);
  labels_ = torch::tensor(split.labels, torch::kInt32).to(device, torch::kInt64);
}

Batch ImageRows::batch_of(const torch::Tensor& images, const torch::Tensor& labels,
                          const AugmentationOptions& augmentation, std::uint64_t seed) const {
  const torch::NoGradGuard no_grad;
  Batch batch;
  batch.targets = labels;
  batch.inputs.images = augmentation.any()
                            ? normalized_(augmented(images.to(torch::kFloat32), augmentation,
                                                    at::make_generator<at::CPUGeneratorImpl>(seed)))
                            : normalized_(images);
  return batch;
}

Batch ImageRows::gather(const torch::Tensor& rows, const AugmentationOptions& augmentation,
                        std::uint64_t seed) const {
  return batch_of(images_.index_select(0, rows), labels_.index_select(0, rows), augmentation, seed);
}

Batch ImageRows::slice(std::int64_t first, std::int64_t count,
                       const AugmentationOptions& augmentation, std::uint64_t seed) const {
  return batch_of(images_.narrow(0, first, count), labels_.narrow(0, first, count), augmentation,
                  seed);
}

ShuffledImages::ShuffledImages(ImageRows rows, std::int64_t batch_size, std::int64_t seed,
                               const AugmentationOptions& augmentation)
    : rows_(std::move(rows)),
      batch_size_(batch_size),
      seed_(static_cast<std::uint64_t>(seed)),
      augmentation_(augmentation) {}

const torch::Tensor& ShuffledImages::order(std::int64_t epoch) {
  if (epoch_ != epoch) {
    const auto seed = mixed_seed(mixed_seed(seed_, kOrder), static_cast<std::uint64_t>(epoch));
    order_ = torch::tensor(random_order(rows_.size(), seed), torch::kInt64).to(rows_.device());
    epoch_ = epoch;
  }
  return order_;
}

Batch ShuffledImages::at(std::int64_t number) {
  std::vector<torch::Tensor> rows;
  for (const auto& part : parts_of_batch(number, batch_size_, rows_.size())) {
    rows.push_back(order(part.epoch).narrow(0, part.first, part.count));
  }
  const auto seed =
      mixed_seed(mixed_seed(seed_, kAugmentation), static_cast<std::uint64_t>(number));
  return rows_.gather(rows.size() == 1 ? rows.front() : torch::cat(rows), augmentation_, seed);
}

OrderedImages::OrderedImages(ImageRows rows, std::int64_t batch_size,
                             const AugmentationOptions& augmentation)
    : rows_(std::move(rows)), batch_size_(batch_size), augmentation_(augmentation) {}

Batch OrderedImages::at(std::int64_t number) {
  const auto first = number * batch_size_;
  const auto count = std::min(batch_size_, rows_.size() - first);
  return rows_.slice(first, count, augmentation_,
                     mixed_seed(kEvaluationSeed, static_cast<std::uint64_t>(number)));
}

}  // namespace zoo
