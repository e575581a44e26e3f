#include "text/longest_training_substring.h"

#include <algorithm>
#include <array>
#include <utility>

#include <utf8proc.h>

#include "text/utf8.h"

namespace zoo {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 25;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 26;
/// Ends an example; UTF-8 has no such byte.
constexpr char kEnd = '\xFF';
/// Stands for a byte that is not UTF-8; no code point.
constexpr char32_t kNoCharacter = 0x110000;

/// Calls visit with one code point after another, kNoCharacter for each byte that is not UTF-8.
template <class Visit>
void for_each_character(std::string_view text, const Visit& visit) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  for (utf8proc_ssize_t at = 0; at < size;) {
    if (bytes[at] < 0x80) {
      visit(char32_t{bytes[at++]});
      continue;
    }
    utf8proc_int32_t code_point = 0;
    const auto length = utf8proc_iterate(bytes + at, size - at, &code_point);
    visit(length > 0 ? static_cast<char32_t>(code_point) : kNoCharacter);
    at += std::max<utf8proc_ssize_t>(length, 1);
  }
}

/// The smallest automaton that reads every substring of a text.
class SuffixAutomaton {
 public:
  explicit SuffixAutomaton(const std::u32string& text) {
    first_.fill(kNone);
    states_.reserve(2 * text.size() + 1);
    states_.emplace_back();
    for (const auto character : text) append(character);
  }

  /// Reads on from the substring of `length` characters in `state`: leaves the longest suffix of
  /// what was read that is a substring of the text.
  void read(char32_t character, std::int32_t& state, std::int64_t& length) const {
    auto next = after(state, character);
    while (next == kNone && state != kRoot) {
      state = at(state).link;
      length = at(state).length;
      next = after(state, character);
    }
    if (next == kNone) return;
    state = next;
    ++length;
  }

  /// Characters of the text up to the end of the state's first place.
  std::int64_t first_end(std::int32_t state) const { return at(state).first_end; }

  static constexpr std::int32_t kRoot = 0;

 private:
  static constexpr std::int32_t kNone = -1;

  struct State {
    std::int32_t length = 0;  ///< of the longest substring
    std::int32_t link = kNone;
    std::int32_t first_end = 0;
    std::vector<std::pair<char32_t, std::int32_t>> next = {};
  };

  const State& at(std::int32_t state) const { return states_[static_cast<std::size_t>(state)]; }
  State& at(std::int32_t state) { return states_[static_cast<std::size_t>(state)]; }

  /// The state after a character, or kNone. The root has many, of which ASCII is looked up.
  std::int32_t after(std::int32_t state, char32_t character) const {
    if (state == kRoot && character < first_.size()) return first_[character];
    for (const auto& [known, next] : at(state).next) {
      if (known == character) return next;
    }
    return kNone;
  }

  void set_after(std::int32_t state, char32_t character, std::int32_t next) {
    if (state == kRoot && character < first_.size()) first_[character] = next;
    for (auto& [known, old] : at(state).next) {
      if (known == character) {
        old = next;
        return;
      }
    }
    at(state).next.emplace_back(character, next);
  }

  std::int32_t add(State state) {
    states_.push_back(std::move(state));
    return static_cast<std::int32_t>(states_.size()) - 1;
  }

  void append(char32_t character) {
    const auto length = at(last_).length + 1;
    const auto whole = add({length, kRoot, length});
    auto state = std::exchange(last_, whole);
    for (; state != kNone && after(state, character) == kNone; state = at(state).link) {
      set_after(state, character, whole);
    }
    if (state == kNone) return;
    const auto next = after(state, character);
    if (at(next).length == at(state).length + 1) {
      at(whole).link = next;
      return;
    }
    auto shorter = at(next);
    shorter.length = at(state).length + 1;
    const auto copy = add(std::move(shorter));
    for (; state != kNone && after(state, character) == next; state = at(state).link) {
      set_after(state, character, copy);
    }
    at(next).link = at(whole).link = copy;
  }

  std::vector<State> states_;
  std::array<std::int32_t, 128> first_;
  std::int32_t last_ = kRoot;
};

}  // namespace

LongestTrainingSubstring::LongestTrainingSubstring(const std::vector<std::string_view>& examples) {
  for (const auto example : examples) add(example);
}

LongestTrainingSubstring::LongestTrainingSubstring(const TextData& data) {
  const auto& split = data.train;
  if (data.format == TextFormat::kText) {
    add(data.tokenizer->decode(split.tokens.range(0, split.tokens.size())));
    return;
  }
  const bool own = data.source_tokenizer != data.tokenizer;
  for (std::size_t i = 0; i + 1 < split.starts.size(); ++i) {
    const auto begin = split.starts[i] + 1;
    // With a vocabulary of its own, a source ends where the separator stands.
    const auto targets = own ? split.separators[i] : begin;
    add(data.source_tokenizer->decode(split.tokens.range(begin, targets)) +
        data.tokenizer->decode(split.tokens.range(targets, split.starts[i + 1])));
  }
}

void LongestTrainingSubstring::add(std::string_view example) {
  training_ += example;
  training_ += kEnd;
}

TrainingSubstring LongestTrainingSubstring::find(std::string_view text) const {
  std::u32string characters;
  for_each_character(text, [&](char32_t character) { characters += character; });
  const SuffixAutomaton automaton(characters);
  auto state = SuffixAutomaton::kRoot;
  std::int64_t length = 0, longest = 0, end = 0;
  for_each_character(training_, [&](char32_t character) {
    if (character == kNoCharacter) {
      state = SuffixAutomaton::kRoot;
      length = 0;
      return;
    }
    automaton.read(character, state, length);
    if (length <= longest) return;
    longest = length;
    end = automaton.first_end(state);
  });
  TrainingSubstring found{longest, {}};
  for (auto i = end - longest; i < end; ++i) {
    append_utf8(found.text, characters[static_cast<std::size_t>(i)]);
  }
  return found;
}

std::unique_ptr<const LongestTrainingSubstring> longest_training_substring(const TextData& data) {
  if (data.train.tokens.size() > kMostTokens) return nullptr;
  auto made = std::make_unique<const LongestTrainingSubstring>(data);
  return made->bytes() > kMostBytes ? nullptr : std::move(made);
}

}  // namespace zoo
