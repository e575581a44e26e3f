#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <zlib.h>

namespace zoo {

/// What a zip archive is made of.
struct ZipEntry {
  std::string name;
  std::string content;
  bool deflated = false;
};

/// Builds the bytes of a zip archive.
class ZipWriter {
 public:
  explicit ZipWriter(bool in_64_bits) : in_64_bits_(in_64_bits) {}

  void add(const ZipEntry& entry) {
    const auto at = bytes_.size();
    const auto packed = entry.deflated ? deflated(entry.content) : entry.content;
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(entry.content.data()),
                           static_cast<uInt>(entry.content.size()));
    const auto described = number(entry.deflated ? 8 : 0, 2) + number(0, 4) + number(crc, 4);
    bytes_ += "PK\x03\x04" + number(20, 2) + number(0, 2) + described + number(packed.size(), 4) +
              number(entry.content.size(), 4) + number(entry.name.size(), 2) + number(0, 2) +
              entry.name + packed;
    const auto sizes = in_64_bits_ ? number(0xFFFFFFFF, 4) + number(0xFFFFFFFF, 4)
                                   : number(packed.size(), 4) + number(entry.content.size(), 4);
    const auto extra = in_64_bits_
                           ? number(1, 2) + number(24, 2) + number(entry.content.size(), 8) +
                                 number(packed.size(), 8) + number(at, 8)
                           : std::string();
    directory_ += "PK\x01\x02" + number(20, 2) + number(20, 2) + number(0, 2) + described + sizes +
                  number(entry.name.size(), 2) + number(extra.size(), 2) + number(0, 10) +
                  number(in_64_bits_ ? 0xFFFFFFFF : at, 4) + entry.name + extra;
    ++count_;
  }

  std::string finish(const std::string& comment) const {
    const auto at = bytes_.size();
    auto bytes = bytes_ + directory_;
    if (in_64_bits_) {
      const auto end = bytes.size();
      bytes += "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) +
               number(count_, 8) + number(count_, 8) + number(directory_.size(), 8) + number(at, 8);
      bytes += "PK\x06\x07" + number(0, 4) + number(end, 8) + number(1, 4);
    }
    return bytes + "PK\x05\x06" + number(0, 4) + number(count_, 2) + number(count_, 2) +
           number(directory_.size(), 4) + number(in_64_bits_ ? 0xFFFFFFFF : at, 4) +
           number(comment.size(), 2) + comment;
  }

 private:
  /// Little-endian.
  static std::string number(std::uint64_t value, std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) {
      bytes += static_cast<char>(i < 8 ? value >> (8 * i) & 0xFF : 0);
    }
    return bytes;
  }

  static std::string deflated(const std::string& content) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
  }

  bool in_64_bits_;
  std::string bytes_, directory_;
  std::uint64_t count_ = 0;
};

inline std::string zip_file(const std::vector<ZipEntry>& entries, const std::string& comment = "",
                            bool in_64_bits = false) {
  ZipWriter writer(in_64_bits);
  for (const auto& entry : entries) writer.add(entry);
  return writer.finish(comment);
}

}  // namespace zoo
