#pragma once

#include <cstdint>
#include <string>

namespace zoo {

/// The greatest number that the functions below spell.
inline constexpr std::int64_t kGreatestSpelt = 999'999;

/// "forty two thousand one hundred five": a number from 0 to kGreatestSpelt, without "and" or
/// hyphens. Throws std::out_of_range.
std::string english_number_words(std::int64_t number);

/// "kırk iki bin yüz beş": the same number in Turkish. Throws std::out_of_range.
std::string turkish_number_words(std::int64_t number);

/// "third", "twenty first": the day of a month, 1 to 31. Throws std::out_of_range.
std::string english_ordinal_words(std::int64_t day);

/// A year from 1900 to 2099 as it is said: "nineteen hundred", "nineteen oh five", "two thousand
/// five", "twenty forty two". Throws std::out_of_range.
std::string english_year_words(std::int64_t year);

}  // namespace zoo
