#include "text/pair_files.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "text/text_files.h"

namespace zoo {
namespace {

/// Takes the first line off the text, without its break.
std::string_view take_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::int64_t line_count(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n') + (text.empty() || text.back() == '\n' ? 0 : 1);
}

/// The column with that number, from 1.
std::string_view column_of(std::string_view line, std::int64_t column) {
  for (; column > 1; --column) line.remove_prefix(line.find('\t') + 1);
  return line.substr(0, line.find('\t'));
}

void require_columns(std::string_view line, const std::string& path, std::int64_t number,
                     const TableColumns& columns) {
  const auto count = 1 + std::count(line.begin(), line.end(), '\t');
  const auto require_column = [&](std::int64_t column, const char* name) {
    require<UserError>(column <= count, path, ", line ", number, ": ", count,
                       count == 1 ? " column" : " columns", "; the ", name, " is column ", column,
                       ", columns are separated by a tab");
  };
  require_column(columns.source, columns.source_name);
  require_column(columns.target, columns.target_name);
}

void require_text(std::string_view text, const std::string& path, std::int64_t number,
                  const char* name) {
  require<UserError>(!text.empty(), path, ", line ", number, ": the ", name,
                     " is empty; fill it in, or remove the line");
}

}  // namespace

TableColumns columns_of(const DataOptions& options) {
  TableColumns columns;
  if (options.format == TextFormat::kLabelled) columns = {2, 1, false, "text", "label"};
  columns.source = options.source_column.value_or(columns.source);
  columns.target = options.target_column.value_or(columns.target);
  columns.header = options.header;
  return columns;
}

PairLines read_table(std::string_view text, const std::string& path, const TableColumns& columns) {
  PairLines lines;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const auto line = take_line(text);
    if (columns.header && number == 1) continue;
    if (line.empty()) {
      ++lines.empty_lines;
      continue;
    }
    require_columns(line, path, number, columns);
    const auto source = column_of(line, columns.source);
    const auto target = column_of(line, columns.target);
    require_text(source, path, number, columns.source_name);
    require_text(target, path, number, columns.target_name);
    lines.pairs.push_back({std::string(source), std::string(target), 0, number});
  }
  return lines;
}

PairLines read_parallel(std::string_view sources, const std::string& source_path,
                        std::string_view targets, const std::string& target_path,
                        const TableColumns& columns) {
  const auto source_count = line_count(sources), target_count = line_count(targets);
  require<UserError>(source_count == target_count, source_path, ": ", source_count, " lines, ",
                     target_path, ": ", target_count,
                     " lines; parallel files need the same number, a pair a line");
  PairLines lines;
  for (std::int64_t number = 1; number <= source_count; ++number) {
    const auto source = take_line(sources), target = take_line(targets);
    if (source.empty() && target.empty()) {
      ++lines.empty_lines;
      continue;
    }
    require_text(source, source_path, number, columns.source_name);
    require_text(target, target_path, number, columns.target_name);
    lines.pairs.push_back({std::string(source), std::string(target), 0, number});
  }
  return lines;
}

std::vector<TextPair> read_pair_files(const std::string& option, const std::string& path,
                                      const std::string& target_path, const DataOptions& options,
                                      PairData& data) {
  const auto file = static_cast<std::int32_t>(data.files.size());
  const auto columns = columns_of(options);
  const auto sources = read_text_file(option, path, data.notes);
  data.files.push_back(sources.source);
  PairLines lines;
  if (target_path.empty()) {
    lines = read_table(sources.text, path, columns);
  } else {
    const auto target_option = option.substr(0, option.rfind("path")) + "target_path";
    const auto targets = read_text_file(target_option, target_path, data.notes);
    data.files.push_back(targets.source);
    lines = read_parallel(sources.text, path, targets.text, target_path, columns);
  }
  if (lines.empty_lines > 0) {
    data.notes.push_back(text_of(path, ": ", lines.empty_lines, " empty lines were skipped."));
  }
  require<UserError>(!lines.pairs.empty(), path, ": the file has no line that holds a ",
                     columns.source_name, " and a ", columns.target_name);
  for (auto& pair : lines.pairs) pair.file = file;
  return std::move(lines.pairs);
}

}  // namespace zoo
