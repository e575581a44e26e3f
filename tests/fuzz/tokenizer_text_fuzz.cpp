#include "tests/fuzz/tokenizer_checks.h"
#include "text/utf8.h"

namespace zoo {
namespace {

struct Learned {
  std::shared_ptr<const Tokenizer> tokenizer;
  bool exact = false;  ///< gives back every text that it takes
};

Learned learned(TokenizerType type, UnknownCharacter unknown) {
  TokenizerOptions options;
  options.type = type;
  options.unknown = unknown;
  options.vocab_size = type == TokenizerType::kByteBpe ? 300 : 80;
  const TextSource texts = [](const auto& visit) {
    visit("the cat sat on the mat, the cats' 42 hats");
    visit(
        "\u0130stanbul'da \u0131\u015F\u0131k \u0131\u015F\u0131k, k\u0131rk iki \U0001F600 "
        "cafe\u0301\n");
  };
  return {train_tokenizer(options, texts, {"$", "[SEP]", kMaskToken, kPaddingToken}),
          type != TokenizerType::kWordPiece && unknown == UnknownCharacter::kRefuse};
}

std::vector<Learned> learn_all() {
  std::vector<Learned> all;
  for (const auto& [type_name, type] : names_of(TokenizerType{})) {
    for (const auto& [name, unknown] : names_of(UnknownCharacter{})) {
      all.push_back(learned(type, unknown));
    }
  }
  return all;
}

}  // namespace

/// A byte that chooses a learned tokenizer, then a text; or, above those, ids to decode.
void fuzz_one(std::string_view bytes) {
  static const auto all = learn_all();
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes.front());
  const auto& [tokenizer, exact] = all[choice % all.size()];
  bytes = bytes.substr(1, 256);  // longer ones take longer and show nothing else
  if (choice >= 128) {
    std::vector<std::int64_t> ids;
    for (const char byte : bytes) {
      ids.push_back(static_cast<unsigned char>(byte) % tokenizer->vocab_size());
    }
    (void)tokenizer->decode(ids);
    return;
  }
  const auto ids = tokenizer->encode(bytes);
  for (const auto id : ids) {
    expect(id >= 0 && id < tokenizer->vocab_size(), "an id is below the vocabulary's size");
  }
  const auto decoded = tokenizer->decode(ids);
  expect(!exact || decoded == bytes, "decoding gives the text back");
}

}  // namespace zoo
