#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// A message of a gettext catalogue with its translations, as UTF-8.
struct CatalogueMessage {
  std::int64_t number = 0;  ///< in the file, from 1
  std::string context;      ///< "" without one
  std::string singular;
  std::string plural;                     ///< "" without one
  std::vector<std::string> translations;  ///< one, or one a plural form; "" where untranslated
};

/// What a compiled catalogue (.mo) holds.
struct MessageCatalogue {
  std::string charset;                     ///< as its header names it; UTF-8 where it does not
  std::string plural_forms;                ///< the header's Plural-Forms, "" without
  std::vector<CatalogueMessage> messages;  ///< without the header entry
  std::int64_t system_dependent = 0;  ///< messages made for each machine (<PRIu64>), not read here
};

inline constexpr std::size_t kLargestCatalogue = std::size_t{64} << 20;  ///< bytes
inline constexpr std::uint32_t kMostMessages = 200'000;

/// Reads a GNU .mo file of either byte order (GNU gettext manual, "The Format of GNU MO Files") and
/// turns its text into UTF-8 with the C library's iconv. Throws UserError naming `source` and the
/// message: bytes that are no catalogue, cut short, larger than the limits, that point outside the
/// file or at each other, an unknown charset, text that is not in the charset.
MessageCatalogue parse_message_catalogue(std::string_view bytes, const std::string& source);

}  // namespace zoo
