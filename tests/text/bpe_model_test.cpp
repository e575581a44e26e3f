#include "text/tokenizers/bpe_model.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "text/tokenizers/byte_alphabet.h"
#include "text/tokenizers/piece_learner.h"
#include "text/tokenizers/word_splitter.h"

namespace zoo {
namespace {

using Ids = std::vector<std::int64_t>;
using Tokens = std::vector<std::string>;
using Merges = std::vector<std::pair<std::string, std::string>>;

const BpeModelOptions kSkip{.unknown = UnknownCharacter::kSkip};
const BpeModelOptions kReplace{.unknown_token = "[UNK]", .unknown = UnknownCharacter::kReplace};

Ids ids_of(const BpeModel& model, std::string_view word) {
  Ids ids;
  model.encode_word(word, ids);
  return ids;
}

Tokens pieces_of(const BpeModel& model, std::string_view word) {
  Tokens pieces;
  for (const auto id : ids_of(model, word)) {
    pieces.push_back(model.tokens()[static_cast<std::size_t>(id)]);
  }
  return pieces;
}

std::string message_for(const Tokens& tokens, const Merges& merges,
                        const BpeModelOptions& options = {}) {
  return message_of<UserError>([&] { BpeModel(tokens, merges, options); });
}

/// The definition: the merge learned first, at its first place, again and again.
Tokens simply_joined(const std::string& word, const Merges& merges) {
  Tokens pieces;
  for (const auto character : word) pieces.emplace_back(1, character);
  while (true) {
    auto best = merges.size();
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
      const auto merge =
          std::find(merges.begin(), merges.end(), std::pair(pieces[i], pieces[i + 1]));
      const auto rank = static_cast<std::size_t>(merge - merges.begin());
      if (rank < best) at = i;
      best = std::min(best, rank);
    }
    if (best == merges.size()) return pieces;
    pieces[at] += pieces[at + 1];
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

std::size_t draw(std::uint64_t seed, std::uint64_t number, std::size_t bound) {
  return static_cast<std::size_t>(
      random_below(mixed_seed(seed, number), static_cast<std::int64_t>(bound)));
}

/// Merges of any two tokens that are there, so that they overlap in every way.
Merges random_merges(Tokens& tokens, std::uint64_t seed) {
  Merges merges;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto left = tokens[draw(seed, 2 * i, tokens.size())];
    const auto right = tokens[draw(seed, 2 * i + 1, tokens.size())];
    if (std::find(merges.begin(), merges.end(), std::pair(left, right)) != merges.end()) continue;
    merges.emplace_back(left, right);
    if (std::find(tokens.begin(), tokens.end(), left + right) == tokens.end()) {
      tokens.push_back(left + right);
    }
  }
  return merges;
}

}  // namespace

TEST_CASE("BpeModel joins the pair whose merge was learned first") {
  // The example of Hugging Face's own test.
  const Tokens tokens = {"u",  "n",  "r",  "e",    "l",   "a",       "t",         "d",
                         "re", "at", "ed", "ated", "rel", "related", "unrelated", "un"};
  const Merges merges = {{"r", "e"},   {"a", "t"},  {"e", "d"},      {"u", "n"},
                         {"at", "ed"}, {"re", "l"}, {"rel", "ated"}, {"un", "related"}};
  const BpeModel model(tokens, merges, {});
  CHECK(pieces_of(model, "unrelated") == Tokens{"unrelated"});
  CHECK(pieces_of(model, "unrated") == Tokens{"un", "r", "ated"});
  CHECK(pieces_of(model, "reed") == Tokens{"re", "ed"});  // not "r", "e", "ed"
  CHECK(ids_of(model, "dd") == Ids{7, 7});
  CHECK(ids_of(model, "").empty());
}

TEST_CASE("BpeModel appends to the ids that are there") {
  const BpeModel model({"a", "b"}, {}, {});
  Ids ids = {1};
  model.encode_word("ab", ids);
  CHECK(ids == Ids{1, 0, 1});
}

TEST_CASE("BpeModel knows characters of any number of bytes") {
  const BpeModel model({"a", "é", "漢", "😀", "é漢", "ß"}, {{"é", "漢"}}, kSkip);
  CHECK(ids_of(model, "aé漢😀ß漢") == Ids{0, 4, 3, 5, 2});
  CHECK(model.id_of("é漢") == 4);
  CHECK(model.id_of("aé") == -1);
}

TEST_CASE("BpeModel refuses an unknown character with its offset and appends nothing") {
  const BpeModel model({"a", "é"}, {}, {});
  Ids ids;
  const auto offset_in = [&](std::string_view word) {
    try {
      model.encode_word(word, ids);
    } catch (const UnknownPiece& unknown) {
      return static_cast<int>(unknown.offset);
    }
    return -1;
  };
  CHECK(offset_in("aéxa") == 3);
  CHECK(offset_in("漢") == 0);
  CHECK(offset_in("aé\xFF") == 3);
  CHECK(offset_in("a\xC3") == 1);
  CHECK(ids.empty());
  CHECK(offset_in("aé") == -1);
}

TEST_CASE("BpeModel skips unknown characters, and their neighbours meet") {
  const BpeModel model({"a", "b", "ab"}, {{"a", "b"}}, kSkip);
  CHECK(ids_of(model, "axb?b") == Ids{2, 1});
  CHECK(ids_of(model, "漢\xFF").empty());
}

TEST_CASE("BpeModel replaces unknown characters, one by one or as one") {
  auto options = kReplace;
  const BpeModel single({"[UNK]", "a", "b"}, {}, options);
  CHECK(ids_of(single, "axé漢b?") == Ids{1, 0, 0, 0, 2, 0});
  options.fuse_unk = true;
  const BpeModel fused({"[UNK]", "a", "b"}, {}, options);
  CHECK(ids_of(fused, "axé漢b?") == Ids{1, 0, 2, 0});
  CHECK(ids_of(fused, "??") == Ids{0});
}

TEST_CASE("BpeModel takes a whole word that is a token where merges are ignored") {
  const Tokens tokens = {"a", "b", "ab", "abb"};
  const Merges merges = {{"a", "b"}};
  auto options = kSkip;
  CHECK(ids_of(BpeModel(tokens, merges, options), "abb") == Ids{2, 1});
  options.ignore_merges = true;
  const BpeModel model(tokens, merges, options);
  CHECK(ids_of(model, "abb") == Ids{3});
  CHECK(ids_of(model, "abba") == Ids{2, 1, 0});
}

TEST_CASE("BpeModel takes the later place of a merge given twice") {
  const Tokens tokens = {"a", "b", "c", "ab", "bc"};
  CHECK(ids_of(BpeModel(tokens, {{"a", "b"}, {"b", "c"}}, {}), "abc") == Ids{3, 2});
  CHECK(ids_of(BpeModel(tokens, {{"a", "b"}, {"b", "c"}, {"a", "b"}}, {}), "abc") == Ids{0, 4});
}

TEST_CASE("BpeModel joins words of every length as the definition does") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Tokens tokens = {"a", "b", "c"};
    const auto merges = random_merges(tokens, seed);
    const BpeModel model(tokens, merges, {});
    for (const std::size_t size : {1, 2, 5, 23, 24, 25, 26, 70}) {
      std::string word;
      for (std::size_t i = 0; i < size; ++i) {
        word += static_cast<char>('a' + draw(seed, 1000 * size + i, 3));
      }
      CAPTURE(seed, word);
      CHECK(pieces_of(model, word) == simply_joined(word, merges));
    }
  }
}

TEST_CASE("BpeModel takes a word of a megabyte") {
  const BpeModel model({"a", "b", "ab", "abab"}, {{"a", "b"}, {"ab", "ab"}}, {});
  std::string word;
  for (int i = 0; i < 500000; ++i) word += "ab";
  CHECK((ids_of(model, word) == Ids(250000, 3)));
}

TEST_CASE(
    "BpeModel cuts any text by what was learned from another so that it can be put together") {
  WordCounts counts;
  split_words("the cat's hat; the other cat's other hat, 100 and 1000 hats and cats",
              [&](std::string_view word) { ++counts[to_byte_alphabet(word)]; });
  const auto learned = learn_pieces(counts, {.vocab_size = 999, .alphabet = byte_alphabet()});
  const BpeModel model(learned.tokens, learned.merges, {});
  for (const std::string text : {"the cats and the other thing", "\xFF\x01 漢字 it's\n\n"}) {
    std::string together;
    split_words(text, [&](std::string_view word) {
      for (const auto& piece : pieces_of(model, to_byte_alphabet(word))) {
        together += from_byte_alphabet(piece);
      }
    });
    CHECK(together == text);
  }
  CHECK(pieces_of(model, "Ġother") == Tokens{"Ġother"});
}

TEST_CASE("BpeModel refuses a vocabulary and merges that do not fit") {
  CHECK(message_for({"a", "b", "a"}, {}) ==
        "model.vocab: \"a\" has the ids 0 and 2; a token has one");
  CHECK(message_for({"a", "b", "ab", "c"}, {{"a", "b"}, {"ab", "c"}}) ==
        "model.merges[1]: \"ab\" \"c\" gives \"abc\", which is not in the vocabulary");
  CHECK(message_for({"a", "ax"}, {{"a", "x"}}) ==
        "model.merges[0]: \"x\" is not in the vocabulary");
  CHECK(message_for({"a", "\nxa"}, {{"\nx", "a"}}) ==
        "model.merges[0]: \"\\nx\" is not in the vocabulary");
  CHECK_THAT(message_for({"a"}, {{"a", "\xFF"}}), ContainsSubstring("model.merges[0]: "));
}

TEST_CASE("BpeModel refuses an unknown token that is missing or of no use") {
  CHECK(message_for({"a"}, {}, kReplace) == "model.unk_token: \"[UNK]\" is not in the vocabulary");
  auto options = kReplace;
  options.unknown_token = "";
  CHECK(message_for({"a"}, {}, options) ==
        "model.unk_token: \"\"; unknown characters are replaced by it, so it needs a name");
  options = kSkip;
  options.unknown_token = "a";
  CHECK(message_for({"a"}, {}, options) ==
        "model.unk_token: \"a\"; unknown characters are not replaced, so there is none");
}

TEST_CASE("BpeModel writes the model of a tokenizer.json") {
  const BpeModel refusing({"b", "a", "ba"}, {{"b", "a"}}, {});
  CHECK(refusing.to_json() == nlohmann::json::parse(R"({
    "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
    "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
    "vocab": {"b": 0, "a": 1, "ba": 2}, "merges": [["b", "a"]], "unknown": "refuse"})"));
  auto options = kReplace;
  options.fuse_unk = true;
  options.ignore_merges = true;
  const auto json = BpeModel({"a", "[UNK]"}, {}, options).to_json();
  CHECK(json["unk_token"] == "[UNK]");
  CHECK(json["fuse_unk"] == true);
  CHECK(json["ignore_merges"] == true);
  CHECK(json["merges"] == nlohmann::json::array());
  CHECK_FALSE(json.contains("unknown"));
  CHECK_FALSE(BpeModel({"a"}, {}, kSkip).to_json().contains("unknown"));
}

}  // namespace zoo
