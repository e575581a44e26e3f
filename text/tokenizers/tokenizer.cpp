#include "text/tokenizers/tokenizer.h"

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "text/character_at.h"
#include "text/tokenizers/bpe_model.h"
#include "text/tokenizers/byte_alphabet.h"
#include "text/tokenizers/character_tokenizer.h"
#include "text/tokenizers/json_node.h"
#include "text/tokenizers/piece_learner.h"
#include "text/tokenizers/subword_tokenizer.h"
#include "text/tokenizers/tokenizer_roles.h"
#include "text/tokenizers/word_splitter.h"
#include "text/tokenizers/wordpiece_model.h"
#include "text/utf8.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

constexpr const char* kUnknownToken = "[UNK]";
constexpr const char* kSource = "the training text";

bool learns_unknown_token(const TokenizerOptions& options) {
  if (options.type == TokenizerType::kByteBpe) return false;
  return options.type == TokenizerType::kWordPiece || options.unknown == UnknownCharacter::kReplace;
}

void validate_role(const std::string& token, const std::string& place) {
  constexpr std::size_t kLongest = 256;
  require<ConfigError>(!token.empty(), place, ": got \"\"; expected at least one character");
  require<ConfigError>(token.size() <= kLongest, place, ": ", token.size(), " bytes; at most ",
                       kLongest);
  decode_utf8(token, place);
  require<ConfigError>(token.find_first_of("\r\n") == std::string::npos, place,
                       ": a line break cannot be in it, it ends lines already");
  for (const auto* mask : kMaskTokens) {
    require<ConfigError>(token != mask, place, ": ", in_quotes(token),
                         " stands for a hidden token; take another");
  }
}

/// Of a tokenizer that is learned.
void validate_learned_role(const std::string& token, const std::string& place,
                           const TokenizerOptions& options) {
  require<ConfigError>(!learns_unknown_token(options) || token != kUnknownToken, place,
                       ": \"[UNK]\" stands for what is not in the vocabulary; take another");
  for (const auto* padding : kPaddingTokens) {
    require<ConfigError>(token != padding, place, ": ", in_quotes(token),
                         " fills rows; take another");
  }
  require<ConfigError>(
      options.type != TokenizerType::kByteBpe || from_byte_alphabet(token) == token, place, ": ",
      in_quotes(token), " is how tokens of bytes write ", in_quotes(from_byte_alphabet(token)),
      "; take another");
}

/// A line with a mark in it would be taken for two.
void refuse_roles(std::string_view text, const TokenRoles& roles) {
  const auto complaint = role_complaint(text, roles);
  require<UserError>(complaint.empty(), "a line ", complaint);
}

void refuse_invalid(std::string_view text) {
  const auto valid = valid_utf8_prefix(text);
  if (valid < text.size()) refuse_utf8(kSource, static_cast<std::int64_t>(valid));
}

std::shared_ptr<const Tokenizer> learn_characters(const TokenizerOptions& options,
                                                  const TextSource& texts,
                                                  const TokenRoles& roles) {
  constexpr std::size_t kCodePoints = 0x110000;
  std::vector<bool> seen(kCodePoints);
  texts([&](std::string_view text) {
    refuse_invalid(text);
    refuse_roles(text, roles);
    for (std::size_t at = 0; at < text.size();) {
      const auto [character, size] = character_at(text, at);
      seen[character] = true;
      at += size;
    }
  });
  std::vector<char32_t> characters;
  for (char32_t character = 0; character < kCodePoints; ++character) {
    if (seen[character]) characters.push_back(character);
  }
  return std::make_shared<CharacterTokenizer>(characters, roles, options.unknown);
}

/// The tokenizer.json of a type without the model.
Json learned_frame(const TokenizerOptions& options, const TokenRoles& roles) {
  auto specials = tokens_of(roles);
  if (learns_unknown_token(options)) specials.emplace_back(kUnknownToken);
  auto frame = tokenizer_frame(specials, roles);
  if (options.type == TokenizerType::kBpe) {
    frame["pre_tokenizer"] = {{"type", "Split"},
                              {"pattern", {{"Regex", kGpt2Pattern}}},
                              {"behavior", "Isolated"},
                              {"invert", false}};
  } else if (options.type == TokenizerType::kByteBpe) {
    frame["pre_tokenizer"] = {{"type", "ByteLevel"},
                              {"add_prefix_space", false},
                              {"trim_offsets", true},
                              {"use_regex", true}};
    frame["decoder"] = frame["pre_tokenizer"];
  } else {
    frame["normalizer"] = {{"type", "BertNormalizer"},
                           {"clean_text", true},
                           {"handle_chinese_chars", true},
                           {"strip_accents", nullptr},
                           {"lowercase", options.lowercase}};
    frame["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
    frame["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  }
  return frame;
}

WordCounts count_words(const TextSource& texts, const Json& frame, const TokenRoles& roles) {
  const JsonNode root(frame, kSource, /*root=*/true);
  const Normalizer normalizer(root.at("normalizer"));
  const PreTokenizer pre_tokenizer(root.at("pre_tokenizer"));
  WordCounts words;
  const auto count = [&](std::string_view text) {
    refuse_roles(text, roles);
    pre_tokenizer.split(text, [&](std::string_view word) { ++words[std::string(word)]; });
  };
  texts([&](std::string_view text) {
    if (!pre_tokenizer.takes_any_bytes()) refuse_invalid(text);
    if (normalizer.changes_nothing()) return count(text);
    refuse_roles(text, roles);
    count(normalizer.apply(text));
  });
  return words;
}

PieceLearnerOptions learner_options(const TokenizerOptions& options, const TokenRoles& roles) {
  PieceLearnerOptions learner;
  learner.vocab_size = options.vocab_size;
  learner.min_frequency = options.min_frequency;
  learner.specials = tokens_of(roles);
  if (learns_unknown_token(options)) learner.specials.emplace_back(kUnknownToken);
  if (options.type == TokenizerType::kByteBpe) learner.alphabet = byte_alphabet();
  if (options.type == TokenizerType::kWordPiece) learner.continuing_prefix = "##";
  return learner;
}

std::shared_ptr<const SubwordModel> learned_model(const TokenizerOptions& options,
                                                  LearnedPieces pieces) {
  if (options.type == TokenizerType::kWordPiece) {
    return std::make_shared<WordPieceModel>(std::move(pieces.tokens), WordPieceOptions{});
  }
  BpeModelOptions model;
  // Every byte is known, so the rule for others need not be written down.
  model.unknown =
      options.type == TokenizerType::kByteBpe ? UnknownCharacter::kSkip : options.unknown;
  if (model.unknown == UnknownCharacter::kReplace) model.unknown_token = kUnknownToken;
  return std::make_shared<BpeModel>(std::move(pieces.tokens), std::move(pieces.merges), model);
}

}  // namespace

void TokenizerOptions::validate(const std::string& place) const {
  validate_role(boundary, place + ".boundary");
  validate_role(separator, place + ".separator");
  if (!path.empty()) return;
  require<ConfigError>(boundary != separator, place, ".separator: ", in_quotes(separator),
                       " is the boundary already; take another");
  validate_learned_role(boundary, place + ".boundary", *this);
  validate_learned_role(separator, place + ".separator", *this);
}

std::shared_ptr<const Tokenizer> train_tokenizer(const TokenizerOptions& options,
                                                 const TextSource& texts, const TokenRoles& roles,
                                                 const std::string& place) {
  options.validate(place);
  if (options.type == TokenizerType::kCharacter) return learn_characters(options, texts, roles);
  auto frame = learned_frame(options, roles);
  auto pieces = learn_pieces(count_words(texts, frame, roles), learner_options(options, roles));
  const auto learned = static_cast<std::int64_t>(pieces.tokens.size());
  require<ConfigError>(learned <= options.vocab_size, place, ".vocab_size: ", options.vocab_size,
                       " is too small for the ", learned,
                       " single characters and special tokens; at least ", learned);
  return std::make_shared<SubwordTokenizer>(std::move(frame),
                                            learned_model(options, std::move(pieces)), kSource);
}

}  // namespace zoo
