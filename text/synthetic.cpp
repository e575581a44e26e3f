#include "text/synthetic.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/errors.h"
#include "core/random.h"
#include "text/number_words.h"

namespace zoo {
namespace {

constexpr std::string_view kSymbols = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kLetters = kSymbols.substr(10);
constexpr std::int64_t kMostKeys = 26;
constexpr std::int64_t kMostAddedDigits = 18;  // two such numbers and their sum fit in 64 bits
constexpr std::int64_t kMostSpeltDigits = 6;
constexpr std::int64_t kMostExamples = 10'000'000;
constexpr std::int64_t kDays = 73'049;  // 1900-01-01 to 2099-12-31
constexpr std::int64_t kMany = std::numeric_limits<std::int64_t>::max();

/// The choices that make an example: random ones, or those with a number, so that counting up
/// meets every example once.
class Choices {
 public:
  static Choices random(std::uint64_t seed) { return Choices(seed, true); }
  static Choices numbered(std::int64_t number) {
    return Choices(static_cast<std::uint64_t>(number), false);
  }

  /// One of 0 .. bound-1.
  std::int64_t below(std::int64_t bound) {
    const auto limit = static_cast<std::uint64_t>(bound);
    if (!random_) {
      const auto choice = state_ % limit;
      state_ /= limit;
      return static_cast<std::int64_t>(choice);
    }
    const auto most = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t value = most;
    while (value >= most - most % limit) value = mixed_seed(state_, drawn_++);
    return static_cast<std::int64_t>(value % limit);
  }

 private:
  Choices(std::uint64_t state, bool random) : state_(state), random_(random) {}

  std::uint64_t state_;  // the seed, or what is left of the number
  bool random_;
  std::uint64_t drawn_ = 0;
};

std::int64_t product(std::int64_t a, std::int64_t b) { return a > kMany / b ? kMany : a * b; }

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < exponent && result < kMany; ++i) result = product(result, base);
  return result;
}

std::int64_t least_with_digits(std::int64_t digits) {
  return digits == 1 ? 0 : power(10, digits - 1);
}

std::string symbols_of(Choices& choices, std::int64_t length, std::int64_t kinds) {
  std::string text;
  for (std::int64_t i = 0; i < length; ++i) {
    text += kSymbols[static_cast<std::size_t>(choices.below(kinds))];
  }
  return text;
}

TextPair addition(const DataOptions& options, Choices& choices) {
  const auto least = least_with_digits(options.min_length);
  const auto operands = power(10, options.max_length) - least;
  const auto first = least + choices.below(operands);
  const auto second = least + choices.below(operands);
  auto sum = std::to_string(first + second);
  if (options.reverse_digits) std::reverse(sum.begin(), sum.end());
  return {text_of(first, '+', second), sum};
}

TextPair parity(std::int64_t length, Choices& choices) {
  auto bits = symbols_of(choices, length, 2);
  const bool odd = std::count(bits.begin(), bits.end(), '1') % 2 == 1;
  return {std::move(bits), odd ? "odd" : "even"};
}

/// Associative recall (Ba et al., 2016): keys with values, then the key whose value is asked for.
TextPair recall(std::int64_t length, Choices& choices) {
  std::string left(kLetters), keys, values, source;
  for (std::int64_t i = 0; i < length; ++i) {
    const auto key = static_cast<std::size_t>(choices.below(std::ssize(left)));
    keys += left[key];
    left.erase(key, 1);
    values += kSymbols[static_cast<std::size_t>(choices.below(10))];
    source += keys.back();
    source += values.back();
  }
  const auto asked = static_cast<std::size_t>(choices.below(length));
  return {source + '?' + keys[asked], std::string(1, values[asked])};
}

TextPair number_words(std::int64_t digits, Choices& choices) {
  const auto least = least_with_digits(digits);
  const auto number = least + choices.below(power(10, digits) - least);
  return {english_number_words(number), turkish_number_words(number)};
}

std::int64_t days_in(std::int64_t year, std::int64_t month) {
  if (month == 2) return year % 4 == 0 && year != 1900 ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

TextPair date(const DataOptions& options, Choices& choices) {
  static constexpr std::array kMonths{"january",   "february", "march",    "april",
                                      "may",       "june",     "july",     "august",
                                      "september", "october",  "november", "december"};
  const auto number = choices.below(kDays);
  std::int64_t year = 1900, month = 1, day = number;
  while (day >= days_in(year, month)) {
    day -= days_in(year, month);
    if (++month > 12) month = 1, ++year;
  }
  ++day;
  const std::string name = kMonths[static_cast<std::size_t>(month - 1)];
  const auto ordinal = english_ordinal_words(day);
  const std::array wordings{"the " + ordinal + " of " + name, name + ' ' + ordinal,
                            name + " the " + ordinal};
  // Of the day, not of the draw: a day has one wording, and no two splits share a day.
  const auto seed = mixed_seed(static_cast<std::uint64_t>(options.split_seed), 2);
  const auto wording = Choices::random(mixed_seed(seed, static_cast<std::uint64_t>(number)))
                           .below(static_cast<std::int64_t>(wordings.size()));
  std::array<char, 64> written{};
  std::snprintf(written.data(), written.size(), "%04d-%02d-%02d", static_cast<int>(year),
                static_cast<int>(month), static_cast<int>(day));
  return {wordings[static_cast<std::size_t>(wording)] + ' ' + english_year_words(year),
          written.data()};
}

TextPair make_example(const DataOptions& options, std::int64_t length, Choices choices) {
  auto symbols = [&] { return symbols_of(choices, length, options.symbols); };
  switch (*options.synthetic) {
    case SyntheticTask::kCopy: {
      const auto source = symbols();
      return {source, source};
    }
    case SyntheticTask::kReverse: {
      const auto source = symbols();
      return {source, {source.rbegin(), source.rend()}};
    }
    case SyntheticTask::kSort: {
      auto source = symbols(), sorted = source;
      std::sort(sorted.begin(), sorted.end());  // ASCII: digits before letters
      return {source, sorted};
    }
    case SyntheticTask::kAddition:
      return addition(options, choices);
    case SyntheticTask::kParity:
      return parity(length, choices);
    case SyntheticTask::kRecall:
      return recall(length, choices);
    case SyntheticTask::kNumberWords:
      return number_words(length, choices);
    case SyntheticTask::kDates:
      return date(options, choices);
  }
  throw std::logic_error("a synthetic task without a rule");
}

/// The examples of one length (or all, where the task draws lengths itself).
struct Group {
  std::int64_t length = 0;
  std::int64_t size = 0;  ///< distinct examples there are, kMany at most
  std::int64_t wanted = 0;
};

std::int64_t group_size(const DataOptions& options, std::int64_t length) {
  switch (*options.synthetic) {
    case SyntheticTask::kParity:
      return power(2, length);
    case SyntheticTask::kRecall: {
      auto size = length;
      for (std::int64_t i = 0; i < length; ++i) size = product(size, (kMostKeys - i) * 10);
      return size;
    }
    case SyntheticTask::kNumberWords:
      return power(10, length) - least_with_digits(length);
    default:
      return power(options.symbols, length);
  }
}

std::vector<Group> groups_of(const DataOptions& options) {
  if (options.synthetic == SyntheticTask::kDates) return {{0, kDays}};
  if (options.synthetic == SyntheticTask::kAddition) {
    const auto operands = power(10, options.max_length) - least_with_digits(options.min_length);
    return {{0, product(operands, operands)}};
  }
  auto longest = options.max_length;
  if (options.synthetic == SyntheticTask::kNumberWords)
    longest = std::min(longest, kMostSpeltDigits);
  std::vector<Group> groups;
  for (auto length = options.min_length; length <= longest; ++length) {
    groups.push_back({length, group_size(options, length)});
  }
  return groups;
}

/// Deals the examples to the groups: equal shares, and what small groups lack goes to the others.
void share_out(std::vector<Group>& groups, std::int64_t examples) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.size < b.size; });
  auto groups_left = std::ssize(groups);
  for (auto& group : groups) {
    group.wanted = std::min(group.size, examples / groups_left--);
    examples -= group.wanted;
  }
}

void append_group(const DataOptions& options, const Group& group, std::uint64_t seed,
                  std::vector<TextPair>& pairs) {
  // Drawing meets what it has already so often that counting is cheaper.
  if (group.size / 2 <= group.wanted) {
    const auto order = random_order(group.size, seed);
    for (std::int64_t i = 0; i < group.wanted; ++i) {
      const auto number = order[static_cast<std::size_t>(i)];
      pairs.push_back(make_example(options, group.length, Choices::numbered(number)));
    }
    return;
  }
  std::unordered_set<std::string> seen;
  for (std::uint64_t draw = 0; std::ssize(seen) < group.wanted; ++draw) {
    auto pair = make_example(options, group.length, Choices::random(mixed_seed(seed, draw)));
    if (seen.insert(pair.source).second) pairs.push_back(std::move(pair));
  }
}

void require_possible(const DataOptions& options) {
  require<ConfigError>(options.min_length <= options.max_length,
                       "data.min_length: ", options.min_length, " is more than data.max_length ",
                       options.max_length, "; lower it to at most that");
  require<ConfigError>(options.examples <= kMostExamples, "data.examples: ", options.examples,
                       " synthetic examples are too many; at most ", kMostExamples);
  const auto at_most = [&](const char* option, std::int64_t value, std::int64_t most,
                           const char* what) {
    require<ConfigError>(value <= most, "data.", option, ": ", value, " ", what,
                         " are more than the task knows; at most ", most);
  };
  if (options.synthetic == SyntheticTask::kRecall) {
    at_most("max_length", options.max_length, kMostKeys, "keys");
  } else if (options.synthetic == SyntheticTask::kAddition) {
    at_most("max_length", options.max_length, kMostAddedDigits, "digits");
  } else if (options.synthetic == SyntheticTask::kNumberWords) {
    at_most("min_length", options.min_length, kMostSpeltDigits, "digits");
  }
}

}  // namespace

std::vector<TextPair> make_synthetic(const DataOptions& options) {
  require<ConfigError>(options.synthetic.has_value(), "data.synthetic: not set; name a task");
  require_possible(options);
  auto groups = groups_of(options);
  share_out(groups, options.examples);
  const auto seed = static_cast<std::uint64_t>(options.split_seed);
  std::vector<TextPair> made;
  for (const auto& group : groups) {
    const auto purpose = static_cast<std::uint64_t>(group.length) + 3;
    append_group(options, group, mixed_seed(seed, purpose), made);
  }
  std::vector<TextPair> pairs;
  pairs.reserve(made.size());
  for (const auto at : random_order(std::ssize(made), mixed_seed(seed, 1))) {
    auto& pair = pairs.emplace_back(std::move(made[static_cast<std::size_t>(at)]));
    pair.file = -1;
    pair.number = std::ssize(pairs);
  }
  return pairs;
}

}  // namespace zoo
