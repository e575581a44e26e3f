#include "vision/formats/cifar10.h"

#include "tests/fuzz/fuzz_target.h"

namespace zoo {
namespace {

constexpr std::size_t kImageBytes = 3072;

void expect_batch(const std::string& bytes) {
  const auto batch = parse_cifar10(bytes, "FILE");
  expect(batch.labels.size() == batch.images.size(), "a label an image");
  expect(batch.images.size() * (kImageBytes + 1) == bytes.size(), "every byte is in a record");
  for (std::size_t i = 0; i < batch.labels.size(); ++i) {
    expect(batch.labels[i] < kCifar10Classes, "labels are classes");
    expect(batch.images[i].size() == kImageBytes, "images are whole");
  }
}

}  // namespace

/// A byte, then the names of the classes (0); or a batch, of which each byte stands for a record
/// with this label (1), and the last one for a byte (2).
void fuzz_one(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto kind = static_cast<unsigned char>(bytes.front()) % 3;
  bytes.remove_prefix(1);
  if (kind == 0) {
    for (const auto& name : parse_cifar10_names(bytes, "NAMES")) {
      expect(!name.empty(), "no name is empty");
    }
    return;
  }
  std::string batch;
  for (const char label : bytes) batch += label + std::string(kImageBytes, label);
  if (kind == 2 && !batch.empty()) batch.resize(batch.size() - kImageBytes);
  expect_batch(batch);
}

}  // namespace zoo
