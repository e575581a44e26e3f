#pragma once

#include <cstdint>

#include <torch/types.h>

#include "training/batch.h"
#include "vision/augmentation.h"
#include "vision/image_data.h"
#include "vision/transforms.h"

namespace zoo {

/// The images of one split, bytes on the device from the start and gathered by index; on the CPU
/// they stay where the split has them, which outlives the rows.
class ImageRows {
 public:
  ImageRows(const ImageSplit& split, const ImageSize& size, const PixelStatistics& statistics,
            torch::Device device);

  std::int64_t size() const { return labels_.size(0); }
  torch::Device device() const { return images_.device(); }
  /// These rows [B], changed by what is drawn from a seed, normalised; targets [B].
  Batch gather(const torch::Tensor& rows, const AugmentationOptions& augmentation,
               std::uint64_t seed) const;
  /// The neighbours [first, first + count).
  Batch slice(std::int64_t first, std::int64_t count, const AugmentationOptions& augmentation,
              std::uint64_t seed) const;

 private:
  Batch batch_of(const torch::Tensor& images, const torch::Tensor& labels,
                 const AugmentationOptions& augmentation, std::uint64_t seed) const;

  torch::Tensor images_;  // [N, C, H, W] uint8
  torch::Tensor labels_;  // [N] int64
  Normalization normalized_;
};

/// Shuffled and augmented training batches: each epoch in an order of its own, every batch full.
/// Batch n is a function of (images, seed, n).
class ShuffledImages : public BatchSource {
 public:
  ShuffledImages(ImageRows rows, std::int64_t batch_size, std::int64_t seed,
                 const AugmentationOptions& augmentation);

  std::int64_t size() const override { return (rows_.size() + batch_size_ - 1) / batch_size_; }
  Batch at(std::int64_t number) override;

 private:
  const torch::Tensor& order(std::int64_t epoch);

  ImageRows rows_;
  std::int64_t batch_size_;
  std::uint64_t seed_;
  AugmentationOptions augmentation_;
  std::int64_t epoch_ = -1;
  torch::Tensor order_;  // [N], of epoch_
};

/// Every image once, in the order of the split: for evaluation. `augmentation` draws the same for
/// each image whenever it is asked.
class OrderedImages : public BatchSource {
 public:
  OrderedImages(ImageRows rows, std::int64_t batch_size,
                const AugmentationOptions& augmentation = {});

  std::int64_t size() const override { return (rows_.size() + batch_size_ - 1) / batch_size_; }
  Batch at(std::int64_t number) override;

 private:
  ImageRows rows_;
  std::int64_t batch_size_;
  AugmentationOptions augmentation_;
};

}  // namespace zoo
