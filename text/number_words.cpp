#include "text/number_words.h"

#include <array>
#include <stdexcept>

#include "core/errors.h"

namespace zoo {
namespace {

constexpr std::array kEnglishOnes{"zero",    "one",     "two",       "three",    "four",
                                  "five",    "six",     "seven",     "eight",    "nine",
                                  "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                  "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array kEnglishTens{"",      "ten",   "twenty",  "thirty", "forty",
                                  "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr std::array kTurkishOnes{"sıfır", "bir",  "iki",  "üç",    "dört",
                                  "beş",   "altı", "yedi", "sekiz", "dokuz"};
constexpr std::array kTurkishTens{"",     "on",     "yirmi",  "otuz",   "kırk",
                                  "elli", "altmış", "yetmiş", "seksen", "doksan"};
constexpr std::array kOrdinals{"zeroth",    "first",     "second",      "third",      "fourth",
                               "fifth",     "sixth",     "seventh",     "eighth",     "ninth",
                               "tenth",     "eleventh",  "twelfth",     "thirteenth", "fourteenth",
                               "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"};

void require_range(std::int64_t number, std::int64_t least, std::int64_t greatest) {
  require<std::out_of_range>(number >= least && number <= greatest, number, " is not in [", least,
                             ", ", greatest, "]");
}

template <std::size_t N>
const char* word(const std::array<const char*, N>& words, std::int64_t at) {
  return words.at(static_cast<std::size_t>(at));
}

void append(std::string& text, const std::string& words) {
  if (!text.empty()) text += ' ';
  text += words;
}

std::string english_below_hundred(std::int64_t number) {
  if (number < 20) return word(kEnglishOnes, number);
  std::string text = word(kEnglishTens, number / 10);
  if (number % 10 != 0) append(text, word(kEnglishOnes, number % 10));
  return text;
}

/// Nothing for 0, which is said only where it stands alone.
std::string english_below_thousand(std::int64_t number) {
  std::string text;
  if (number >= 100) text = word(kEnglishOnes, number / 100) + std::string(" hundred");
  if (number % 100 != 0) append(text, english_below_hundred(number % 100));
  return text;
}

std::string turkish_below_thousand(std::int64_t number) {
  std::string text;
  if (number >= 200) text = word(kTurkishOnes, number / 100);  // 100 is "yüz", never "bir yüz"
  if (number >= 100) append(text, "yüz");
  if (number / 10 % 10 != 0) append(text, word(kTurkishTens, number / 10 % 10));
  if (number % 10 != 0) append(text, word(kTurkishOnes, number % 10));
  return text;
}

}  // namespace

std::string english_number_words(std::int64_t number) {
  require_range(number, 0, kGreatestSpelt);
  if (number == 0) return word(kEnglishOnes, 0);
  std::string text;
  if (number >= 1000) text = english_below_thousand(number / 1000) + " thousand";
  if (number % 1000 != 0) append(text, english_below_thousand(number % 1000));
  return text;
}

std::string turkish_number_words(std::int64_t number) {
  require_range(number, 0, kGreatestSpelt);
  if (number == 0) return word(kTurkishOnes, 0);
  std::string text;
  if (number >= 2000) text = turkish_below_thousand(number / 1000);  // 1000 is "bin"
  if (number >= 1000) append(text, "bin");
  if (number % 1000 != 0) append(text, turkish_below_thousand(number % 1000));
  return text;
}

std::string english_ordinal_words(std::int64_t day) {
  require_range(day, 1, 31);
  if (day < 20) return word(kOrdinals, day);
  if (day == 20) return "twentieth";
  if (day == 30) return "thirtieth";
  return word(kEnglishTens, day / 10) + std::string(" ") + word(kOrdinals, day % 10);
}

std::string english_year_words(std::int64_t year) {
  require_range(year, 1900, 2099);
  if (year >= 2000 && year < 2010) return english_number_words(year);
  const auto text = english_below_hundred(year / 100) + " ";
  if (year % 100 == 0) return text + "hundred";
  if (year % 100 < 10) return text + "oh " + word(kEnglishOnes, year % 10);
  return text + english_below_hundred(year % 100);
}

}  // namespace zoo
