#include "text/tokenizers/piece_learner.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <queue>
#include <string_view>
#include <tuple>

#include "core/errors.h"
#include "text/character_at.h"
#include "text/tokenizers/pair_table.h"

namespace zoo {
namespace {

using Piece = std::uint32_t;
constexpr Piece kNoPiece = PairTable::kNone;

/// The words stand one after the other, a slot a character and an empty slot around each word. A
/// piece that was joined keeps its slots: its id is in the first of them and its span in the first
/// and the last, so both neighbours of a piece are one step away.
struct Slot {
  Piece piece = kNoPiece;
  std::uint32_t span = 0;
  std::uint32_t word = 0;
};

struct Pair {
  Piece left;
  Piece right;
  std::int64_t count = 0;
  std::vector<std::uint32_t> places{};  // slots of left pieces; some may hold other pieces by now
  std::size_t gained_at = 0;            // the step that last added places, counted from 1
};

/// A pair as it stood when it was queued; its count may have sunk since.
struct Candidate {
  std::int64_t count;
  Piece left;
  Piece right;
  std::uint32_t pair;

  bool operator<(const Candidate& other) const {
    return std::tie(count, other.left, other.right) < std::tie(other.count, left, right);
  }
};

class PieceLearner {
 public:
  PieceLearner(const WordCounts& words, const PieceLearnerOptions& options);

  LearnedPieces learn();

 private:
  /// The id of a token, a new one where it is not in the vocabulary.
  Piece add_token(const std::string& token);

  /// The ids of a character at the start of a word and inside of one.
  struct Forms {
    Piece first = kNoPiece;
    Piece inside = kNoPiece;
    bool is_inside = false;
  };
  using Alphabet = std::map<std::string_view, Forms>;

  Alphabet add_alphabet(const WordCounts& words);
  void add_words(const WordCounts& words, const Alphabet& alphabet);
  void count_pairs();

  std::uint32_t pair_of(Piece left, Piece right);
  void gain(Piece left, Piece right, std::uint32_t place);
  void queue_gained();

  /// The most frequent pair, or kNoPiece when none is frequent enough.
  std::uint32_t next_pair();
  void join(std::uint32_t index);
  void join_at(std::uint32_t place, Piece joined);

  PieceLearnerOptions options_;
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, Piece> ids_;
  std::vector<Slot> slots_;
  std::vector<std::int64_t> word_counts_;
  std::deque<Pair> pairs_;
  PairTable pair_indices_;
  std::priority_queue<Candidate> queue_;
  std::vector<std::uint32_t> gained_;  // pairs that the present step added places to
  std::vector<std::pair<std::string, std::string>> merges_;
};

template <class Visitor>
void for_each_character(std::string_view word, Visitor&& visit) {
  for (std::size_t at = 0; at < word.size();) {
    const auto size = character_at(word, at).size;
    visit(word.substr(at, size), at == 0);
    at += size;
  }
}

PieceLearner::PieceLearner(const WordCounts& words, const PieceLearnerOptions& options)
    : options_(options) {
  options_.min_frequency = std::max<std::int64_t>(options_.min_frequency, 1);
  for (const auto& special : options_.specials) add_token(special);
  add_words(words, add_alphabet(words));
  count_pairs();
}

Piece PieceLearner::add_token(const std::string& token) {
  const auto [entry, added] = ids_.try_emplace(token, static_cast<Piece>(tokens_.size()));
  if (added) tokens_.push_back(token);
  return entry->second;
}

PieceLearner::Alphabet PieceLearner::add_alphabet(const WordCounts& words) {
  Alphabet alphabet;  // UTF-8 sorts by code point
  for (const auto& [word, count] : words) {
    for_each_character(word, [&](std::string_view character, bool first) {
      auto& forms = alphabet[character];
      forms.is_inside = forms.is_inside || !first;
    });
  }
  for (const auto& character : options_.alphabet) alphabet.try_emplace(character);
  for (auto& [character, forms] : alphabet) forms.first = add_token(std::string(character));
  for (auto& [character, forms] : alphabet) {
    if (!forms.is_inside) continue;
    forms.inside = add_token(options_.continuing_prefix + std::string(character));
  }
  return alphabet;
}

void PieceLearner::add_words(const WordCounts& words, const Alphabet& alphabet) {
  std::size_t size = 1;
  for (const auto& [word, count] : words) size += word.size() + 1;
  require<UserError>(size < std::numeric_limits<std::uint32_t>::max(), "the training text has ",
                     size, " bytes of different words; at most 4 GB");
  slots_.reserve(size);
  slots_.emplace_back();
  for (const auto& [word, count] : words) {
    const auto index = static_cast<std::uint32_t>(word_counts_.size());
    for_each_character(word, [&](std::string_view character, bool first) {
      const auto& forms = alphabet.find(character)->second;
      slots_.push_back({first ? forms.first : forms.inside, 1, index});
    });
    slots_.emplace_back();
    word_counts_.push_back(count);
  }
}

void PieceLearner::count_pairs() {
  for (std::uint32_t place = 0; place + 1 < slots_.size(); ++place) {
    const auto left = slots_[place].piece;
    const auto right = slots_[place + 1].piece;
    if (left != kNoPiece && right != kNoPiece) gain(left, right, place);
  }
  queue_gained();
}

std::uint32_t PieceLearner::pair_of(Piece left, Piece right) {
  auto& index = pair_indices_(left, right);
  if (index == PairTable::kNone) {
    index = static_cast<std::uint32_t>(pairs_.size());
    pairs_.push_back({left, right});
  }
  return index;
}

void PieceLearner::gain(Piece left, Piece right, std::uint32_t place) {
  const auto index = pair_of(left, right);
  auto& pair = pairs_[index];
  pair.count += word_counts_[slots_[place].word];
  pair.places.push_back(place);
  if (pair.gained_at == merges_.size() + 1) return;
  pair.gained_at = merges_.size() + 1;
  gained_.push_back(index);
}

void PieceLearner::queue_gained() {
  for (const auto index : gained_) {
    const auto& pair = pairs_[index];
    // A count grows only by places, and then the pair is queued again.
    if (pair.count < options_.min_frequency) continue;
    queue_.push({pair.count, pair.left, pair.right, index});
  }
  gained_.clear();
}

LearnedPieces PieceLearner::learn() {
  while (static_cast<std::int64_t>(tokens_.size()) < options_.vocab_size) {
    const auto pair = next_pair();
    if (pair == kNoPiece) break;
    join(pair);
  }
  return {std::move(tokens_), std::move(merges_)};
}

std::uint32_t PieceLearner::next_pair() {
  while (!queue_.empty()) {
    const auto candidate = queue_.top();
    queue_.pop();
    const auto& pair = pairs_[candidate.pair];
    if (pair.count == candidate.count) return candidate.pair;
    if (pair.count < options_.min_frequency) continue;
    queue_.push({pair.count, pair.left, pair.right, candidate.pair});
  }
  return kNoPiece;
}

void PieceLearner::join(std::uint32_t index) {
  const auto left = pairs_[index].left;
  const auto right = pairs_[index].right;
  auto places = std::exchange(pairs_[index].places, {});
  // Of "aaa" the first two are joined. Places are out of order where a token was there before it
  // was joined, as "##a" is before "##" and "##a" are.
  if (!std::is_sorted(places.begin(), places.end())) std::sort(places.begin(), places.end());
  const auto joined =
      add_token(tokens_[left] + tokens_[right].substr(options_.continuing_prefix.size()));
  merges_.emplace_back(tokens_[left], tokens_[right]);
  for (const auto place : places) {
    const auto& slot = slots_[place];
    if (slot.piece != left || slots_[place + slot.span].piece != right) continue;
    join_at(place, joined);
  }
  pairs_[index].count = 0;
  queue_gained();
}

void PieceLearner::join_at(std::uint32_t place, Piece joined) {
  auto& slot = slots_[place];
  auto& other = slots_[place + slot.span];
  const auto left = slot.piece;
  const auto right = other.piece;
  const auto count = word_counts_[slot.word];
  const auto span = slot.span + other.span;
  const auto before = place - slots_[place - 1].span;  // `place` itself at the start of a word
  const auto after = place + span;
  other.piece = kNoPiece;
  slot.piece = joined;
  slot.span = span;
  slots_[after - 1].span = span;
  if (before != place) {
    const auto previous = slots_[before].piece;
    pairs_[pair_of(previous, left)].count -= count;
    gain(previous, joined, before);
  }
  if (slots_[after].piece != kNoPiece) {
    const auto next = slots_[after].piece;
    pairs_[pair_of(right, next)].count -= count;
    gain(joined, next, place);
  }
}

}  // namespace

LearnedPieces learn_pieces(const WordCounts& words, const PieceLearnerOptions& options) {
  return PieceLearner(words, options).learn();
}

}  // namespace zoo
