#include "text/charset_decoder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>

#include <utf8proc.h>

#include "core/errors.h"

namespace zoo {
namespace {

constexpr std::size_t kLongestName = 40;

/// A slash would hand options to iconv ("//IGNORE").
bool is_charset_name(const std::string& name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ':' || c == '+';
         });
}

std::string lower_case(std::string name) {
  for (auto& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

bool is_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  for (utf8proc_ssize_t at = 0; at < size;) {
    utf8proc_int32_t code_point = 0;
    const auto length = utf8proc_iterate(bytes + at, size - at, &code_point);
    if (length <= 0) return false;
    at += length;
  }
  return true;
}

}  // namespace

CharsetDecoder::CharsetDecoder(const std::string& charset, const std::string& source) {
  require<UserError>(is_charset_name(charset), source,
                     ": its header names a charset that is no name of letters and digits");
  const auto name = lower_case(charset);
  as_is_ = name == "utf-8" || name == "utf8";
  if (as_is_) return;
  // A template that nobody filled in says "CHARSET"; msgfmt takes such a file for ASCII.
  descriptor_ = ::iconv_open("UTF-8", name == "charset" ? "US-ASCII" : charset.c_str());
  require<UserError>(descriptor_ != reinterpret_cast<iconv_t>(-1), source, ": its charset \"",
                     charset, "\" is unknown to iconv on this machine; convert it to UTF-8");
}

CharsetDecoder::~CharsetDecoder() {
  if (!as_is_) ::iconv_close(descriptor_);
}

std::optional<std::string> CharsetDecoder::decode(std::string_view bytes) const {
  if (as_is_) return is_utf8(bytes) ? std::optional<std::string>(bytes) : std::nullopt;
  ::iconv(descriptor_, nullptr, nullptr, nullptr, nullptr);
  auto* in = const_cast<char*>(bytes.data());
  auto in_left = bytes.size();
  std::array<char, 1024> buffer;
  std::string text;
  for (bool flushing = bytes.empty();;) {
    auto* out = buffer.data();
    auto out_left = buffer.size();
    const auto before = in_left;
    const auto result = flushing ? ::iconv(descriptor_, nullptr, nullptr, &out, &out_left)
                                 : ::iconv(descriptor_, &in, &in_left, &out, &out_left);
    const bool failed = result == static_cast<std::size_t>(-1);
    const auto cause = errno;
    const auto made = buffer.size() - out_left;
    text.append(buffer.data(), made);
    // No progress is an error too: some of glibc's converters have been known to go in circles.
    if (failed && (cause != E2BIG || (made == 0 && in_left == before))) return std::nullopt;
    if (failed) continue;
    if (flushing) break;
    flushing = true;
  }
  return is_utf8(text) ? std::optional<std::string>(std::move(text)) : std::nullopt;
}

}  // namespace zoo
