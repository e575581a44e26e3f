#include "analysis/audit_findings.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "core/format.h"
#include "core/names.h"
#include "text/utf8.h"

namespace zoo {
namespace {

/// Characters that are named in a sentence.
constexpr std::size_t kMostNamed = 8;
/// A character that train has less often is called rare.
constexpr std::int64_t kRare = 10;

std::string percent(std::int64_t part, std::int64_t whole) {
  const auto value = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return (part > 0 && value < 0.1 ? "less than 0.1" : fixed_digits(value, 1)) + " %";
}

/// Sentences about the examples of splits, which are called `units`.
class Sentences {
 public:
  explicit Sentences(std::string units) : units_(std::move(units)) { units_[0] -= 'a' - 'A'; }

  template <class... Parts>
  void add(const Parts&... parts) {
    all_.push_back(text_of(parts...));
  }

  /// "Lines of val CLAUSE: 3 of 1200 (0.2 %), the first FILE, line 12 (val).", where there are any.
  void about(const FoundPlaces& found, const std::string& split, std::int64_t examples,
             const std::string& clause) {
    if (found.count == 0) return;
    add(units_, " of ", split, " ", clause, ": ", found.count, " of ", examples, " (",
        percent(found.count, examples), "), the first ", found.first.front(), ".");
  }

  /// What stands twice; `which` begins what is said of two splits.
  template <class Split>
  void about_equal(const Split& split, std::int64_t examples, const std::string& which) {
    about(split.repeated, split.name, examples, "that repeat an earlier one");
    about(split.in_train, split.name, examples, which + " in train as well");
    about(split.in_val, split.name, examples, which + " in val as well");
  }

  std::vector<std::string> take() { return std::move(all_); }

 private:
  std::string units_;
  std::vector<std::string> all_;
};

/// How the classes are shared out.
template <class Audit>
void about_classes(Sentences& sentences, const Audit& audit) {
  if (audit.classes.empty()) return;
  const auto sum = [](const std::vector<std::int64_t>& counts) {
    std::int64_t total = 0;
    for (const auto count : counts) total += count;
    return total;
  };
  const auto& train = audit.splits.front().class_counts;
  const auto largest = std::max_element(train.begin(), train.end()) - train.begin();
  const auto smallest = std::min_element(train.begin(), train.end()) - train.begin();
  const auto at = [](const auto& list, std::ptrdiff_t place) {
    return list[static_cast<std::size_t>(place)];
  };
  std::string judged;
  for (const auto& split : audit.splits) {
    const auto& counts = split.class_counts;
    judged += text_of(judged.empty() ? "" : ", ", percent(at(counts, largest), sum(counts)), " of ",
                      split.name);
    const auto missing = std::count(counts.begin(), counts.end(), 0);
    if (missing == 0) continue;
    const auto first = std::find(counts.begin(), counts.end(), 0) - counts.begin();
    sentences.add(split.name, " has no example of ", missing, " of ", audit.classes.size(),
                  " classes, the first of them ", at(audit.classes, first), ".");
  }
  sentences.add("The largest class of train is ", at(audit.classes, largest),
                ": always to answer it is right in ", judged, ". The smallest is ",
                at(audit.classes, smallest), ", ", percent(at(train, smallest), sum(train)),
                " of train.");
}

template <class Audit>
void about_splits(Sentences& sentences, const Audit& audit) {
  const auto has = [&](const char* name) {
    return std::any_of(audit.splits.begin(), audit.splits.end(),
                       [&](const auto& split) { return split.name == name; });
  };
  if (!has("val")) sentences.add("There is no val split: training is judged by train.");
}

/// `"q" (U+0071) 3 times, "x" (U+0078) once and 4 others`
std::string named(const std::vector<CharacterCount>& characters) {
  std::vector<std::string> names;
  for (const auto& one : characters) {
    if (names.size() == kMostNamed) break;
    names.push_back(shown(one.character) +
                    (one.count == 1 ? " once" : text_of(" ", one.count, " times")));
  }
  const auto others = characters.size() - names.size();
  return join(names, ", ") + (others > 0 ? text_of(" and ", others, " others") : "");
}

std::string consequence(const std::optional<UnknownCharacter>& unseen) {
  if (!unseen) return "";
  switch (*unseen) {
    case UnknownCharacter::kSkip:
      return "; they are left out";
    case UnknownCharacter::kReplace:
      return "; each becomes [UNK]";
    default:
      return "; training refuses them: set tokenizer.unknown to skip or replace";
  }
}

void about_characters(Sentences& sentences, const TextAudit& audit) {
  for (const auto& split : audit.splits) {
    if (!split.unseen.empty()) {
      const auto first =
          std::min_element(split.unseen.begin(), split.unseen.end(),
                           [](const auto& a, const auto& b) { return a.first < b.first; });
      sentences.add(split.name, " has ", split.unseen.size(),
                    split.unseen.size() == 1 ? " character" : " characters",
                    " that train does not have: ", named(split.unseen), "; first in ",
                    first->first_place, consequence(audit.unseen), ".");
    }
    if (split.unknown_tokens > 0) {
      sentences.add("Tokens of ", split.name,
                    " for what the tokenizer does not know: ", split.unknown_tokens, " of ",
                    split.tokens, " (", percent(split.unknown_tokens, split.tokens), ").");
    }
  }
  std::vector<CharacterCount> rare;
  for (const auto& one : audit.splits.front().alphabet) {
    if (one.count < kRare) rare.push_back(one);
  }
  if (rare.empty()) return;
  sentences.add(rare.size(), " of the ", audit.splits.front().alphabet.size(),
                " characters of train stand there fewer than ", kRare, " times: ", named(rare),
                ".");
}

void about_equal_texts(Sentences& sentences, const TextAudit& audit) {
  if (audit.format == TextFormat::kText) return;
  const bool pairs = audit.format == TextFormat::kPairs;
  const std::string which = pairs ? "whose source" : "that";
  const std::string other = pairs ? "whose source came" : "that came";
  for (const auto& split : audit.splits) {
    const auto about = [&](const FoundPlaces& found, const std::string& clause) {
      sentences.about(found, split.name, split.examples, clause);
    };
    sentences.about_equal(split, split.examples, which + (pairs ? " stands" : " stand"));
    about(split.ambiguous, other + " before with another " + (pairs ? "target" : "label"));
    if (!split.near_train) continue;
    about(*split.near_train, which + (pairs ? " is a near duplicate" : " are near duplicates") +
                                 " of one of train (equal but for case, digits and punctuation, or "
                                 "with 80 % of the 4-letter sequences in common)");
  }
  if (!audit.near_skipped.empty()) {
    sentences.add("Near duplicates were not looked for: ", audit.near_skipped, ".");
  }
}

}  // namespace

std::vector<std::string> findings(const TextAudit& audit) {
  Sentences sentences(audit.unit());
  about_splits(sentences, audit);
  about_equal_texts(sentences, audit);
  about_characters(sentences, audit);
  about_classes(sentences, audit);
  return sentences.take();
}

std::vector<std::string> findings(const ImageAudit& audit) {
  Sentences sentences("images");
  about_splits(sentences, audit);
  for (const auto& split : audit.splits) {
    sentences.about_equal(split, split.images, "that stand");
    sentences.about(split.other_label, split.name, split.images,
                    "that are equal to one of another class");
    sentences.about(split.blank, split.name, split.images, "that are of one colour");
  }
  about_classes(sentences, audit);
  return sentences.take();
}

}  // namespace zoo
