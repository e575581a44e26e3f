#include "core/gzip.h"

#include "core/errors.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/image_files.h"

namespace zoo {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

/// What the bytes hold, or `otherwise` where they are refused.
std::string unpacked_or(const std::string& bytes, const std::string& otherwise) {
  try {
    return gunzip(bytes, "FILE", kMostBytes);
  } catch (const UserError&) {
    return otherwise;
  }
}

}  // namespace

/// A byte, then gzip data (0); or text that is packed in two members (1), of which then a byte is
/// changed, at the place that the next two bytes say (2).
void fuzz_one(std::string_view bytes) {
  if (bytes.size() < 3) return;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  if (byte(0) % 3 == 0) {
    expect(gunzip(bytes.substr(1), "FILE", kMostBytes).size() <= kMostBytes, "not too large");
    return;
  }
  const std::string text(bytes.substr(3));
  const auto half = text.size() / 2;
  auto packed = gzip_file(text.substr(0, half)) + gzip_file(text.substr(half));
  expect(gunzip(packed, "FILE", text.size()) == text, "unpacking gives the text back");
  if (byte(0) % 3 == 1) return;
  auto& changed = packed[(byte(1) << 8 | byte(2)) % packed.size()];
  changed = static_cast<char>(~changed);
  expect(unpacked_or(packed, text) == text, "a changed byte gives no other text");
}

}  // namespace zoo
