#include "inference/image_inputs.h"

#include <algorithm>
#include <stdexcept>

#include "core/errors.h"
#include "vision/transforms.h"

namespace zoo {
namespace {

std::string shown(const ImageSize& size) { return text_of(size.height, " x ", size.width); }

const char* shown_channels(const ImageSize& size) { return size.channels == 1 ? "grey" : "colour"; }

}  // namespace

PreparedImage prepared(const TrainedModel& trained, const Image& image) {
  const auto& wanted = trained.vocabulary.images.value().size;
  PreparedImage result;
  std::vector<std::string> changes;
  if (image.size.height != wanted.height || image.size.width != wanted.width) {
    changes.push_back(shown(image.size) + " to " + shown(wanted));
  }
  if (image.size.channels != wanted.channels) {
    changes.push_back(text_of(shown_channels(image.size), " to ", shown_channels(wanted)));
  }
  result.image = resized(with_channels(image, wanted.channels), wanted.height, wanted.width);
  result.changes = join(changes, ", ");
  return result;
}

Image inverted(Image image) {
  for (auto& pixel : image.pixels) pixel = static_cast<std::uint8_t>(255 - pixel);
  return image;
}

Inputs inputs_of(const TrainedModel& trained, const std::vector<Image>& images) {
  const auto& input = trained.vocabulary.images.value();
  const auto& size = input.size;
  const auto B = static_cast<std::int64_t>(images.size());
  auto bytes = torch::empty({B, size.channels, size.height, size.width}, torch::kUInt8);
  auto* at = bytes.mutable_data_ptr<std::uint8_t>();
  for (const auto& image : images) {
    if (image.size != size) throw std::invalid_argument("an image is not prepared for the model");
    at = std::copy(image.pixels.begin(), image.pixels.end(), at);
  }
  Inputs inputs;
  inputs.images =
      Normalization(input.statistics, trained.device)(bytes.to(trained.device));  // [B, C, H, W]
  return inputs;
}

}  // namespace zoo
