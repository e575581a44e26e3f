#include "apps/text_arguments.h"

#include <iostream>

#include "core/errors.h"

namespace zoo {
namespace {

/// Texts that are worked on together: enough to fill batches, few enough to answer soon.
constexpr std::size_t kTextsAtOnce = 4096;

}  // namespace

void add_text_arguments(cxxopts::Options& options, const char* what) {
  options.add_options()("text", what, cxxopts::value<std::vector<std::string>>());
  options.parse_positional({"run", "text"});
}

bool texts_are_given(const cxxopts::ParseResult& arguments) { return arguments.count("text") > 0; }

void for_texts(const cxxopts::ParseResult& arguments,
               const std::function<void(const std::vector<std::string>&)>& use) {
  if (texts_are_given(arguments)) {
    use(arguments["text"].as<std::vector<std::string>>());
    return;
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
    if (lines.size() < kTextsAtOnce) continue;
    use(lines);
    lines.clear();
  }
  if (!lines.empty()) use(lines);
}

std::int64_t at_least_one(const cxxopts::ParseResult& arguments, const char* name) {
  const auto value = arguments[name].as<std::int64_t>();
  require<UserError>(value >= 1, "--", name, ": got ", value, "; at least 1");
  return value;
}

}  // namespace zoo
