#include "text/translation_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include <utf8proc.h>

#include "core/errors.h"
#include "text/character_at.h"

namespace zoo {
namespace {

constexpr std::size_t kWordOrders = 4;
constexpr std::size_t kCharacterOrders = 6;
constexpr double kBeta = 2;

/// What is counted of one n-gram order over a corpus.
struct Matches {
  std::int64_t hypothesis = 0;
  std::int64_t reference = 0;
  std::int64_t both = 0;
};

void require_corpus(const std::vector<std::string>& hypotheses,
                    const std::vector<std::string>& references) {
  require<std::invalid_argument>(hypotheses.size() == references.size() && !hypotheses.empty(),
                                 hypotheses.size(), " hypotheses for ", references.size(),
                                 " references; as many are needed, and at least one");
}

/// What Python's str.isspace, and so split and rstrip, takes for white space.
bool is_space(char32_t character) {
  if (character == kNoCharacter) return false;
  const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(character));
  return property->category == UTF8PROC_CATEGORY_ZS ||
         property->bidi_class == UTF8PROC_BIDI_CLASS_WS ||
         property->bidi_class == UTF8PROC_BIDI_CLASS_B ||
         property->bidi_class == UTF8PROC_BIDI_CLASS_S;
}

/// The words that white space separates.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text, at);
    if (is_space(character.code_point)) {
      if (at > start) words.push_back(text.substr(start, at - start));
      start = at + character.size;
    }
    at += character.size;
  }
  if (text.size() > start) words.push_back(text.substr(start));
  return words;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  std::string result;
  std::size_t start = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, start)) {
    result.append(text, start, at - start).append(by);
    start = at + what.size();
  }
  text = result.append(text, start);
}

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_point(char byte) { return byte == '.' || byte == ','; }

/// ASCII punctuation and symbols that are always a token: all but the apostrophe, ",", "-" and ".".
bool stands_alone(char byte) {
  return (byte >= ' ' && byte <= '&') || (byte >= '(' && byte <= '+') || byte == '/' ||
         (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`') ||
         (byte >= '{' && byte <= '~');
}

/// Puts spaces around or into the pairs of bytes that fit, from left to right; a byte belongs to
/// one pair. Looking at bytes is enough: what is sought is ASCII, and any byte of a longer
/// character is "no digit" as the character is.
template <class Fits>
std::string space_pairs(const std::string& text, std::string_view before, std::string_view after,
                        Fits&& fits) {
  std::string result;
  std::size_t at = 0;
  for (; at + 1 < text.size(); ++at) {
    if (!fits(text[at], text[at + 1])) {
      result += text[at];
      continue;
    }
    result.append(before).append({text[at], ' ', text[at + 1]}).append(after);
    ++at;
  }
  return result.append(text, std::min(at, text.size()));
}

/// mteval-v13a's tokenization (sacrebleu/tokenizers/tokenizer_13a.py and tokenizer_re.py), its
/// tokens still to be split at white space.
std::string tokenized(std::string_view sentence) {
  std::string text(sentence);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  std::string spaced = " ";
  for (const char byte : text) {
    if (stands_alone(byte)) {
      spaced.append({' ', byte, ' '});
    } else {
      spaced += byte;
    }
  }
  spaced += ' ';
  spaced = space_pairs(spaced, "", " ", [](char a, char b) { return !is_digit(a) && is_point(b); });
  spaced = space_pairs(spaced, " ", "", [](char a, char b) { return is_point(a) && !is_digit(b); });
  return space_pairs(spaced, "", " ", [](char a, char b) { return is_digit(a) && b == '-'; });
}

/// The sentence without the white space at its end, where "-\n" would be taken for a broken word.
std::string_view without_end(std::string_view sentence) {
  const auto words = split(sentence);
  if (words.empty()) return {};
  const auto size = words.back().data() + words.back().size() - sentence.data();
  return sentence.substr(0, static_cast<std::size_t>(size));
}

/// The tokens of a sentence with one space between them, and where each starts.
struct Tokens {
  std::string text;
  std::vector<std::size_t> starts;

  explicit Tokens(std::string_view sentence) {
    const auto spaced = tokenized(without_end(sentence));
    for (const auto token : split(spaced)) {
      starts.push_back(text.size());
      text.append(token) += ' ';
    }
  }
  std::size_t size() const { return starts.size(); }
  std::string_view ngram(std::size_t at, std::size_t order) const {
    const auto end = at + order < starts.size() ? starts[at + order] : text.size();
    return std::string_view(text).substr(starts[at], end - starts[at]);
  }
};

/// The characters of a sentence without its white space.
struct Characters {
  std::u32string text;

  explicit Characters(std::string_view sentence) {
    for (const auto word : split(sentence)) {
      for (std::size_t at = 0; at < word.size();) {
        const auto character = character_at(word, at);
        text += character.code_point;
        at += character.size;
      }
    }
  }
  std::size_t size() const { return text.size(); }
  std::u32string_view ngram(std::size_t at, std::size_t order) const {
    return std::u32string_view(text).substr(at, order);
  }
};

/// Counts the n-grams of one order of a sentence and its reference.
template <class Sequence>
Matches count_matches(const Sequence& hypothesis, const Sequence& reference, std::size_t order) {
  Matches matches;
  std::unordered_map<decltype(reference.ngram(0, 0)), std::int64_t> left;
  for (std::size_t at = 0; at + order <= reference.size(); ++at) {
    ++left[reference.ngram(at, order)];
    ++matches.reference;
  }
  for (std::size_t at = 0; at + order <= hypothesis.size(); ++at) {
    ++matches.hypothesis;
    const auto found = left.find(hypothesis.ngram(at, order));
    if (found == left.end() || found->second == 0) continue;
    --found->second;
    ++matches.both;
  }
  return matches;
}

template <class Sequence, std::size_t kOrders>
std::array<Matches, kOrders> count_corpus(const std::vector<std::string>& hypotheses,
                                          const std::vector<std::string>& references,
                                          bool skip_without_reference) {
  require_corpus(hypotheses, references);
  std::array<Matches, kOrders> sums{};
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const Sequence hypothesis(hypotheses[i]), reference(references[i]);
    for (std::size_t order = 1; order <= kOrders; ++order) {
      const auto matches = count_matches(hypothesis, reference, order);
      auto& sum = sums[order - 1];
      sum.reference += matches.reference;
      sum.both += matches.both;
      if (matches.reference > 0 || !skip_without_reference) sum.hypothesis += matches.hypothesis;
    }
  }
  return sums;
}

}  // namespace

double bleu(const std::vector<std::string>& hypotheses,
            const std::vector<std::string>& references) {
  const auto orders = count_corpus<Tokens, kWordOrders>(hypotheses, references, false);
  if (orders[0].both == 0) return 0.0;
  double logarithms = 0.0, smoothing = 1.0;
  for (const auto& order : orders) {
    if (order.hypothesis == 0) return 0.0;
    if (order.both == 0) smoothing *= 2;
    const double matched = order.both == 0 ? 1 / smoothing : static_cast<double>(order.both);
    logarithms += std::log(100.0 * matched / static_cast<double>(order.hypothesis));
  }
  const auto ratio =
      static_cast<double>(orders[0].reference) / static_cast<double>(orders[0].hypothesis);
  return std::exp(std::min(0.0, 1 - ratio) + logarithms / kWordOrders);
}

double chrf(const std::vector<std::string>& hypotheses,
            const std::vector<std::string>& references) {
  double precision = 0.0, recall = 0.0;
  int orders = 0;
  for (const auto& order :
       count_corpus<Characters, kCharacterOrders>(hypotheses, references, true)) {
    if (order.hypothesis == 0 || order.reference == 0) continue;
    precision += static_cast<double>(order.both) / static_cast<double>(order.hypothesis);
    recall += static_cast<double>(order.both) / static_cast<double>(order.reference);
    ++orders;
  }
  if (precision + recall == 0) return 0.0;
  constexpr double kFactor = kBeta * kBeta;
  return 100 * (1 + kFactor) * precision * recall / (kFactor * precision + recall) / orders;
}

}  // namespace zoo
