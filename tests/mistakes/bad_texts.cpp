#include "core/mapped_file.h"
#include "tests/mistakes/bad_files.h"
#include "tests/support/mo_file.h"
#include "text/message_catalogue.h"
#include "text/pair_files.h"

namespace zoo {
namespace {

BadFile text(const std::string& kind, const std::string& bytes, const std::string& says) {
  return {kind, says, [bytes] { return bytes; }};
}

MoStrings messages() {
  return {mo_header("UTF-8"), {"cat", "kedi"}, {std::string("dog\0dogs", 8), "k\xC3\xB6pek"}};
}

/// A catalogue of three messages with the 32-bit number at `at` replaced.
BadFile word(const std::string& kind, std::size_t at, std::uint32_t value,
             const std::string& says) {
  return {kind, says, [=] {
            auto bytes = mo_file(messages());
            set_mo_word(bytes, at, value);
            return bytes;
          }};
}

BadFile catalogue(const std::string& kind, const MoStrings& strings, const std::string& says) {
  return {kind, says, [=] { return mo_file(strings); }};
}

BadFile charset(const std::string& kind, const std::string& name, const std::string& says) {
  return catalogue(kind, {mo_header(name), {"cat", "kedi"}}, says);
}

/// So many messages that all are the same empty string, and a last one that is not UTF-8.
std::string many_messages(std::uint32_t count) {
  std::string bytes(28, '\0');
  const auto table = static_cast<std::uint32_t>(bytes.size());
  const std::uint32_t header[] = {0x950412DE, 0, count, table, table + 8 * count, 0, 0};
  for (std::size_t i = 0; i < 7; ++i) set_mo_word(bytes, 4 * i, header[i]);
  bytes.resize(table + 16 * std::size_t{count} + 4, '\0');
  const auto strings = static_cast<std::uint32_t>(bytes.size() - 4);
  for (std::uint32_t i = 0; i < 2 * count; ++i) set_mo_word(bytes, table + 8 * i + 4, strings);
  bytes[strings + 1] = '\xFF';
  set_mo_word(bytes, bytes.size() - 12, 1);
  set_mo_word(bytes, bytes.size() - 8, strings + 1);
  return bytes;
}

std::vector<BadFile> bad_catalogues() {
  const auto good = mo_file(messages());
  const std::string plural("dog\0dogs", 8);
  return {
      text("empty", "", "cut short: 0 bytes"),
      text("27 bytes", good.substr(0, 27), "cut short: 27 bytes"),
      text("a PO file", "msgid \"cat\"\nmsgstr \"kedi\"\n# and so on\n", "starts with"),
      text("zeros", std::string(4096, '\0'), "starts with"),
      word("half a signature", 0, 0x950412DF, "starts with"),
      word("revision 2", 4, 2 << 16, "revision 2"),
      word("revision 65535", 4, 0xFFFF0000, "revision 65535"),
      {"minor revision without its header", "cut short: 30 bytes",
       [] {
         auto bytes = mo_file({}).substr(0, 28) + "..";
         set_mo_word(bytes, 4, 1);
         return bytes;
       }},
      word("2^32 - 1 messages", 8, 0xFFFFFFFF, "4294967295 messages"),
      word("one message more than are read", 8, kMostMessages + 1, "messages; at most"),
      word("more messages than the file has room for", 8, 10'000, "ends outside"),
      word("originals outside", 12, 0xFFFFFFF0, "table of originals"),
      word("originals at the end", 12, static_cast<std::uint32_t>(good.size() - 8),
           "table of originals"),
      word("translations outside", 16, 0x7FFFFFFF, "table of translations"),
      word("hash table outside", 20, 0x40000000, "hash table"),
      word("original outside", 28 + 4, 0xFFFFFFFF, "message 1: its original"),
      word("original too long", 28 + 8, 0xFFFFFFFF, "message 2: its original"),
      word("original cut", 28 + 8, 2, "does not end with a zero byte"),
      word("translation outside", 28 + 24 + 4, 1 << 30, "message 1: its translation"),
      word("translation of 2^32 - 1 bytes", 28 + 24 + 8, 0xFFFFFFFF, "message 2: its translation"),
      text("cut in the strings", good.substr(0, good.size() - 3), "message"),
      text("cut in the tables", good.substr(0, 40), "ends outside"),
      charset("unknown charset", "KLINGON-8", "charset"),
      charset("charset without a name", "", ""),
      charset("charset with a terminal escape", "\x1B[2J", ""),
      charset("charset with a C1 control", "\xC2\x9B", ""),
      charset("charset of 100,000 bytes", std::string(100'000, 'U'), ""),
      catalogue("translation not UTF-8", {mo_header("UTF-8"), {"cat", "\xFF"}}, "message 2"),
      catalogue("original not UTF-8", {mo_header("UTF-8"), {"\xC3", "kedi"}}, "message 2"),
      catalogue("context not UTF-8", {mo_header("UTF-8"), {"\xFF\4cat", "kedi"}}, "message 2"),
      catalogue("three originals", {mo_header("UTF-8"), {plural + std::string("\0x", 2), "kedi"}},
                "its original has 3 forms"),
      catalogue("two translations of one", {mo_header("UTF-8"), {"cat", plural}},
                "its translation has 2 forms"),
      catalogue("1,000 plural forms",
                {mo_header("UTF-8"), {plural, repeated(std::string("x\0", 2), 1'000)}},
                "1001 forms"),
      {"strings that share their bytes", "overlap",
       [] {
         auto bytes = mo_file({{"a", std::string(100, 'x')}, {"b", "y"}, {"c", "z"}});
         for (std::size_t i = 1; i < 3; ++i) {
           for (std::size_t at = 0; at < 8; ++at) bytes[28 + 24 + 8 * i + at] = bytes[28 + 24 + at];
         }
         return bytes;
       }},
      {"as many messages as are read, the last not UTF-8", "is not UTF-8",
       [] { return many_messages(kMostMessages); }},
      {"65 MiB", "a catalogue of at most", [] { return std::string(65 << 20, '\0'); }},
  };
}

std::vector<BadFile> bad_tables() {
  return {
      text("empty", "", "the file is empty"),
      text("blank lines", "\n\n\n", "no line that holds"),
      text("one column", "cat\tkedi\ndog\n", "line 2: 1 column"),
      text("a comma instead of a tab", "cat,kedi\n", "line 1: 1 column"),
      text("no source", "cat\tkedi\n\tkopek\n", "line 2: the source is empty"),
      text("no target", "cat\t\n", "line 1: the target is empty"),
      text("two tabs", "cat\t\tkedi\n", "line 1: the target is empty"),
      text("not UTF-8", "cat\tkedi\ndog\tk\xF6pek\n", "byte offset 14"),
      text("cut UTF-8", "cat\tked\xC3", "byte offset 7"),
      text("overlong UTF-8", "\xC0\xAF\tx\n", "byte offset 0"),
      text("surrogate", "a\t\xED\xA0\x80\n", "byte offset 2"),
      text("UTF-16",
           std::string("\xFF\xFE"
                       "c\0\t\0k\0",
                       8),
           "byte offset 0"),
      text("gzip", "\x1F\x8B\x08", "byte offset 1"),
      text("a terminal escape alone", "\x1B[2J\n", "line 1: 1 column"),
      text("zeros", std::string(4096, '\0'), ""),
      {"a line of 8 MiB", "line 1: 1 column", [] { return std::string(8 << 20, 'x') + "\n"; }},
      {"a million blank lines", "no line that holds", [] { return std::string(1'000'000, '\n'); }},
      {"a million tabs", "line 1: the source is empty",
       [] { return std::string(1'000'000, '\t') + "\n"; }},
      {"a hundred thousand pairs, then one column", "line 100001: 1 column",
       [] { return repeated("cat\tkedi\n", 100'000) + "dog\n"; }},
      {"8 MiB, then not UTF-8", "byte offset 8388608",
       [] { return repeated("cat\tkedis\n......", 8 << 16) + "\xFF"; }},
  };
}

}  // namespace

FileFormat message_catalogue_format() {
  FileFormat format{"message catalogue", "messages.mo", {}, {}, 120, {}, bad_catalogues()};
  format.good = [] { return mo_file(messages()); };
  format.read = [](const std::filesystem::path& path) {
    const MappedFile file(path);
    (void)parse_message_catalogue(file.bytes(), path.string());
  };
  return format;
}

FileFormat pair_table_format() {
  FileFormat format{"pair table", "pairs.tsv", {}, {}, 0, {}, bad_tables()};
  format.good = [] { return std::string("cat\tkedi\ndog\tk\xC3\xB6pek\n"); };
  format.read = [](const std::filesystem::path& path) {
    DataOptions options;
    options.format = TextFormat::kPairs;
    PairData data;
    (void)read_pair_files("path", path.string(), "", options, data);
  };
  return format;
}

}  // namespace zoo
