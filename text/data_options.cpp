#include "text/data_options.h"

#include <filesystem>

#include "core/errors.h"

namespace zoo {
namespace {

/// Exactly one of path, train_path, catalogues and synthetic says where the data is.
void check_origin(const DataOptions& options, const std::string& at) {
  std::vector<std::string> given;
  const auto note = [&](const char* name, bool there) {
    if (there) given.push_back(at + "." + name);
  };
  note("path", !options.path.empty());
  note("train_path", !options.train_path.empty());
  note("catalogues", !options.catalogues.empty());
  note("synthetic", options.synthetic.has_value());
  require<ConfigError>(!given.empty(), at, ".path: missing; set ", at,
                       ".path (one file, which is split), ", at, ".train_path, ", at,
                       ".catalogues or ", at, ".synthetic");
  require<ConfigError>(given.size() == 1, given.front(), ": ", join(given, " and "),
                       " are both set; the data comes from one of them, or is already split");
  const bool other_splits = !(options.val_path + options.test_path).empty();
  require<ConfigError>(!other_splits || !options.train_path.empty(), at, ".",
                       options.val_path.empty() ? "test_path" : "val_path", ": goes with ", at,
                       ".train_path; one file that is split, or files already split, not both");
}

/// Options that belong to one kind of data are refused where they would have no effect.
void check_pairs(const DataOptions& options, const std::string& at) {
  const bool pairs = options.format == TextFormat::kPairs;
  const auto needs_pairs = [&](const char* name, bool set) {
    require<ConfigError>(!set || pairs, at, ".", name, ": needs format pairs, format is ",
                         name_of(options.format));
  };
  needs_pairs("catalogues", !options.catalogues.empty());
  needs_pairs("synthetic", options.synthetic.has_value());
  const std::pair<const char*, std::pair<const std::string*, const std::string*>> targets[] = {
      {"target_path", {&options.target_path, &options.path}},
      {"train_target_path", {&options.train_target_path, &options.train_path}},
      {"val_target_path", {&options.val_target_path, &options.val_path}},
      {"test_target_path", {&options.test_target_path, &options.test_path}}};
  for (const auto& [name, paths] : targets) {
    needs_pairs(name, !paths.first->empty());
    require<ConfigError>(paths.first->empty() || !paths.second->empty(), at, ".", name,
                         ": there is no file of sources that it goes with");
  }
  const bool columns = options.source_column || options.target_column || options.header;
  const bool parallel = !(options.target_path + options.train_target_path).empty();
  require<ConfigError>(!columns || !parallel, at,
                       ".source_column, target_column and header: two parallel files have no "
                       "columns; remove them or ",
                       at, ".target_path");
  require<ConfigError>(!options.source_column || options.source_column != options.target_column, at,
                       ".source_column: ", options.source_column.value_or(0),
                       " is also the target's column; choose two");
  if (options.train_target_path.empty()) return;
  for (const auto& [name, paths] : targets) {
    require<ConfigError>(paths.second->empty() || !paths.first->empty(), at, ".", name,
                         ": missing; the training pairs are in two parallel files, so the others "
                         "must be");
  }
}

}  // namespace

std::vector<std::pair<const char*, std::string*>> DataOptions::paths() {
  return {{"path", &path},
          {"train_path", &train_path},
          {"val_path", &val_path},
          {"test_path", &test_path},
          {"target_path", &target_path},
          {"train_target_path", &train_target_path},
          {"val_target_path", &val_target_path},
          {"test_target_path", &test_target_path}};
}

std::string DataOptions::name() const {
  if (synthetic) return name_of(*synthetic);
  if (!catalogues.empty()) return "gettext-" + catalogues;
  return std::filesystem::path(path.empty() ? train_path : path).stem().string();
}

void DataOptions::validate(const std::string& at) const {
  check_origin(*this, at);
  check_pairs(*this, at);
  require<ConfigError>(val_fraction + test_fraction < 1, at, ".val_fraction: ", val_fraction,
                       " and test_fraction ", test_fraction, " leave nothing for train; their sum ",
                       "must be below 1");
  require<ConfigError>(format != TextFormat::kText || view != TextView::kLines, at,
                       ".view: lines needs format lines; running text has windows or prefixes");
  require<ConfigError>(format == TextFormat::kText || view != TextView::kWindows, at,
                       ".view: windows needs format text; lines have lines or prefixes");
  require<ConfigError>(format == TextFormat::kText || !token_file, at,
                       ".token_file: needs format text, format is ", name_of(format));
  require<ConfigError>(min_length <= max_length, at, ".min_length: ", min_length,
                       " is more than max_length ", max_length);
}

}  // namespace zoo
