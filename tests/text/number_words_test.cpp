#include "text/number_words.h"

#include <stdexcept>
#include <unordered_set>

#include "tests/support/catch.h"

namespace zoo {

TEST_CASE("English number words have neither and nor hyphens") {
  CHECK(english_number_words(0) == "zero");
  CHECK(english_number_words(7) == "seven");
  CHECK(english_number_words(10) == "ten");
  CHECK(english_number_words(13) == "thirteen");
  CHECK(english_number_words(20) == "twenty");
  CHECK(english_number_words(42) == "forty two");
  CHECK(english_number_words(100) == "one hundred");
  CHECK(english_number_words(105) == "one hundred five");
  CHECK(english_number_words(1000) == "one thousand");
  CHECK(english_number_words(1001) == "one thousand one");
  CHECK(english_number_words(90'040) == "ninety thousand forty");
  CHECK(english_number_words(219'312) == "two hundred nineteen thousand three hundred twelve");
  CHECK(english_number_words(999'999) ==
        "nine hundred ninety nine thousand nine hundred ninety nine");
}

TEST_CASE("Turkish number words leave out bir before yüz and bin") {
  CHECK(turkish_number_words(0) == "sıfır");
  CHECK(turkish_number_words(8) == "sekiz");
  CHECK(turkish_number_words(10) == "on");
  CHECK(turkish_number_words(13) == "on üç");
  CHECK(turkish_number_words(42) == "kırk iki");
  CHECK(turkish_number_words(100) == "yüz");
  CHECK(turkish_number_words(105) == "yüz beş");
  CHECK(turkish_number_words(201) == "iki yüz bir");
  CHECK(turkish_number_words(1000) == "bin");
  CHECK(turkish_number_words(1001) == "bin bir");
  CHECK(turkish_number_words(2000) == "iki bin");
  CHECK(turkish_number_words(21'000) == "yirmi bir bin");
  CHECK(turkish_number_words(101'100) == "yüz bir bin yüz");
  CHECK(turkish_number_words(567'894) == "beş yüz altmış yedi bin sekiz yüz doksan dört");
}

TEST_CASE("no two numbers below a million are spelt alike") {
  std::unordered_set<std::string> english, turkish;
  bool clean = true;
  for (std::int64_t number = 0; number <= kGreatestSpelt; ++number) {
    const auto [word, is_new] = english.insert(english_number_words(number));
    turkish.insert(turkish_number_words(number));
    clean = clean && word->find("  ") == std::string::npos && word->back() != ' ';
  }
  CHECK(english.size() == 1'000'000);
  CHECK(turkish.size() == 1'000'000);
  CHECK(clean);
}

TEST_CASE("days of a month are spelt as ordinals") {
  CHECK(english_ordinal_words(1) == "first");
  CHECK(english_ordinal_words(3) == "third");
  CHECK(english_ordinal_words(12) == "twelfth");
  CHECK(english_ordinal_words(19) == "nineteenth");
  CHECK(english_ordinal_words(20) == "twentieth");
  CHECK(english_ordinal_words(22) == "twenty second");
  CHECK(english_ordinal_words(30) == "thirtieth");
  CHECK(english_ordinal_words(31) == "thirty first");
}

TEST_CASE("years are spelt as they are said, each in its own way") {
  CHECK(english_year_words(1900) == "nineteen hundred");
  CHECK(english_year_words(1905) == "nineteen oh five");
  CHECK(english_year_words(1910) == "nineteen ten");
  CHECK(english_year_words(1999) == "nineteen ninety nine");
  CHECK(english_year_words(2000) == "two thousand");
  CHECK(english_year_words(2005) == "two thousand five");
  CHECK(english_year_words(2010) == "twenty ten");
  CHECK(english_year_words(2042) == "twenty forty two");
  std::unordered_set<std::string> years;
  for (std::int64_t year = 1900; year < 2100; ++year) years.insert(english_year_words(year));
  CHECK(years.size() == 200);
}

TEST_CASE("numbers that have no words are refused") {
  CHECK_THROWS_AS(english_number_words(-1), std::out_of_range);
  CHECK_THROWS_AS(english_number_words(1'000'000), std::out_of_range);
  CHECK_THROWS_AS(turkish_number_words(1'000'000), std::out_of_range);
  CHECK_THROWS_AS(english_ordinal_words(0), std::out_of_range);
  CHECK_THROWS_AS(english_ordinal_words(32), std::out_of_range);
  CHECK_THROWS_AS(english_year_words(2100), std::out_of_range);
}

}  // namespace zoo
