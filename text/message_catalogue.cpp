#include "text/message_catalogue.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "core/sha256.h"
#include "text/charset_decoder.h"

namespace zoo {
namespace {

constexpr std::uint64_t kHeaderSize = 28;          // of every revision
constexpr std::uint64_t kExtendedHeaderSize = 48;  // of minor revision 1
constexpr std::uint64_t kEntrySize = 8;            // length and offset of a string
constexpr std::size_t kMostPluralForms = 16;       // no language has more than six
constexpr std::string_view kLittleEndian = "\xDE\x12\x04\x95";
constexpr std::string_view kBigEndian = "\x95\x04\x12\xDE";
constexpr std::string_view kOriginal = "original", kTranslation = "translation";

/// The two tables of strings in a catalogue's bytes, checked before anything is read from them.
class CatalogueBytes {
 public:
  CatalogueBytes(std::string_view bytes, const std::string& source)
      : bytes_(bytes), source_(source) {
    check_header();
    count_ = word(8);
    originals_ = word(12);
    translations_ = word(16);
    require<UserError>(count_ <= kMostMessages, source_, ": it claims ", count_,
                       " messages; at most ", kMostMessages, " are read");
    check_table("table of originals", originals_, count_ * kEntrySize);
    check_table("table of translations", translations_, count_ * kEntrySize);
    check_table("hash table", word(24), word(20) * 4);
    check_no_overlap();
  }

  std::uint64_t count() const { return count_; }
  std::string_view original(std::uint64_t i) const { return string(kOriginal, originals_, i); }
  std::string_view translation(std::uint64_t i) const {
    return string(kTranslation, translations_, i);
  }

  std::int64_t system_dependent() const {
    if ((word(4) & 0xFFFF) == 0) return 0;
    require<UserError>(bytes_.size() >= kExtendedHeaderSize, source_,
                       ": cut short: ", bytes_.size(), " bytes, and its header alone has ",
                       kExtendedHeaderSize);
    const auto strings = word(36);
    check_table("table of system-dependent originals", word(40), strings * 4);
    return static_cast<std::int64_t>(strings);
  }

 private:
  void check_header() {
    require<UserError>(bytes_.size() <= kLargestCatalogue, source_, ": ", bytes_.size(),
                       " bytes; a catalogue of at most ", kLargestCatalogue, " is read");
    require<UserError>(bytes_.size() >= kHeaderSize, source_, ": cut short: ", bytes_.size(),
                       " bytes, and its header alone has ", kHeaderSize);
    big_endian_ = bytes_.starts_with(kBigEndian);
    require<UserError>(big_endian_ || bytes_.starts_with(kLittleEndian), source_,
                       ": no compiled gettext catalogue: it starts with ",
                       to_hex(bytes_.substr(0, 4)), "; expected ", to_hex(kLittleEndian), " or ",
                       to_hex(kBigEndian));
    const auto major = word(4) >> 16;
    require<UserError>(major <= 1, source_, ": revision ", major,
                       " of the format; 0 and 1 are known");
  }

  /// The 32-bit number there; the caller has checked that it lies in the file. Sums and products
  /// of two such numbers cannot overflow 64 bits.
  std::uint64_t word(std::uint64_t at) const {
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < 4; ++i) {
      const auto byte = static_cast<unsigned char>(bytes_[at + (big_endian_ ? i : 3 - i)]);
      value = value << 8 | byte;
    }
    return value;
  }

  void check_table(const char* what, std::uint64_t at, std::uint64_t size) const {
    if (size == 0) return;
    require<UserError>(at + size <= bytes_.size(), source_, ": its ", what, ", ", size,
                       " bytes at byte ", at, ", ends outside the file of ", bytes_.size(),
                       " bytes");
  }

  /// Strings that share bytes could unfold to far more than the file.
  void check_no_overlap() const {
    std::uint64_t total = 0;
    for (std::uint64_t i = 0; i < count_; ++i) total += original(i).size() + translation(i).size();
    require<UserError>(total <= bytes_.size(), source_,
                       ": its strings overlap: together they have ", total, " bytes, the file ",
                       bytes_.size());
  }

  std::string_view string(std::string_view part, std::uint64_t table, std::uint64_t i) const {
    const auto length = word(table + i * kEntrySize);
    const auto at = word(table + i * kEntrySize + 4);
    require<UserError>(at + length < bytes_.size(), source_, ": message ", i + 1, ": its ", part,
                       " lies at byte ", at, " with ", length, " bytes, outside the file of ",
                       bytes_.size(), " bytes");
    require<UserError>(bytes_[at + length] == '\0', source_, ": message ", i + 1, ": its ", part,
                       " of ", length, " bytes at byte ", at, " does not end with a zero byte");
    return bytes_.substr(at, length);
  }

  std::string_view bytes_;
  const std::string& source_;
  bool big_endian_ = false;
  std::uint64_t count_ = 0, originals_ = 0, translations_ = 0;
};

/// What follows `Name:` on its line of a header entry, without the spaces around it.
std::string_view header_field(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    auto line = header.substr(0, header.find('\n'));
    header.remove_prefix(std::min(header.size(), line.size() + 1));
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':')) continue;
    line.remove_prefix(name.size() + 1);
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
    return line.substr(0, line.find_last_not_of(" \t\r") + 1);
  }
  return {};
}

std::string charset_of(std::string_view header) {
  constexpr std::string_view kKey = "charset=";
  const auto type = header_field(header, "Content-Type");
  const auto at = type.find(kKey);
  if (at == std::string_view::npos) return "UTF-8";
  const auto value = type.substr(at + kKey.size());
  return std::string(value.substr(0, value.find_first_of(" \t;")));
}

std::vector<std::string_view> split_at_zeros(std::string_view text) {
  std::vector<std::string_view> parts;
  for (auto end = text.find('\0'); end != std::string_view::npos; end = text.find('\0')) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

/// Reads one message; its parts are split before they are decoded, as gettext does.
class MessageReader {
 public:
  MessageReader(const std::string& charset, const std::string& source)
      : charset_(charset), source_(source), decoder_(charset, source) {}

  CatalogueMessage read(std::uint64_t index, std::string_view original,
                        std::string_view translation) const {
    CatalogueMessage message;
    message.number = static_cast<std::int64_t>(index) + 1;
    const auto context_end = original.substr(0, original.find('\0')).find('\4');
    if (context_end != std::string_view::npos) {
      message.context = decoded(message.number, kOriginal, original.substr(0, context_end));
      original.remove_prefix(context_end + 1);
    }
    require_parts(message.number, kOriginal, original, 2);
    const auto names = split_at_zeros(original);
    message.singular = decoded(message.number, kOriginal, names[0]);
    if (names.size() > 1) message.plural = decoded(message.number, kOriginal, names[1]);
    require_parts(message.number, kTranslation, translation,
                  names.size() > 1 ? kMostPluralForms : 1);
    for (const auto form : split_at_zeros(translation)) {
      message.translations.push_back(decoded(message.number, kTranslation, form));
    }
    return message;
  }

  std::string decoded(std::int64_t number, std::string_view part, std::string_view bytes) const {
    auto text = decoder_.decode(bytes);
    require<UserError>(text.has_value(), source_, ": message ", number, ": its ", part, " is not ",
                       charset_, ", the charset of the catalogue");
    return std::move(*text);
  }

 private:
  void require_parts(std::int64_t number, std::string_view part, std::string_view text,
                     std::size_t most) const {
    const auto parts = 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\0'));
    require<UserError>(parts <= most, source_, ": message ", number, ": its ", part, " has ", parts,
                       " forms; at most ", most, " are expected");
  }

  std::string charset_;
  const std::string& source_;
  CharsetDecoder decoder_;
};

}  // namespace

MessageCatalogue parse_message_catalogue(std::string_view bytes, const std::string& source) {
  const CatalogueBytes file(bytes, source);
  MessageCatalogue catalogue;
  catalogue.system_dependent = file.system_dependent();
  std::uint64_t header_at = 0;
  while (header_at < file.count() && !file.original(header_at).empty()) ++header_at;
  const bool has_header = header_at < file.count();
  const auto header = has_header ? file.translation(header_at) : std::string_view();
  catalogue.charset = charset_of(header);
  const MessageReader reader(catalogue.charset, source);
  catalogue.plural_forms = reader.decoded(static_cast<std::int64_t>(header_at) + 1, kTranslation,
                                          header_field(header, "Plural-Forms"));
  for (std::uint64_t i = 0; i < file.count(); ++i) {
    if (has_header && i == header_at) continue;
    catalogue.messages.push_back(reader.read(i, file.original(i), file.translation(i)));
  }
  return catalogue;
}

}  // namespace zoo
