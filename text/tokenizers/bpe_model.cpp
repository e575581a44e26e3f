#include "text/tokenizers/bpe_model.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "text/character_at.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

constexpr auto kNone = PairTable::kNone;

/// On one line, whatever is in it.
std::string quoted(const std::string& token) {
  return Json(token).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

BpeModel::BpeModel(std::vector<std::string> tokens,
                   std::vector<std::pair<std::string, std::string>> merges, BpeModelOptions options)
    : tokens_(std::move(tokens)), merges_(std::move(merges)), options_(std::move(options)) {
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  require<UserError>(tokens_.size() <= kMost && merges_.size() <= kMost, "model: ", tokens_.size(),
                     " tokens and ", merges_.size(), " merges; at most ", kMost, " of each");
  add_tokens();
  add_merges();
}

void BpeModel::add_tokens() {
  short_characters_.fill(kNone);
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const auto& token = tokens_[i];
    const auto id = static_cast<Piece>(i);
    const auto [entry, added] = ids_.try_emplace(token, id);
    require<UserError>(added, "model.vocab: ", quoted(token), " has the ids ", entry->second,
                       " and ", id, "; a token has one");
    if (token.empty()) continue;
    const auto [code_point, size] = character_at(token, 0);
    if (size == token.size() && code_point < short_characters_.size()) {
      short_characters_[code_point] = id;
    }
  }
  const auto& unknown = options_.unknown_token;
  const bool replace = options_.unknown == UnknownCharacter::kReplace;
  require<UserError>(replace == !unknown.empty(), "model.unk_token: ", quoted(unknown),
                     replace ? "; unknown characters are replaced by it, so it needs a name"
                             : "; unknown characters are not replaced, so there is none");
  if (!replace) return;
  const auto entry = ids_.find(unknown);
  require<UserError>(entry != ids_.end(), "model.unk_token: ", quoted(unknown),
                     " is not in the vocabulary");
  unknown_ = entry->second;
}

void BpeModel::add_merges() {
  const auto find = [&](std::size_t merge, const std::string& token) {
    const auto entry = ids_.find(token);
    require<UserError>(entry != ids_.end(), "model.merges[", merge, "]: ", quoted(token),
                       " is not in the vocabulary");
    return entry->second;
  };
  for (std::size_t i = 0; i < merges_.size(); ++i) {
    const auto& [left, right] = merges_[i];
    ranks_(find(i, left), find(i, right)) = static_cast<std::uint32_t>(i);
    const auto result = ids_.find(left + right);
    require<UserError>(result != ids_.end(), "model.merges[", i, "]: ", quoted(left), " ",
                       quoted(right), " gives ", quoted(left + right),
                       ", which is not in the vocabulary");
    results_.push_back(result->second);
  }
}

std::int64_t BpeModel::id_of(std::string_view token) const {
  const auto entry = ids_.find(token);
  return entry == ids_.end() ? -1 : std::int64_t{entry->second};
}

void BpeModel::encode_word(std::string_view word, std::vector<std::int64_t>& ids) const {
  constexpr std::size_t kFew = 24;  // from here on looking at every pair again takes longer
  if (options_.ignore_merges) {
    if (const auto id = id_of(word); id >= 0) {
      ids.push_back(id);
      return;
    }
  }
  std::vector<Piece> pieces;
  cut(word, pieces);
  if (pieces.size() <= kFew) {
    join_few(pieces);
  } else {
    join_many(pieces);
  }
  ids.insert(ids.end(), pieces.begin(), pieces.end());
}

BpeModel::Piece BpeModel::piece_of(std::string_view character, char32_t code_point) const {
  if (code_point < short_characters_.size()) return short_characters_[code_point];
  const auto entry = ids_.find(character);
  return entry == ids_.end() ? kNone : entry->second;
}

void BpeModel::cut(std::string_view word, std::vector<Piece>& pieces) const {
  pieces.reserve(word.size());
  bool after_unknown = false;
  for (std::size_t at = 0; at < word.size();) {
    const auto [code_point, size] = character_at(word, at);
    const auto piece = piece_of(word.substr(at, size), code_point);
    if (piece != kNone) {
      pieces.push_back(piece);
    } else if (options_.unknown == UnknownCharacter::kRefuse) {
      throw UnknownPiece{at};
    } else if (unknown_ != kNone && !(after_unknown && options_.fuse_unk)) {
      pieces.push_back(unknown_);
    }
    after_unknown = piece == kNone;
    at += size;
  }
}

void BpeModel::join_few(std::vector<Piece>& pieces) const {
  std::vector<std::uint32_t> ranks(pieces.size());
  const auto rank_at = [&](std::size_t at) {
    return at + 1 < pieces.size() ? ranks_.find(pieces[at], pieces[at + 1]) : kNone;
  };
  for (std::size_t at = 0; at < pieces.size(); ++at) ranks[at] = rank_at(at);
  while (!pieces.empty()) {
    const auto best = std::min_element(ranks.begin(), ranks.end());
    if (*best == kNone) break;
    const auto at = best - ranks.begin();
    pieces[static_cast<std::size_t>(at)] = results_[*best];
    pieces.erase(pieces.begin() + at + 1);
    ranks.erase(best);
    ranks[static_cast<std::size_t>(at)] = rank_at(static_cast<std::size_t>(at));
    if (at > 0) ranks[static_cast<std::size_t>(at) - 1] = rank_at(static_cast<std::size_t>(at) - 1);
  }
}

/// A piece stays where its first character was; the places of the others are empty.
void BpeModel::join_many(std::vector<Piece>& pieces) const {
  const auto end = pieces.size();
  std::vector<std::size_t> before(end);
  std::vector<std::size_t> after(end);
  for (std::size_t at = 0; at < end; ++at) {
    before[at] = at == 0 ? end : at - 1;
    after[at] = at + 1;
  }
  const auto rank_at = [&](std::size_t at) {
    if (at == end || after[at] == end) return kNone;
    return ranks_.find(pieces[at], pieces[after[at]]);
  };
  using Candidate = std::pair<std::uint32_t, std::size_t>;  // rank, place of the left piece
  std::vector<Candidate> candidates;
  for (std::size_t at = 0; at < end; ++at) {
    if (const auto rank = rank_at(at); rank != kNone) candidates.emplace_back(rank, at);
  }
  std::priority_queue queue(std::greater<Candidate>{}, std::move(candidates));
  while (!queue.empty()) {
    const auto [rank, at] = queue.top();
    queue.pop();
    if (rank_at(at) != rank) continue;  // either piece was joined to another one since
    const auto other = after[at];
    pieces[at] = results_[rank];
    pieces[other] = kNone;
    after[at] = after[other];
    if (after[at] != end) before[after[at]] = at;
    for (const auto left : {before[at], at}) {
      if (const auto fresh = rank_at(left); fresh != kNone) queue.emplace(fresh, left);
    }
  }
  std::erase(pieces, kNone);
}

Json BpeModel::to_json() const {
  auto vocab = Json::object();
  for (std::size_t id = 0; id < tokens_.size(); ++id) vocab[tokens_[id]] = id;
  auto merges = Json::array();
  for (const auto& [left, right] : merges_) merges.push_back(Json::array({left, right}));
  Json model = {{"type", "BPE"},
                {"dropout", nullptr},
                {"unk_token", nullptr},
                {"continuing_subword_prefix", nullptr},
                {"end_of_word_suffix", nullptr},
                {"fuse_unk", options_.fuse_unk},
                {"byte_fallback", false},
                {"ignore_merges", options_.ignore_merges},
                {"vocab", std::move(vocab)},
                {"merges", std::move(merges)}};
  if (unknown_ != kNone) model["unk_token"] = options_.unknown_token;
  // Without an unk_token Hugging Face's BPE skips. It reads past this key, which is ours.
  if (options_.unknown == UnknownCharacter::kRefuse) model["unknown"] = "refuse";
  return model;
}

}  // namespace zoo
