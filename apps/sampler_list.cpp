#include "apps/sampler_list.h"

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/errors.h"

namespace zoo {
namespace {

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text + separator);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// "top-k=5+temperature=0.8" over `base`.
SamplingOptions sampling_of(const std::string& text, const SamplingOptions& base) {
  auto values = write_options(base);
  for (const auto& part : parts_of(text, '+')) {
    auto key = part.substr(0, part.find('='));
    std::replace(key.begin(), key.end(), '-', '_');
    const auto value =
        part.find('=') == std::string::npos ? std::string("true") : part.substr(key.size() + 1);
    values[key] = nlohmann::json::parse(value, nullptr, /*allow_exceptions=*/false);
    require<UserError>(!key.empty() && !values[key].is_discarded(), "--samplers: \"", part,
                       "\" is not greedy and not NAME=NUMBER; e.g. greedy,top-k=5,top-p=0.9");
  }
  return read_options<SamplingOptions>(values, "--samplers");
}

}  // namespace

void add_samplers_option(cxxopts::Options& options) {
  options.add_options()("samplers",
                        "Ways of drawing, side by side: greedy,top-k=5,top-p=0.9+temperature=0.8",
                        cxxopts::value<std::string>(), "LIST");
}

std::vector<NamedSampler> samplers_of(const cxxopts::ParseResult& arguments,
                                      const SamplingOptions& base) {
  if (arguments.count("samplers") == 0) return {{"", base}};
  std::vector<NamedSampler> samplers;
  for (const auto& text : parts_of(arguments["samplers"].as<std::string>(), ',')) {
    samplers.push_back({text, sampling_of(text, base)});
  }
  return samplers;
}

}  // namespace zoo
