#include "text/tokenizers/wordpiece_model.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "text/tokenizers/json_node.h"
#include "text/utf8.h"

namespace zoo {
namespace {

// FNV-1a, 64 bits.
constexpr std::uint64_t kHashStart = 0xCBF29CE484222325;
constexpr std::uint64_t kHashPrime = 0x100000001B3;

std::uint64_t extended(std::uint64_t hash, char byte) {
  return (hash ^ static_cast<unsigned char>(byte)) * kHashPrime;
}

}  // namespace

std::size_t WordPieceModel::Hash::operator()(std::string_view text) const {
  auto hash = kHashStart;
  for (const auto byte : text) hash = extended(hash, byte);
  return hash;
}

void WordPieceModel::Pieces::add(std::string_view text, std::int32_t id) {
  ids.emplace(text, id);
  longest = std::max(longest, text.size());
}

WordPieceModel::WordPieceModel(std::vector<std::string> tokens, WordPieceOptions options)
    : tokens_(std::move(tokens)), options_(std::move(options)) {
  const auto& prefix = options_.continuing_prefix;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    const std::string_view token = tokens_[i];
    const auto known = id_of(token);
    require<UserError>(known < 0, "model.vocab: ", in_quotes(token), " has the ids ", known,
                       " and ", id, "; a token has one");
    first_.add(token, id);
    if (token.size() > prefix.size() && token.starts_with(prefix)) {
      inside_.add(token.substr(prefix.size()), id);
    }
  }
  unknown_id_ = id_of(options_.unknown_token);
  require<UserError>(unknown_id_ >= 0, "model.unk_token: ", in_quotes(options_.unknown_token),
                     " is not in the vocabulary");
}

std::int64_t WordPieceModel::id_of(std::string_view token) const {
  const auto entry = first_.ids.find(token);
  return entry == first_.ids.end() ? -1 : entry->second;
}

WordPieceModel::Match WordPieceModel::longest_match(const Pieces& pieces, std::string_view text) {
  Match match;
  auto hash = kHashStart;
  const auto end = std::min(text.size(), pieces.longest);
  for (std::size_t size = 1; size <= end; ++size) {
    hash = extended(hash, text[size - 1]);
    const auto entry = pieces.ids.find(Hashed{text.substr(0, size), hash});
    if (entry != pieces.ids.end()) match = {entry->second, size};
  }
  return match;
}

void WordPieceModel::encode_word(std::string_view word, std::vector<std::int64_t>& ids) const {
  const auto start = ids.size();
  bool known = static_cast<std::int64_t>(word.size()) <= options_.longest_word ||
               count_characters(word) <= options_.longest_word;
  for (std::size_t at = 0; known && at < word.size();) {
    const auto [id, size] = longest_match(at == 0 ? first_ : inside_, word.substr(at));
    known = id >= 0;
    at += size;
    ids.push_back(id);
  }
  if (known) return;
  ids.resize(start);
  ids.push_back(unknown_id_);
}

nlohmann::json WordPieceModel::to_json() const {
  auto vocab = nlohmann::json::object();
  for (std::size_t id = 0; id < tokens_.size(); ++id) vocab[tokens_[id]] = id;
  return {{"type", "WordPiece"},
          {"unk_token", options_.unknown_token},
          {"continuing_subword_prefix", options_.continuing_prefix},
          {"max_input_chars_per_word", options_.longest_word},
          {"vocab", std::move(vocab)}};
}

}  // namespace zoo
