#include "core/json_file.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/json_walk.h"
#include "core/plain_text.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

/// "line 3, column 7" of a byte offset.
std::string place_of(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto last_break = before.rfind('\n');
  const auto column = before.size() - (last_break == std::string_view::npos ? 0 : last_break + 1);
  return text_of("line ", line, ", column ", std::max<std::size_t>(column, 1));
}

/// nlohmann's message without its tag "[json.exception.parse_error.101] parse error at line ...: "
/// or "[json.exception.out_of_range.406] ". It quotes what was read, whatever that is.
std::string cause_of(const std::string& message) {
  constexpr std::size_t kLongest = 200;
  for (const auto* end : {": ", "] "}) {
    const auto at = message.find(end);
    if (at != std::string::npos) {
      return shown_text(std::string_view(message).substr(at + 2), kLongest);
    }
  }
  return shown_text(message, kLongest);
}

/// Walks over a document without keeping it, and throws UserError for the first thing wrong. (The
/// library's callbacks would do, but their parser takes quadratic time for objects in an object.)
class Checker : public JsonWalk {
 public:
  Checker(std::string_view text, const std::string& source, const JsonLimits& limits)
      : text_(text), source_(source), limits_(limits) {}

  bool key(std::string& name) override {
    require<UserError>(keys_.back().insert(name).second, source_, ": the key ", shown_json(name),
                       " stands twice in one object; keep one");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const Json::exception& error) override {
    constexpr int kNumberOverflow = 406;  // it comes without its place
    const auto place = error.id == kNumberOverflow ? "" : " at " + place_of(text_, position);
    throw UserError(text_of(source_, ": not JSON", place, ": ", cause_of(error.what())));
  }

 private:
  bool enter() override {
    require<UserError>(keys_.size() < limits_.levels, source_, ": nested deeper than ",
                       limits_.levels, " levels");
    keys_.emplace_back();
    return count();
  }

  bool leave() override {
    keys_.pop_back();
    return true;
  }

  bool count() override {
    require<UserError>(++values_ <= limits_.values, source_, ": more than ", limits_.values,
                       " values; smaller JSON is read");
    return true;
  }

  std::string_view text_;
  const std::string& source_;
  const JsonLimits& limits_;
  std::vector<std::set<std::string>> keys_;  // of the objects around, none of an array
  std::size_t values_ = 0;
};

bool separates_tokens(char c) {
  return c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',';
}

void require_size(std::uintmax_t bytes, const JsonLimits& limits, const std::string& source) {
  require<UserError>(bytes <= limits.bytes, source, ": ", bytes, " bytes; JSON of at most ",
                     limits.bytes, " is read");
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& source,
                          const JsonLimits& limits) {
  require_size(text.size(), limits, source);
  require_short_tokens(text, source);
  Checker checker(text, source, limits);
  Json::sax_parse(text, &checker, Json::input_format_t::json, /*strict=*/true,
                  /*ignore_comments=*/true);
  return Json::parse(text, nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
}

nlohmann::json read_json_file(const std::filesystem::path& path) {
  std::error_code unknown;  // of what is no regular file; reading it says what is wrong
  const auto bytes = std::filesystem::file_size(path, unknown);
  if (!unknown) require_size(bytes, {}, path.string());
  return parse_json(read_file(path), path.string());
}

void require_short_tokens(std::string_view text, const std::string& source,
                          std::size_t most_bytes) {
  bool in_string = false;
  std::size_t start = 0;  // of the token
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at - start > most_bytes) {
      throw UserError(text_of(source, ": a string, number or gap of more than ", most_bytes,
                              " bytes from ", place_of(text, start + 1), " on"));
    }
    const char c = text[at];
    if (in_string && c == '\\') {
      ++at;
    } else if (c == '"') {
      in_string = !in_string;
      start = at;
    } else if (!in_string && separates_tokens(c)) {
      start = at;
    }
  }
}

}  // namespace zoo
