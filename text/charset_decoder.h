#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <iconv.h>

namespace zoo {

/// Turns text of a named charset into UTF-8 with the C library's iconv.
class CharsetDecoder {
 public:
  /// Throws UserError naming `source` when iconv does not know the charset.
  CharsetDecoder(const std::string& charset, const std::string& source);
  ~CharsetDecoder();
  CharsetDecoder(const CharsetDecoder&) = delete;
  CharsetDecoder& operator=(const CharsetDecoder&) = delete;

  /// The bytes as UTF-8; nothing where they are no text of the charset.
  std::optional<std::string> decode(std::string_view bytes) const;

 private:
  bool as_is_ = false;  ///< UTF-8, which is checked and not converted
  iconv_t descriptor_ = {};
};

}  // namespace zoo
