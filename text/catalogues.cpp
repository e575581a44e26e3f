#include "text/catalogues.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>

#include <utf8proc.h>

#include "core/errors.h"
#include "core/files.h"
#include "core/sha256.h"
#include "text/message_catalogue.h"
#include "text/placeholders.h"
#include "text/utf8.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestLanguage = 32;

/// What the filters did to all catalogues together.
struct FilterCounts {
  std::int64_t untranslated = 0, system_dependent = 0;  // messages left out
  std::int64_t controls = 0, placeholders = 0;          // pairs left out
  std::int64_t identical = 0;                           // pairs that were kept
};

/// The language becomes part of a path.
void check_language(const std::string& language) {
  const auto is_letter = [](unsigned char c) { return c < 0x80 && std::isalpha(c) != 0; };
  const bool holds =
      language.size() <= kLongestLanguage && is_letter(static_cast<unsigned char>(language[0])) &&
      std::all_of(language.begin(), language.end(), [&](unsigned char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '@' || c == '-';
      });
  require<UserError>(holds, "data.catalogues: \"", language,
                     "\" is no language; expected a name such as tr, pt_BR or sr@latin");
}

/// The .mo files in a folder by name, each file once whatever links lead to it.
std::vector<fs::path> catalogues_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const auto& path = entry->path();
    if (path.extension() == ".mo" && fs::is_regular_file(path, ignored)) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  std::set<fs::path> seen;
  std::erase_if(paths, [&](const fs::path& path) {
    std::error_code failed;
    const auto real = fs::canonical(path, failed);
    return !seen.insert(failed ? path : real).second;
  });
  return paths;
}

std::vector<fs::path> find_catalogues(const DataOptions& options) {
  const auto folder_of = [&](const std::string& language) {
    return fs::path(options.catalogue_folder) / language / "LC_MESSAGES";
  };
  const auto folder = folder_of(options.catalogues);
  auto paths = catalogues_in(folder);
  if (paths.empty()) paths = catalogues_in(options.catalogue_folder);
  if (!paths.empty()) return paths;
  const auto general = options.catalogues.substr(0, options.catalogues.find('_'));
  require<UserError>(general == options.catalogues || catalogues_in(folder_of(general)).empty(),
                     folder.string(), ": no .mo file there; data.catalogues \"", general,
                     "\" has some");
  throw UserError(text_of(
      folder.string(),
      ": no .mo file there; on Debian and Ubuntu `apt-get install iso-codes gettext git` brings "
      "catalogues (on Ubuntu language-pack-",
      general,
      " puts them into /usr/share/locale-langpack: set data.catalogue_folder); stripped container "
      "images have none, and where /etc/dpkg/dpkg.cfg.d has a path-exclude of them, apt-get brings "
      "none"));
}

bool has_control(const std::string& text) {
  const auto code_points = decode_utf8(text, "a message");
  return std::any_of(code_points.begin(), code_points.end(), [](char32_t code_point) {
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
    return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL ||
           category == UTF8PROC_CATEGORY_ZP;
  });
}

bool passes(const std::string& source, const std::string& target, Placeholders rule) {
  if (rule == Placeholders::kKeep) return true;
  const auto wanted = placeholders_of(source), got = placeholders_of(target);
  return rule == Placeholders::kMatching ? wanted == got : wanted.empty() && got.empty();
}

/// Takes the pairs of one message that pass the filters.
void take_pairs(const CatalogueMessage& message, std::int32_t file, Placeholders rule,
                std::vector<TextPair>& pairs, FilterCounts& counts) {
  const auto& forms = message.translations;
  if (message.singular.empty() || forms.front().empty()) {
    ++counts.untranslated;
    return;
  }
  const auto take = [&](const std::string& source, const std::string& target) {
    if (source.empty() || target.empty()) return;
    if (has_control(source) || has_control(target)) {
      ++counts.controls;
    } else if (!passes(source, target, rule)) {
      ++counts.placeholders;
    } else {
      pairs.push_back({source, target, file, message.number});
      counts.identical += source == target ? 1 : 0;
    }
  };
  take(message.singular, forms.front());
  take(message.plural, forms.size() > 1 ? forms[1] : forms.front());
}

/// The bytes of a catalogue, of which data.files gets the hash.
std::string read_catalogue(const fs::path& path, PairData& data) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  require<UserError>(error || size <= kLargestCatalogue, path.string(), ": ", size,
                     " bytes; a catalogue of at most ", kLargestCatalogue, " is read");
  auto bytes = read_file(path);
  data.files.push_back(
      {"catalogues", path.string(), sha256(bytes), static_cast<std::int64_t>(bytes.size())});
  return bytes;
}

void note_filters(const FilterCounts& counts, Placeholders rule, std::vector<std::string>& notes) {
  const auto note = [&](std::int64_t count, const char* what) {
    if (count > 0) notes.push_back(text_of("catalogues: ", count, what));
  };
  note(counts.untranslated, " messages without a translation were skipped.");
  note(counts.system_dependent, " messages that differ between systems were skipped.");
  note(counts.controls, " pairs with line breaks or other control characters were left out.");
  note(counts.placeholders, rule == Placeholders::kDrop
                                ? " pairs with placeholders were left out."
                                : " pairs whose placeholders differ were left out.");
  note(counts.identical, " pairs have a target equal to their source (names, mostly); they stay.");
}

}  // namespace

std::vector<TextPair> read_catalogues(const DataOptions& options, PairData& data) {
  check_language(options.catalogues);
  std::vector<TextPair> pairs;
  FilterCounts counts;
  std::size_t messages = 0;
  const auto paths = find_catalogues(options);
  for (const auto& path : paths) {
    const auto file = static_cast<std::int32_t>(data.files.size());
    const auto catalogue = parse_message_catalogue(read_catalogue(path, data), path.string());
    messages += catalogue.messages.size();
    counts.system_dependent += catalogue.system_dependent;
    for (const auto& message : catalogue.messages) {
      take_pairs(message, file, options.placeholders, pairs, counts);
    }
  }
  data.notes.push_back(text_of("catalogues: ", messages, " messages in ", paths.size(),
                               " files of ", paths.front().parent_path().string(), "."));
  note_filters(counts, options.placeholders, data.notes);
  return pairs;
}

}  // namespace zoo
