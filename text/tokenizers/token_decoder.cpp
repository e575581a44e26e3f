#include "text/tokenizers/token_decoder.h"

#include <utility>

#include "text/tokenizers/byte_alphabet.h"

namespace zoo {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Takes back the spaces around English punctuation, with Hugging Face's list.
void clean_up(std::string& token) {
  constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kReplacements) replace_all(token, from, to);
}

}  // namespace

TokenDecoder::TokenDecoder(const JsonNode& json) {
  if (json.is_null()) return;
  const auto type = json.type();
  if (type == "Fuse") {
    kind_ = Kind::kFuse;
  } else if (type == "ByteLevel") {
    kind_ = Kind::kByteLevel;
  } else if (type == "WordPiece") {
    kind_ = Kind::kWordPiece;
    prefix_ = json.at("prefix").text();
    clean_up_ = json.at("cleanup").boolean();
  } else {
    json.fail(in_quotes(type), " is not supported; supported: null, Fuse, ByteLevel, WordPiece");
  }
}

void TokenDecoder::append(std::string& text, std::string_view token, bool first, bool added) const {
  switch (kind_) {
    case Kind::kSpaces:
      if (!first) text += ' ';
      text += token;
      break;
    case Kind::kFuse:
      text += token;
      break;
    case Kind::kByteLevel:
      text += added ? std::string(token) : from_byte_alphabet(token);
      break;
    case Kind::kWordPiece: {
      std::string word(token);
      if (!first && token.starts_with(prefix_)) {
        word.erase(0, prefix_.size());
      } else if (!first) {
        word.insert(0, " ");
      }
      if (clean_up_) clean_up(word);
      text += word;
      break;
    }
  }
}

}  // namespace zoo
