#include "core/files.h"
#include "core/gzip.h"
#include "core/zip.h"
#include "tests/mistakes/bad_files.h"
#include "tests/support/gzip_file.h"
#include "tests/support/zip_file.h"

namespace zoo {
namespace {

constexpr std::size_t kMostUnpacked = 1 << 20;
constexpr std::size_t kGzipHeader = 10, kGzipEnd = 8;

std::string packed() { return gzip_file("0,1,2,three\n4,5,6,seven\n"); }

/// The bytes with others at a place.
std::string patched(std::string bytes, std::size_t at, const std::string& others) {
  return bytes.replace(at, others.size(), others);
}

BadFile gz(const std::string& kind, const std::string& says, const std::string& bytes) {
  return {kind, says, [bytes] { return bytes; }};
}

std::vector<BadFile> bad_gzip() {
  const auto good = packed();
  const auto end = good.size() - kGzipEnd;
  return {
      gz("empty", "no gzip data", ""),
      gz("one byte", "no gzip data", "\x1F"),
      gz("a zip archive", "no gzip data", "PK\x03\x04"),
      gz("signature alone", "cut short after 2 bytes", good.substr(0, 2)),
      gz("header alone", "cut short", good.substr(0, kGzipHeader)),
      gz("cut in the data", "cut short", good.substr(0, kGzipHeader + 5)),
      gz("cut before the checksum", "cut short", good.substr(0, end)),
      gz("cut in the size", "cut short", good.substr(0, good.size() - 1)),
      gz("unknown method", "broken gzip data", patched(good, 2, "\x07")),
      gz("unknown flags", "broken gzip data", patched(good, 3, "\xE0")),
      gz("wrong checksum", "broken gzip data", patched(good, end, "\1\2\3\4")),
      gz("wrong size", "broken gzip data", patched(good, end + 4, "\1\2\3\4")),
      gz("data that are none", "broken gzip data", patched(good, kGzipHeader, "\xFF\xFF\xFF\xFF")),
      gz("text behind", "something else", good + "text"),
      gz("zeros behind", "something else", good + std::string(512, '\0')),
      gz("a cut second member", "cut short", good + good.substr(0, 12)),
      gz("a broken second member", "broken gzip data",
         good + patched(good, kGzipHeader, "\xFF\xFF\xFF\xFF")),
      {"more than is read", "more than 1048576 bytes",
       [] { return gzip_file(std::string(kMostUnpacked + 1, 'x')); }},
      {"a bomb of 1 GiB", "more than 1048576 bytes",
       [] {
         const auto part = gzip_file(std::string(32 << 20, '\0'));
         return repeated(part, 32);
       }},
      {"a million empty members, then text", "something else",
       [] { return repeated(gzip_file(""), 200'000) + "x"; }},
  };
}

std::vector<ZipEntry> entries() {
  return {{"model/data.pkl", "a program", false}, {"model/code.py", "x = 1\nx = 1\n", true}};
}

std::string archive() { return zip_file(entries()); }

/// A small archive with bytes replaced, counted from the place of a signature.
BadFile zip_patched(const std::string& kind, const std::string& says, const std::string& signature,
                    std::size_t offset, const std::string& others) {
  return {kind, says, [=] {
            const auto bytes = archive();
            return patched(bytes, bytes.find(signature) + offset, others);
          }};
}

/// 64 MiB, deflated, that every entry of the directory names.
std::string overlapping_bomb(std::size_t count) {
  ZipWriter writer(false);
  const std::string name = "zeros";
  writer.add({name, std::string(64 << 20, '\0'), true});
  auto bytes = writer.finish("");
  const auto directory = bytes.find("PK\x01\x02");
  const auto end = bytes.find("PK\x05\x06");
  const auto entry = bytes.substr(directory, end - directory);
  bytes = bytes.substr(0, directory) + repeated(entry, count) + bytes.substr(end);
  const auto new_end = bytes.rfind("PK\x05\x06");
  bytes = patched(
      bytes, new_end + 8,
      little_endian(count, 2) + little_endian(count, 2) + little_endian(entry.size() * count, 4));
  // The last entry is broken, so that the archive must be refused.
  return patched(bytes, new_end - entry.size() + 16, "\1\2\3\4");
}

std::vector<BadFile> bad_zip() {
  const std::string local = "PK\x03\x04", directory = "PK\x01\x02", end = "PK\x05\x06";
  return {
      {"empty", "no zip archive", [] { return ""; }},
      {"text", "no zip archive", [] { return "no archive"; }},
      {"zeros", "no zip archive", [] { return std::string(4096, '\0'); }},
      {"cut before its end", "no zip archive",
       [] { return archive().substr(0, archive().size() - 22); }},
      {"cut in its end", "", [] { return archive().substr(0, archive().size() - 1); }},
      {"the end alone", "", [] { return archive().substr(archive().size() - 22); }},
      {"no entries", "empty archive", [] { return zip_file({}); }},
      zip_patched("more entries than there are", "damaged", end, 10, little_endian(3, 2)),
      zip_patched("65,535 entries", "damaged", end, 10, "\xFF\xFF"),
      zip_patched("directory beyond the end", "", end, 16, little_endian(0xFFFFFFF0, 4)),
      zip_patched("directory at 0", "damaged", end, 16, little_endian(0, 4)),
      zip_patched("entry beyond the end", "", directory, 42, little_endian(0x7FFFFFFF, 4)),
      zip_patched("entry at another place", "damaged", directory, 42, little_endian(1, 4)),
      zip_patched("packed size beyond the end", "cut short", directory, 20,
                  little_endian(0x7FFFFFFF, 4)),
      zip_patched("packed size 0", "checksum", directory, 20, little_endian(0, 4)),
      zip_patched("another size", "checksum", directory, 24, little_endian(8, 4)),
      zip_patched("sizes in a field that is not there", "", directory, 20,
                  little_endian(0xFFFFFFFF, 4) + little_endian(0xFFFFFFFF, 4)),
      zip_patched("another checksum", "checksum", directory, 16, "\1\2\3\4"),
      zip_patched("unknown method", "unknown way", directory, 10, little_endian(99, 2)),
      zip_patched("a name beyond the end", "", directory, 28, "\xFF\xFF"),
      zip_patched("an extra field beyond the end", "", directory, 30, "\xFF\xFF"),
      zip_patched("a local name beyond the end", "", local, 26, "\xFF\xFF"),
      zip_patched("a damaged entry", "", local, 0, "PKxx"),
      {"a changed byte", "checksum",
       [] { return patched(archive(), archive().find("a program"), "b"); }},
      {"a terminal escape in a name", "checksum",
       [] {
         auto bytes = zip_file({{"\x1B[2J\n", "text", false}});
         return patched(bytes, bytes.find("text"), "TEXT");
       }},
      {"64 MiB in one entry, of another size", "",
       [] {
         ZipWriter writer(false);
         writer.add({"zeros", std::string(64 << 20, '\0'), true});
         auto bytes = writer.finish("");
         return patched(bytes, bytes.find("PK\x01\x02") + 24, little_endian(7, 4));
       }},
      {"packed entries of 300 MiB", "hold more than 268435456 bytes",
       [] {
         auto bytes = archive();
         return patched(bytes, bytes.rfind("PK\x01\x02") + 24, little_endian(300 << 20, 4));
       }},
      {"three entries that are one", "its entries overlap", [] { return overlapping_bomb(3); }},
      {"a thousand entries that are one", "hold more than", [] { return overlapping_bomb(1'000); }},
      {"64 bits: end beyond the end", "",
       [] {
         auto bytes = zip_file(entries(), "", true);
         return patched(bytes, bytes.rfind("PK\x06\x07") + 8, little_endian(~std::uint64_t{0}, 8));
       }},
      {"64 bits: 2^64 - 1 entries", "damaged",
       [] {
         auto bytes = zip_file(entries(), "", true);
         return patched(bytes, bytes.rfind("PK\x06\x06") + 32, little_endian(~std::uint64_t{0}, 8));
       }},
      {"64 bits: entry at 2^64 - 1", "",
       [] {
         auto bytes = zip_file(entries(), "", true);
         return patched(bytes, bytes.find("PK\x06\x06") - 8, little_endian(~std::uint64_t{0}, 8));
       }},
  };
}

}  // namespace

FileFormat gzip_format() {
  FileFormat format{"gzip", "table.csv.gz", {}, packed, 0, {}, bad_gzip()};
  format.read = [](const std::filesystem::path& path) {
    (void)gunzip(read_file(path), path.string(), kMostUnpacked);
  };
  return format;
}

FileFormat zip_format() {
  FileFormat format{"zip", "model.pt", {}, archive, 0, {}, bad_zip()};
  format.read = [](const std::filesystem::path& path) {
    check_zip(read_file(path), path.string());
  };
  return format;
}

}  // namespace zoo
