#include "text/token_file.h"

#include <cstdlib>

#include "core/files.h"
#include "core/random.h"
#include "core/sha256.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"
#include "text/text_data.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

const std::string kKey = sha256("some text and its tokenizer");

std::vector<std::int64_t> random_ids(std::int64_t count, std::int64_t vocab_size) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < count; ++i) {
    ids.push_back(random_below(mixed_seed(7, static_cast<std::uint64_t>(i)), vocab_size));
  }
  ids.push_back(vocab_size - 1);
  return ids;
}

void write_ids(const fs::path& path, const std::vector<std::int64_t>& ids, std::int64_t vocab) {
  TokenFileWriter writer(path, vocab, kKey);
  const auto half = static_cast<std::ptrdiff_t>(ids.size() / 2);
  writer.append({ids.begin(), ids.begin() + half});
  writer.append({ids.begin() + half, ids.end()});
  writer.finish();
}

/// Sets a variable of the environment while it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* old = std::getenv(name);
    if (old != nullptr) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_.empty()) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, old_.c_str(), 1);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
};

TEST_CASE("ids come back from a token file, in as few bytes as the vocabulary allows") {
  const TemporaryFolder folder;
  const std::pair<std::int64_t, int> cases[] = {
      {200, 1}, {256, 1}, {257, 2}, {65'536, 2}, {65'537, 4}};
  for (const auto& [vocab_size, width] : cases) {
    const auto path = folder / std::to_string(vocab_size);
    const auto ids = random_ids(5000, vocab_size);
    write_ids(path, ids, vocab_size);
    const auto stream = open_token_file(path, kKey);
    REQUIRE(stream.has_value());
    CHECK(stream->width() == width);
    CHECK(stream->size() == static_cast<std::int64_t>(ids.size()));
    CHECK(stream->range(0, stream->size()) == ids);
    CHECK(stream->range(17, 40) == std::vector<std::int64_t>(ids.begin() + 17, ids.begin() + 40));
  }
}

TEST_CASE("a token file that is missing, cut, longer or of another key is not taken") {
  const TemporaryFolder folder;
  const auto path = folder / "tokens";
  CHECK(!open_token_file(path, kKey));
  write_ids(path, random_ids(100, 300), 300);
  CHECK(!open_token_file(path, sha256("another text")));
  const auto whole = read_file(path);
  for (const auto size : {std::size_t{0}, std::size_t{40}, std::size_t{88}, whole.size() - 1}) {
    replace_file(path, whole.substr(0, size));
    CHECK(!open_token_file(path, kKey));
  }
  replace_file(path, whole + "x");
  CHECK(!open_token_file(path, kKey));
  replace_file(path, whole);
  CHECK(open_token_file(path, kKey));
}

TEST_CASE("a token file that is not finished leaves nothing behind") {
  const TemporaryFolder folder;
  { TokenFileWriter writer(folder / "tokens", 300, kKey); }
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("running text gives the same tokens in memory and in a file, which is made once") {
  const TemporaryFolder folder;
  const Variable cache("ZOO_CACHE", (folder / "cache").string());
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "line " + std::to_string(i * i) + "\n";
  write_file_synced(folder / "text.txt", text);
  DataOptions options;
  options.path = (folder / "text.txt").string();
  options.format = TextFormat::kText;
  TokenizerOptions tokenizer;
  tokenizer.type = TokenizerType::kByteBpe;
  tokenizer.vocab_size = 400;
  const auto in_memory = load_text_data(options, tokenizer);
  options.token_file = true;
  const auto first = load_text_data(options, tokenizer);
  const auto written = fs::last_write_time(fs::directory_iterator(folder / "cache/tokens")->path());
  const auto second = load_text_data(options, tokenizer);
  for (const auto* data : {&first, &second}) {
    CHECK(data->train.tokens.width() == 2);
    CHECK(data->train.tokens.range(0, data->train.tokens.size()) ==
          in_memory.train.tokens.range(0, in_memory.train.tokens.size()));
    CHECK(data->val.tokens.range(0, data->val.tokens.size()) ==
          in_memory.val.tokens.range(0, in_memory.val.tokens.size()));
  }
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder / "cache/tokens")) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  CHECK(files == 2);  // train and val
  CHECK(fs::last_write_time(fs::directory_iterator(folder / "cache/tokens")->path()) == written);
  tokenizer.vocab_size = 300;
  load_text_data(options, tokenizer);
  CHECK(std::distance(fs::directory_iterator(folder / "cache/tokens"), fs::directory_iterator()) ==
        4);
}

TEST_CASE("without any folder for it, a token file is refused with what to set") {
  const Variable own("ZOO_CACHE", "");
  const Variable cache("XDG_CACHE_HOME", "");
  const Variable home("HOME", "");
  CHECK_THAT(message_of<UserError>([] { cache_folder(); }), ContainsSubstring("set ZOO_CACHE"));
}

}  // namespace
}  // namespace zoo
