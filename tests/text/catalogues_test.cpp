#include "text/catalogues.h"

#include <filesystem>

#include "core/errors.h"
#include "core/files.h"
#include "core/sha256.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/mo_file.h"
#include "tests/support/temporary_folder.h"
#include "text/message_catalogue.h"

namespace zoo {
namespace {

using std::string_literals::operator""s;

/// A folder of catalogues, and the options that read it.
struct Catalogues {
  TemporaryFolder folder;
  DataOptions options;
  PairData data;

  Catalogues() {
    options.catalogues = "tr";
    options.catalogue_folder = folder.path().string();
    make_folders(languages("tr"));
  }

  std::filesystem::path languages(const std::string& language) const {
    return folder / language / "LC_MESSAGES";
  }

  std::string add(const std::string& name, MoStrings strings, const std::string& language = "tr") {
    strings.insert(strings.begin(), mo_header("UTF-8"));
    const auto path = languages(language) / name;
    replace_file(path, mo_file(strings));
    return path.string();
  }

  /// "source>target" for each pair.
  std::vector<std::string> read() {
    data = {};
    std::vector<std::string> shown;
    for (const auto& pair : read_catalogues(options, data)) {
      shown.push_back(pair.source + ">" + pair.target);
    }
    return shown;
  }

  std::string error() {
    return message_of<UserError>([&] { read(); });
  }

  std::string notes() const { return join(data.notes, "\n"); }
};

using Shown = std::vector<std::string>;

}  // namespace

TEST_CASE("the catalogues of a language are read by name and recorded with their hashes") {
  Catalogues catalogues;
  const auto second = catalogues.add("b.mo", {{"two", "iki"}});
  const auto first = catalogues.add("a.mo", {{"one", "bir"}});
  replace_file(catalogues.languages("tr") / "notes.txt", "no catalogue");
  CHECK(catalogues.read() == Shown{"one>bir", "two>iki"});
  REQUIRE(catalogues.data.files.size() == 2);
  CHECK(catalogues.data.files[0].path == first);
  CHECK(catalogues.data.files[0].option == "catalogues");
  CHECK(catalogues.data.files[1].sha256 == sha256(read_file(second)));
  CHECK(catalogues.data.files[1].bytes == static_cast<std::int64_t>(read_file(second).size()));
  CHECK_THAT(catalogues.notes(), ContainsSubstring("catalogues: 2 messages in 2 files of "));
}

TEST_CASE("a folder may hold the catalogues itself, and a linked catalogue is read once") {
  Catalogues catalogues;
  catalogues.add("a.mo", {{"one", "bir"}});
  std::filesystem::create_symlink("a.mo", catalogues.languages("tr") / "b.mo");
  std::filesystem::create_symlink("missing", catalogues.languages("tr") / "c.mo");
  CHECK(catalogues.read() == Shown{"one>bir"});
  catalogues.options.catalogue_folder = catalogues.languages("tr").string();
  CHECK(catalogues.read() == Shown{"one>bir"});
}

TEST_CASE("a plural message gives two pairs, also where the language has one form") {
  Catalogues catalogues;
  catalogues.add("a.mo", {{"%d file\0%d files"s, "%d dosya\0%d dosyalar"s},
                          {"%d line\0%d lines"s, "%d satır"},
                          {"%d word\0%d words"s, "%d kelime\0"s}});
  CHECK(catalogues.read() == Shown{"%d file>%d dosya", "%d files>%d dosyalar", "%d line>%d satır",
                                   "%d lines>%d satır", "%d word>%d kelime"});
}

TEST_CASE("of more than two plural forms the second stands for the plural") {
  Catalogues catalogues;
  catalogues.add("a.mo", {{"a file\0files"s, "plik\0pliki\0plików"s}});
  CHECK(catalogues.read() == Shown{"a file>plik", "files>pliki"});
}

TEST_CASE("messages that are untranslated or hold control characters are left out and counted") {
  Catalogues catalogues;
  catalogues.add("a.mo", {{"one", ""},
                          {"a\nb", "c"},
                          {"d", "e\n"},
                          {"f\tg", "h"},
                          {"i", "\xE2\x80\xA8j"},
                          {"Kiswahili", "Kiswahili"}});
  CHECK(catalogues.read() == Shown{"Kiswahili>Kiswahili"});
  CHECK_THAT(catalogues.notes(),
             ContainsSubstring("catalogues: 1 messages without a translation were skipped."));
  CHECK_THAT(catalogues.notes(),
             ContainsSubstring("4 pairs with line breaks or other control characters"));
  CHECK_THAT(catalogues.notes(), ContainsSubstring("1 pairs have a target equal to their source"));
}

TEST_CASE("messages with placeholders are kept, compared or dropped as asked") {
  Catalogues catalogues;
  catalogues.add("a.mo", {{"%s of %d", "%2$d %1$s"}, {"one {x}", "bir"}, {"two", "iki"}});
  CHECK(catalogues.read() == Shown{"%s of %d>%2$d %1$s", "two>iki"});
  CHECK_THAT(catalogues.notes(), ContainsSubstring("1 pairs whose placeholders differ"));
  catalogues.options.placeholders = Placeholders::kDrop;
  CHECK(catalogues.read() == Shown{"two>iki"});
  CHECK_THAT(catalogues.notes(), ContainsSubstring("2 pairs with placeholders were left out"));
  catalogues.options.placeholders = Placeholders::kKeep;
  CHECK(catalogues.read().size() == 3);
}

TEST_CASE("a language without catalogues is told what to install") {
  Catalogues catalogues;
  const auto error = catalogues.error();
  CHECK_THAT(error, ContainsSubstring("tr/LC_MESSAGES: no .mo file there"));
  CHECK_THAT(error, ContainsSubstring("`apt-get install iso-codes gettext git`"));
  CHECK_THAT(error, ContainsSubstring("language-pack-tr"));
  catalogues.add("a.mo", {{"one", "bir"}});
  catalogues.options.catalogues = "tr_TR";
  CHECK_THAT(catalogues.error(), ContainsSubstring("data.catalogues \"tr\" has some"));
}

TEST_CASE("a language that is no name never becomes part of a path") {
  Catalogues catalogues;
  for (const auto* language :
       {"../tr", "tr/LC", "/tr", ".", "tr.UTF-8", "1tr", "-tr", "t r", "ışık"}) {
    INFO(language);
    catalogues.options.catalogues = language;
    CHECK_THAT(catalogues.error(), ContainsSubstring("is no language; expected a name such as tr"));
  }
  for (const std::string language : {"pt_BR", "sr@latin"}) {
    make_folders(catalogues.languages(language));
    catalogues.add("a.mo", {{"one", "um"}}, language);
    catalogues.options.catalogues = language;
    CHECK(catalogues.read() == Shown{"one>um"});
  }
}

TEST_CASE("one damaged catalogue among good ones stops the reading and is named") {
  Catalogues catalogues;
  catalogues.add("a.mo", {{"one", "bir"}});
  const auto path = (catalogues.languages("tr") / "b.mo").string();
  replace_file(path, "damaged");
  CHECK_THAT(catalogues.error(), ContainsSubstring(path + ": cut short"));
  std::filesystem::resize_file(path, kLargestCatalogue + 1);
  CHECK_THAT(catalogues.error(), ContainsSubstring(path + ": 67108865 bytes; a catalogue of at"));
}

}  // namespace zoo
