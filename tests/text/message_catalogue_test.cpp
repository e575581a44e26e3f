#include "text/message_catalogue.h"

#include "core/errors.h"
#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/mo_file.h"

namespace zoo {
namespace {

using std::string_literals::operator""s;

constexpr std::size_t kOriginals = 28;  // where mo_file puts the table

MessageCatalogue parse(const std::string& bytes) {
  return parse_message_catalogue(bytes, "tr/a.mo");
}

std::string error_of(const std::string& bytes) {
  return message_of<UserError>([&] { parse(bytes); });
}

/// Three strings: the header, "file" and "open".
std::string small_file(const MoLayout& layout = {}) {
  return mo_file({mo_header("UTF-8"), {"file", "dosya"}, {"open", "aç"}}, layout);
}

std::size_t translations_of(const std::string& bytes) {
  return static_cast<unsigned char>(bytes[16]);
}

}  // namespace

TEST_CASE("a catalogue is read in both byte orders, with and without a hash table") {
  for (const bool big_endian : {false, true}) {
    for (const bool hash_table : {false, true}) {
      const auto catalogue = parse(small_file({big_endian, hash_table, 0}));
      REQUIRE(catalogue.messages.size() == 2);
      CHECK(catalogue.charset == "UTF-8");
      CHECK(catalogue.plural_forms == "nplurals=2; plural=(n != 1);");
      CHECK(catalogue.messages[0].number == 2);
      CHECK(catalogue.messages[0].singular == "file");
      CHECK(catalogue.messages[0].plural.empty());
      CHECK(catalogue.messages[0].translations == std::vector<std::string>{"dosya"});
      CHECK(catalogue.messages[1].translations == std::vector<std::string>{"aç"});
    }
  }
}

TEST_CASE("contexts and plural forms are taken apart") {
  const auto catalogue = parse(mo_file({mo_header("UTF-8"),
                                        {"%d file\0%d files"s, "%d dosya\0%d dosyalar"s},
                                        {"menu\4Open", "Aç"},
                                        {"mail\4one\0many"s, "bir\0"s}}));
  REQUIRE(catalogue.messages.size() == 3);
  CHECK(catalogue.messages[0].singular == "%d file");
  CHECK(catalogue.messages[0].plural == "%d files");
  CHECK(catalogue.messages[0].translations == std::vector<std::string>{"%d dosya", "%d dosyalar"});
  CHECK(catalogue.messages[1].context == "menu");
  CHECK(catalogue.messages[1].singular == "Open");
  CHECK(catalogue.messages[2].context == "mail");
  CHECK(catalogue.messages[2].plural == "many");
  CHECK(catalogue.messages[2].translations == std::vector<std::string>{"bir", ""});
}

TEST_CASE("the charset of the header is turned into UTF-8") {
  const auto translation_in = [](const std::string& charset, const std::string& bytes) {
    return parse(mo_file({mo_header(charset), {"a", bytes}})).messages.at(0).translations.at(0);
  };
  CHECK(translation_in("utf-8", "ışık") == "ışık");
  CHECK(translation_in("US-ASCII", "isik") == "isik");
  CHECK(translation_in("CHARSET", "isik") == "isik");
  CHECK(translation_in("ISO-8859-1", "\xFC\xF6") == "üö");
  CHECK(translation_in("ISO-8859-1", std::string(5000, '\xFC')).size() == 10'000);
  CHECK(translation_in("ISO-8859-1", "").empty());
}

TEST_CASE(
    "charsets that come as modules of the C library are turned into UTF-8 where it has them") {
  const auto check = [](const std::string& charset, const std::string& bytes,
                        const std::string& expected) {
    const auto file = mo_file({mo_header(charset), {"a", bytes}});
    const auto error = error_of(file);
    if (error.find("is unknown to iconv on this machine") != std::string::npos) return;
    CHECK(parse(file).messages.at(0).translations.at(0) == expected);
  };
  check("ISO-8859-9", "\xFD\xFE\xFD\x6B", "ışık");
  check("CP1255", "\xF9\xE0", "שא");  // holds each letter back until the next or the end
}

TEST_CASE("a catalogue without a header entry or without messages is read") {
  CHECK(parse(mo_file({})).messages.empty());
  CHECK(parse(mo_file({{"a", "ı"}})).messages.at(0).translations.at(0) == "ı");
  CHECK(parse(mo_file({{"a", "b"}, {"", "Language: tr\n"}})).messages.at(0).number == 1);
}

TEST_CASE("a charset that is unknown, or that the text is not in, is named") {
  CHECK(error_of(mo_file({mo_header("KLINGON-8"), {"a", "b"}})) ==
        "tr/a.mo: its charset \"KLINGON-8\" is unknown to iconv on this machine; convert it to "
        "UTF-8");
  CHECK(error_of(mo_file({mo_header("UTF-8//IGNORE"), {"a", "b"}})) ==
        "tr/a.mo: its header names a charset that is no name of letters and digits");
  CHECK(error_of(mo_file({mo_header("UTF-8"), {"a", "\xFD"}})) ==
        "tr/a.mo: message 2: its translation is not UTF-8, the charset of the catalogue");
  CHECK(error_of(mo_file({mo_header("US-ASCII"), {"\xFD", "b"}})) ==
        "tr/a.mo: message 2: its original is not US-ASCII, the charset of the catalogue");
}

TEST_CASE("bytes that are no catalogue are refused") {
  CHECK(error_of("") == "tr/a.mo: cut short: 0 bytes, and its header alone has 28");
  CHECK(error_of("PK\3\4" + std::string(30, 'x')) ==
        "tr/a.mo: no compiled gettext catalogue: it starts with 504b0304; expected de120495 or "
        "950412de");
  auto bytes = small_file();
  set_mo_word(bytes, 4, 0x20000);
  CHECK(error_of(bytes) == "tr/a.mo: revision 2 of the format; 0 and 1 are known");
}

TEST_CASE("counts and offsets that lie are refused with their message") {
  const auto good = small_file();
  const auto with = [&](std::size_t at, std::uint32_t value) {
    auto bytes = good;
    set_mo_word(bytes, at, value);
    return error_of(bytes);
  };
  CHECK(with(8, 0xFFFFFFFF) == "tr/a.mo: it claims 4294967295 messages; at most 200000 are read");
  CHECK_THAT(with(8, 1000), ContainsSubstring("its table of originals, 8000 bytes at byte 28"));
  CHECK_THAT(with(12, 0xFFFFFFFF), ContainsSubstring("table of originals, 24 bytes at byte 42949"));
  CHECK_THAT(with(16, 0xFFFFFFF8), ContainsSubstring("its table of translations"));
  CHECK_THAT(with(20, 0xFFFFFFFF), ContainsSubstring("its hash table"));
  CHECK(with(translations_of(good) + 12, 90'000) ==
        text_of("tr/a.mo: message 2: its translation lies at byte 90000 with 5 bytes, outside the "
                "file of ",
                good.size(), " bytes"));
  CHECK_THAT(with(kOriginals + 16, 0xFFFFFFFF), ContainsSubstring("message 3: its original lies"));
  CHECK_THAT(with(kOriginals + 8, 3), ContainsSubstring("does not end with a zero byte"));
}

TEST_CASE("strings that share bytes are refused, as they could unfold without bound") {
  MoStrings strings = {mo_header("UTF-8"), {"long", std::string(100, 'x')}};
  for (int i = 0; i < 100; ++i) strings.push_back({std::to_string(i), ""});
  auto bytes = mo_file(strings);
  const auto table = kOriginals + 8 * strings.size();
  const auto shared = bytes.substr(table + 8, 8);
  for (std::size_t i = 2; i < strings.size(); ++i) bytes.replace(table + 8 * i, 8, shared);
  CHECK_THAT(error_of(bytes), ContainsSubstring("its strings overlap: together they have"));
}

TEST_CASE("forms that do not fit the message are refused") {
  CHECK(error_of(mo_file({{"a", "b\0c"s}})) ==
        "tr/a.mo: message 1: its translation has 2 forms; at most 1 are expected");
  CHECK(error_of(mo_file({{"a\0b\0c"s, "d"}})) ==
        "tr/a.mo: message 1: its original has 3 forms; at most 2 are expected");
  CHECK_THAT(error_of(mo_file({{"a\0b"s, std::string(1000, '\0')}})),
             ContainsSubstring("has 1001 forms; at most 16"));
}

TEST_CASE("messages that differ between systems are counted, not read") {
  auto bytes = small_file({false, false, 1});
  set_mo_word(bytes, 36, 2);
  set_mo_word(bytes, 40, 28);
  const auto catalogue = parse(bytes);
  CHECK(catalogue.system_dependent == 2);
  CHECK(catalogue.messages.size() == 2);
  set_mo_word(bytes, 36, 0xFFFFFFFF);
  CHECK_THAT(error_of(bytes), ContainsSubstring("system-dependent originals"));
  CHECK_THAT(error_of(bytes.substr(0, 40)), ContainsSubstring("ends outside the file"));
}

TEST_CASE("a catalogue that is cut anywhere is refused, never misread") {
  for (const bool big_endian : {false, true}) {
    const auto good = small_file({big_endian, true, 0});
    for (std::size_t size = 0; size < good.size(); ++size) {
      INFO(size);
      CHECK_THROWS_AS(parse(good.substr(0, size)), UserError);
    }
  }
}

TEST_CASE("a catalogue with any byte changed is read or refused with a UserError") {
  const auto good = mo_file({mo_header("ISO-8859-9"), {"a\0b"s, "\xFD\0c"s}, {"x\4y", "z"}});
  std::size_t refused = 0;
  for (std::uint64_t trial = 0; trial < 4000; ++trial) {
    auto bytes = good;
    for (std::uint64_t k = 0; k < 1 + trial % 3; ++k) {
      const auto seed = mixed_seed(trial, k);
      const auto at = random_below(seed, static_cast<std::int64_t>(bytes.size()));
      bytes[static_cast<std::size_t>(at)] = static_cast<char>(random_below(seed + 1, 256));
    }
    try {
      parse(bytes);
    } catch (const UserError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
  CHECK(refused < 4000);
}

}  // namespace zoo
