#include "text/running_text.h"

#include <sys/stat.h>

#include "core/files.h"
#include "core/sha256.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"
#include "text/utf8.h"

namespace zoo {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// A file of running text in a folder of its own.
struct File {
  TemporaryFolder folder;
  std::string path = (folder / "text.txt").string();
  std::vector<std::string> notes;

  explicit File(const std::string& text) { write_file_synced(path, text); }
  RunningText scan() { return scan_running_text("path", path, notes); }
};

struct Part {
  std::string text;
  std::int64_t line;
};

std::vector<Part> parts_of(const RunningText& text, std::int64_t begin, std::int64_t end) {
  std::vector<Part> parts;
  for_each_part({&text, begin, end}, [&](std::string_view part, std::int64_t line) {
    parts.push_back({std::string(part), line});
  });
  return parts;
}

std::string joined(const std::vector<Part>& parts) {
  std::string text;
  for (const auto& part : parts) text += part.text;
  return text;
}

/// Several MiB of words of changing length in three scripts.
std::string long_text() {
  const std::string words[] = {"the", "ığdır", " ", "日本語", "\n", "a", "\n\n", "😀x"};
  std::string text;
  for (std::size_t i = 0; text.size() < 3 * kMiB; ++i) text += words[i * i % 8] + " ";
  return text;
}

TEST_CASE("a text is scanned in parts: hash of its bytes, size and characters") {
  const auto text = long_text();
  File file(text);
  const auto scanned = file.scan();
  CHECK(scanned.source.sha256 == sha256(text));
  CHECK(scanned.source.bytes == static_cast<std::int64_t>(text.size()));
  CHECK(scanned.characters == count_characters(text));
  CHECK(file.notes.empty());
}

TEST_CASE("the parts of a range are its characters, each ending where a word ends") {
  const auto text = long_text();
  File file(text);
  const auto scanned = file.scan();
  const auto parts = parts_of(scanned, 0, scanned.characters);
  CHECK(joined(parts) == text);
  REQUIRE(parts.size() > 2);
  std::int64_t line = 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CHECK(parts[i].line == line);
    line += std::count(parts[i].text.begin(), parts[i].text.end(), '\n');
    if (i + 1 == parts.size()) break;
    CHECK(std::isspace(static_cast<unsigned char>(parts[i].text.back())) == 0);
    CHECK(std::isspace(static_cast<unsigned char>(parts[i + 1].text.front())) != 0);
  }
  const auto begin = scanned.characters / 3;
  const auto end = scanned.characters / 2;
  const auto tail = after_characters(text, begin);
  const auto expected = tail.substr(0, tail.size() - after_characters(tail, end - begin).size());
  CHECK(joined(parts_of(scanned, begin, end)) == expected);
}

TEST_CASE("a pipe, which gives its text once, is refused") {
  const TemporaryFolder folder;
  const auto pipe = (folder / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::vector<std::string> notes;
  CHECK(message_of<UserError>([&] { scan_running_text("path", pipe, notes); }) ==
        "cannot read " + pipe + ": a pipe or a device, and it is read more than once; give a file");
}

TEST_CASE("a text without a space is cut where characters end") {
  std::string text;
  while (text.size() < 17 * kMiB) text += "ğ";
  File file(text);
  const auto scanned = file.scan();
  const auto parts = parts_of(scanned, 0, scanned.characters);
  REQUIRE(parts.size() == 2);
  for (const auto& part : parts) CHECK(valid_utf8_prefix(part.text) == part.text.size());
  CHECK(joined(parts) == text);
}

TEST_CASE("marks and CRLF go, also where a part ends between CR and LF, and are told") {
  std::string text = "\xEF\xBB\xBF";
  text.resize(kMiB - 1, 'a');
  text += "\r\nb\rc\r\n";
  File file(text);
  const auto scanned = file.scan();
  const auto clean = joined(parts_of(scanned, 0, scanned.characters));
  CHECK(clean == std::string(kMiB - 4, 'a') + "\nb\rc\n");
  CHECK(scanned.characters == static_cast<std::int64_t>(clean.size()));
  REQUIRE(file.notes.size() == 2);
  CHECK_THAT(file.notes[0], ContainsSubstring("byte-order mark"));
  CHECK_THAT(file.notes[1], ContainsSubstring("2 line ends CRLF"));
}

TEST_CASE("bytes that are not UTF-8 are refused with their offset in the file") {
  for (const auto offset : {std::size_t{0}, kMiB - 1, kMiB + 5}) {
    std::string text(kMiB + 100, 'a');
    text[offset] = '\xFF';
    File file(text);
    CHECK_THAT(message_of<UserError>([&] { file.scan(); }),
               ContainsSubstring(text_of("not UTF-8 at byte offset ", offset, ";")));
  }
  File cut("abc\xE6\x97");
  CHECK_THAT(message_of<UserError>([&] { cut.scan(); }), ContainsSubstring("byte offset 3"));
  File across(std::string(kMiB - 1, 'a') + "ğ" + "b");
  CHECK(across.scan().characters == static_cast<std::int64_t>(kMiB) + 1);
}

}  // namespace
}  // namespace zoo
