#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zoo {

/// Originals and translations as a .mo file holds them: "context\4singular\0plural", "one\0two".
using MoStrings = std::vector<std::pair<std::string, std::string>>;

struct MoLayout {
  bool big_endian = false;
  bool hash_table = false;  ///< an empty one of the size that msgfmt would give it
  std::uint32_t revision = 0;
};

/// The header entry that names a charset.
inline std::pair<std::string, std::string> mo_header(const std::string& charset) {
  return {"", "Language: tr\nContent-Type: text/plain; charset=" + charset +
                  "\nPlural-Forms: nplurals=2; plural=(n != 1);\n"};
}

/// Overwrites the 32-bit number at `at`.
inline void set_mo_word(std::string& bytes, std::size_t at, std::uint32_t value,
                        bool big_endian = false) {
  for (std::size_t i = 0; i < 4; ++i) {
    const auto shift = 8 * (big_endian ? 3 - i : i);
    bytes.at(at + i) = static_cast<char>(value >> shift & 0xFF);
  }
}

/// The bytes of a GNU .mo file: header, originals, translations, hash table, strings.
inline std::string mo_file(const MoStrings& strings, const MoLayout& layout = {}) {
  const auto count = static_cast<std::uint32_t>(strings.size());
  const std::uint32_t header_size = layout.revision % 0x10000 == 0 ? 28 : 48;
  const std::uint32_t hash_size = layout.hash_table ? count * 4 / 3 + 1 : 0;
  const std::uint32_t originals = header_size, translations = originals + 8 * count;
  const std::uint32_t hash_table = translations + 8 * count;
  std::string bytes(hash_table + 4 * hash_size, '\0');
  const auto set = [&](std::size_t at, std::size_t value) {
    set_mo_word(bytes, at, static_cast<std::uint32_t>(value), layout.big_endian);
  };
  const std::uint32_t header[] = {0x950412DE,   layout.revision, count,     originals,
                                  translations, hash_size,       hash_table};
  for (std::size_t i = 0; i < 7; ++i) set(4 * i, header[i]);
  const auto add = [&](std::size_t entry, const std::string& text) {
    set(entry, text.size());
    set(entry + 4, bytes.size());
    bytes += text + '\0';
  };
  for (std::size_t i = 0; i < count; ++i) add(originals + 8 * i, strings[i].first);
  for (std::size_t i = 0; i < count; ++i) add(translations + 8 * i, strings[i].second);
  return bytes;
}

}  // namespace zoo
