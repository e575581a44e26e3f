#include "core/zip.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <vector>

#include <zlib.h>

#include "core/errors.h"

namespace zoo {
namespace {

constexpr std::string_view kLocalHeader = "PK\x03\x04";
constexpr std::string_view kDirectoryEntry = "PK\x01\x02";
constexpr std::string_view kDirectoryEnd = "PK\x05\x06";
constexpr std::string_view kDirectoryEnd64 = "PK\x06\x06";
constexpr std::string_view kLocator64 = "PK\x06\x07";
constexpr std::size_t kDirectoryEndSize = 22;
constexpr std::size_t kLocator64Size = 20;
constexpr std::size_t kLongestComment = 65535;
constexpr std::uint64_t kIn64 = 0xFFFFFFFF;  // the number stands in an extra field
constexpr std::uint64_t kStored = 0, kDeflated = 8;
constexpr std::uint64_t kMostInflated = std::uint64_t{256} << 20;  // of all entries together
constexpr std::size_t kLargestPart = std::size_t{1} << 30;         // zlib counts in 32 bits

/// Little-endian numbers at places that are checked.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& source) : bytes_(bytes), source_(source) {}

  std::uint64_t number(std::uint64_t at, int size) const {
    const auto part = range(at, static_cast<std::uint64_t>(size));
    std::uint64_t value = 0;
    for (int i = size - 1; i >= 0; --i) {
      value = value << 8 | static_cast<unsigned char>(part[static_cast<std::size_t>(i)]);
    }
    return value;
  }
  std::string_view range(std::uint64_t at, std::uint64_t size) const {
    require<UserError>(at <= bytes_.size() && size <= bytes_.size() - at, source_,
                       ": the archive is cut short; get the file again");
    return bytes_.substr(at, size);
  }
  void expect(std::uint64_t at, std::string_view signature, const char* what) const {
    require<UserError>(range(at, signature.size()) == signature, source_, ": is damaged: no ", what,
                       " at byte ", at, "; get the file again");
  }
  std::string_view bytes() const { return bytes_; }
  const std::string& source() const { return source_; }

 private:
  std::string_view bytes_;
  const std::string& source_;
};

struct Entry {
  std::string_view name;
  std::uint64_t method = 0, crc = 0, packed = 0, size = 0, header = 0;
};

/// How messages name an entry: control characters and bytes beyond ASCII become question marks.
std::string shown(std::string_view name) {
  std::string text(name.substr(0, 80));
  for (auto& c : text) c = c >= ' ' && c <= '~' ? c : '?';
  return text;
}

/// Replaces the numbers that stand in the extra field because they need 64 bits.
void read_extra(const Reader& reader, std::uint64_t at, std::uint64_t end, Entry& entry) {
  while (at + 4 <= end) {
    const auto id = reader.number(at, 2);
    const auto size = reader.number(at + 2, 2);
    at += 4;
    if (id == 1) {
      auto field = at;
      for (auto* value : {&entry.size, &entry.packed, &entry.header}) {
        if (*value != kIn64) continue;
        *value = reader.number(field, 8);
        field += 8;
      }
    }
    at += size;
  }
}

std::uint32_t crc_of(std::string_view bytes, std::uint32_t crc) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kLargestPart))) {
    const auto part = bytes.substr(0, kLargestPart);
    crc = static_cast<std::uint32_t>(
        crc32(crc, reinterpret_cast<const Bytef*>(part.data()), static_cast<uInt>(part.size())));
  }
  return crc;
}

/// What deflated bytes hold: its CRC-32 and its size, as far as it is no larger than `most`.
std::pair<std::uint32_t, std::uint64_t> inflated(std::string_view packed, std::uint64_t most) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  std::array<Bytef, 1 << 14> buffer;
  std::uint32_t crc = 0;
  std::uint64_t size = 0;
  int status = Z_OK;
  while (status == Z_OK && size <= most) {
    if (stream.avail_in == 0) {
      const auto part = packed.substr(0, kLargestPart);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
      stream.avail_in = static_cast<uInt>(part.size());
      packed.remove_prefix(part.size());
    }
    stream.next_out = buffer.data();
    stream.avail_out = buffer.size();
    status = inflate(&stream, Z_NO_FLUSH);
    const auto count = buffer.size() - stream.avail_out;
    crc = crc_of({reinterpret_cast<const char*>(buffer.data()), count}, crc);
    size += count;
  }
  inflateEnd(&stream);
  return {crc, status == Z_STREAM_END ? size : ~std::uint64_t{0}};
}

/// The bytes of the archive that are an entry's own.
std::string_view packed_part(const Reader& reader, const Entry& entry) {
  reader.expect(entry.header, kLocalHeader, "entry");
  const auto name_size = reader.number(entry.header + 26, 2);
  const auto extra_size = reader.number(entry.header + 28, 2);
  return reader.range(entry.header + 30 + name_size + extra_size, entry.packed);
}

void check_content(const Reader& reader, const Entry& entry) {
  const auto packed = packed_part(reader, entry);
  require<UserError>(entry.method == kStored || entry.method == kDeflated, reader.source(),
                     ": is damaged: its entry ", shown(entry.name), " is packed in an unknown way");
  const auto [crc, size] = entry.method == kStored
                               ? std::pair(crc_of(packed, 0), std::uint64_t{packed.size()})
                               : inflated(packed, entry.size);
  require<UserError>(crc == entry.crc && size == entry.size, reader.source(),
                     ": is damaged: its entry ", shown(entry.name),
                     " does not fit its checksum; get the file again");
}

/// Refuses what a check of every entry could take for ever with: entries that share bytes, and
/// packed ones that hold too much.
void check_sizes(const Reader& reader, const std::vector<Entry>& entries) {
  std::uint64_t inflated_size = 0;
  std::vector<std::string_view> parts;
  for (const auto& entry : entries) {
    parts.push_back(packed_part(reader, entry));
    if (entry.method != kDeflated) continue;
    require<UserError>(entry.size <= kMostInflated - inflated_size, reader.source(),
                       ": its packed entries hold more than ", kMostInflated,
                       " bytes; store them unpacked, as `zoo export` does");
    inflated_size += entry.size;
  }
  std::sort(parts.begin(), parts.end(),
            [](std::string_view a, std::string_view b) { return a.data() < b.data(); });
  for (std::size_t i = 1; i < parts.size(); ++i) {
    require<UserError>(parts[i - 1].data() + parts[i - 1].size() <= parts[i].data(),
                       reader.source(), ": is damaged: its entries overlap; get the file again");
  }
}

/// Where the record that ends the archive stands.
std::uint64_t end_of(const Reader& reader) {
  const auto bytes = reader.bytes();
  const auto from = bytes.size() < kDirectoryEndSize ? 0 : bytes.size() - kDirectoryEndSize;
  const auto found = bytes.rfind(kDirectoryEnd, from);
  require<UserError>(found != std::string_view::npos && from - found <= kLongestComment,
                     reader.source(), ": is no zip archive, or is cut short");
  return found;
}

}  // namespace

void check_zip(std::string_view bytes, const std::string& source) {
  const Reader reader(bytes, source);
  const auto end = end_of(reader);
  auto count = reader.number(end + 10, 2);
  auto at = reader.number(end + 16, 4);
  if (end >= kLocator64Size && reader.range(end - kLocator64Size, 4) == kLocator64) {
    const auto end64 = reader.number(end - kLocator64Size + 8, 8);
    reader.expect(end64, kDirectoryEnd64, "end of the directory");
    count = reader.number(end64 + 32, 8);
    at = reader.number(end64 + 48, 8);
  }
  require<UserError>(count > 0, source, ": is an empty archive");
  std::vector<Entry> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    reader.expect(at, kDirectoryEntry, "directory entry");
    const auto name_size = reader.number(at + 28, 2);
    const auto extra_size = reader.number(at + 30, 2);
    const auto comment_size = reader.number(at + 32, 2);
    Entry entry{reader.range(at + 46, name_size), reader.number(at + 10, 2),
                reader.number(at + 16, 4),        reader.number(at + 20, 4),
                reader.number(at + 24, 4),        reader.number(at + 42, 4)};
    const auto extra = at + 46 + name_size;
    read_extra(reader, extra, extra + extra_size, entry);
    entries.push_back(entry);
    at = extra + extra_size + comment_size;
  }
  check_sizes(reader, entries);
  for (const auto& entry : entries) check_content(reader, entry);
}

}  // namespace zoo
