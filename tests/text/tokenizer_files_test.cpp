#include "text/tokenizers/tokenizer_files.h"

#include "core/errors.h"
#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"
#include "text/tokenizers/tokenizer.h"
#include "text/tokenizers/tokenizer_json.h"

namespace zoo {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr auto kVocabulary = R"({"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3})";
constexpr auto kWords = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##b\n";

class Files {
 public:
  std::filesystem::path write(const std::string& name, std::string_view bytes) {
    write_file_synced(folder_ / name, bytes);
    return folder_ / name;
  }
  std::filesystem::path folder() const { return folder_.path(); }

  std::string message(const std::filesystem::path& path, const TokenRoles& roles = {}) {
    auto message = message_of<UserError>([&] { load_tokenizer(path, roles); });
    const auto prefix = folder_.path().string() + "/";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("vocab.json and merges.txt are GPT-2's pieces over bytes") {
  Files files;
  files.write("merges.txt", "#version: 0.2\na b\n");
  const auto path = files.write("vocab.json", kVocabulary);
  const auto tokenizer = load_tokenizer(path, {"<|endoftext|>", ""});
  CHECK(tokenizer->encode("abba<|endoftext|>") == Ids{2, 1, 0, 3});
  CHECK(tokenizer->boundary_id() == 3);
  CHECK(tokenizer_from_json(tokenizer->to_json(), "t")->boundary_id() == 3);
  CHECK(load_tokenizer(files.folder(), {})->vocab_size() == 4);
  files.write("x-merges.txt", "a b");
  CHECK(load_tokenizer(files.write("x-vocab.json", kVocabulary), {})->encode("ab") == Ids{2});
}

TEST_CASE("a wrong line of merges.txt is named") {
  Files files;
  const auto path = files.write("vocab.json", kVocabulary);
  const auto message = [&](std::string_view merges) {
    std::filesystem::remove(files.folder() / "merges.txt");
    files.write("merges.txt", merges);
    return files.message(path);
  };
  CHECK(message("#version: 0.2\r\na b\r\n") == "(nothing was thrown)");
  CHECK(message("a b\n\n") ==
        "merges.txt, line 2: got \"\"; expected two tokens, separated by a space");
  CHECK(message("a b\na b c\n") ==
        "merges.txt, line 2: got \"a b c\"; expected two tokens, separated by a space");
  CHECK_THAT(message("a \n"), ContainsSubstring("line 1: got \"a \""));
  CHECK(message("#version: 0.2\na c\n") ==
        "merges.txt, line 2: \"c\" is not in the vocabulary beside it");
  CHECK(message("b a") == "merges.txt, line 1: \"ba\" is not in the vocabulary beside it");
  CHECK_THAT(message("a \xff\n"), ContainsSubstring("merges.txt: not UTF-8 at byte offset 2"));
}

TEST_CASE("vocab.txt is BERT's, ids by line from 0") {
  Files files;
  const auto path = files.write("vocab.txt", kWords);
  const auto tokenizer = load_tokenizer(path, {"[CLS]", "[SEP]"});
  CHECK(tokenizer->vocab_size() == 6);
  CHECK(tokenizer->encode("[CLS] AB á x") == Ids{2, 4, 5, 4, 1});
  CHECK(tokenizer->boundary_id() == 2);
  CHECK(tokenizer->separator_id() == 3);
  CHECK(load_tokenizer(files.folder(), {})->vocab_size() == 6);
}

TEST_CASE("a wrong line of vocab.txt is named") {
  Files files;
  CHECK(files.message(files.write("1.txt", "[UNK]\na\n\nb\n")) ==
        "1.txt, line 3: empty; expected one token a line");
  CHECK(files.message(files.write("2.txt", "[UNK]\na\nb\na\n")) ==
        "2.txt, line 4: \"a\" stands on line 2 already");
  CHECK(files.message(files.write("3.txt", "a\nb\n")) == "3.txt: has no token \"[UNK]\"");
  CHECK(files.message(files.write("4.txt", "")) == "4.txt: has no token \"[UNK]\"");
}

TEST_CASE("a folder's tokenizer.json comes before its other files") {
  Files files;
  files.write("vocab.txt", kWords);
  const auto saved = load_tokenizer(files.folder() / "vocab.txt", {"[CLS]", ""});
  files.write("tokenizer.json", saved->to_json().dump());
  files.write("vocab.json", "broken");
  CHECK(load_tokenizer(files.folder(), {"[SEP]", ""})->boundary_id() == 3);
  CHECK(files.message(files.folder(), {"$", ""}) ==
        "tokenizer.json: has no token \"$\", which tokenizer.boundary names; its special tokens: "
        "[PAD], [UNK], [CLS], [SEP]; set tokenizer.boundary to one of them");
}

TEST_CASE("what is not there or not a file of a tokenizer is refused") {
  Files files;
  CHECK(files.message(files.folder() / "none.json") == "none.json: No such file or directory");
  CHECK_THAT(files.message(files.folder()), ContainsSubstring(": has none of tokenizer.json"));
  CHECK_THAT(files.message(files.write("merges.txt", "a b")), ContainsSubstring("are the merges"));
  const auto path = files.write("vocab.json", kVocabulary);
  std::filesystem::remove(files.folder() / "merges.txt");
  CHECK(files.message(path) == "merges.txt: No such file or directory");
  CHECK_THAT(files.message(files.write("t.json", "[1")), ContainsSubstring("t.json: not JSON"));
  CHECK_THAT(files.message("/dev/zero"), ContainsSubstring("/dev/zero: "));
  const auto large = files.write("large.json", "");
  std::filesystem::resize_file(large, kLargestTokenizerFile + 1);
  CHECK_THAT(files.message(large), ContainsSubstring("large.json: 67108865 bytes; at most"));
  files.write("x-merges.txt", "");
  CHECK(files.message(files.write("x-vocab.json", "[]")) ==
        "x-vocab.json: expected an object of tokens and ids");
}

}  // namespace zoo
