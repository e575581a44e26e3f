#include "core/json_file.h"

#include <algorithm>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"

namespace zoo {
namespace {

constexpr int kDeepest = 100;  // copying, comparing and writing JSON take stack for each level

/// "line 3, column 7" of a byte offset.
std::string place_of(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto last_break = before.rfind('\n');
  const auto column = before.size() - (last_break == std::string_view::npos ? 0 : last_break + 1);
  return text_of("line ", line, ", column ", std::max<std::size_t>(column, 1));
}

/// nlohmann's message without its tag "[json.exception.parse_error.101] parse error at line ...: "
/// or "[json.exception.out_of_range.406] ".
std::string cause_of(const std::string& message) {
  for (const auto* end : {": ", "] "}) {
    const auto at = message.find(end);
    if (at != std::string::npos) return message.substr(at + 2);
  }
  return message;
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& source) {
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, Event event, nlohmann::json& parsed) {
    const bool opens = event == Event::object_start || event == Event::array_start;
    require<UserError>(!opens || depth < kDeepest, source, ": nested deeper than ", kDeepest,
                       " levels");
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key) {
      const auto key = parsed.get<std::string>();
      require<UserError>(keys.back().insert(key).second, source, ": the key ", parsed.dump(),
                         " stands twice in one object; keep one");
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, check, /*allow_exceptions=*/true,
                                 /*ignore_comments=*/true);
  } catch (const nlohmann::json::parse_error& error) {
    throw UserError(text_of(source, ": not JSON at ", place_of(text, error.byte), ": ",
                            cause_of(error.what())));
  } catch (const nlohmann::json::out_of_range& error) {  // of a number, and without its place
    throw UserError(text_of(source, ": not JSON: ", cause_of(error.what())));
  }
}

nlohmann::json read_json_file(const std::filesystem::path& path) {
  return parse_json(read_file(path), path.string());
}

}  // namespace zoo
