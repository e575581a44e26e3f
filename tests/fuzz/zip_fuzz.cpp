#include "core/zip.h"

#include "core/errors.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/zip_file.h"

namespace zoo {
namespace {

bool is_whole(const std::string& bytes) {
  try {
    check_zip(bytes, "FILE");
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

/// A byte, then an archive (0); or text that is packed into one, stored, deflated, in 64 bits (1),
/// of which then a byte that it holds is changed, at the place that the next two bytes say (2).
void fuzz_one(std::string_view bytes) {
  if (bytes.size() < 4) return;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  if (byte(0) % 3 == 0) {
    check_zip(bytes.substr(1), "FILE");
    return;
  }
  const std::string text(bytes.substr(3));
  auto archive = zip_file({{"a", text, false}, {"b", text, true}}, "", byte(1) % 2 == 1);
  expect(is_whole(archive), "what was packed is whole");
  if (byte(0) % 3 == 1) return;
  constexpr std::size_t kHeader = 31;
  auto& changed = archive[kHeader + (byte(1) << 8 | byte(2)) % text.size()];
  changed = static_cast<char>(~changed);
  expect(!is_whole(archive), "a changed byte is noticed");
}

}  // namespace zoo
