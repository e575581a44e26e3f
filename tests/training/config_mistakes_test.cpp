// What people get wrong in a config is refused before any data are opened, in one line that names
// the place, and a slip of one letter is answered with the right name.
#include "tests/support/torch_config_mistakes.h"

#include <chrono>
#include <iostream>
#include <map>

#include "core/errors.h"
#include "core/plain_text.h"
#include "tests/support/catch.h"

namespace zoo {
namespace {

/// What a kind of mistakes came to.
struct Tally {
  std::size_t made = 0, wrong = 0, remedied = 0;
  double most_seconds = 0;
  std::string first_wrong, first_without;
};

std::string message_of_config(const nlohmann::json& document) {
  RawConfig raw;
  raw.document = document;
  raw.file = "config.json";
  try {
    (void)resolve_config(raw);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "(accepted)";
}

bool is_well_said(const std::string& message, const std::string& place) {
  constexpr std::size_t kLongest = 2'000;
  return message.starts_with("config.json: ") && message.find(place) != std::string::npos &&
         is_plain_text(message) && message.size() <= kLongest &&
         message.find("no-such-file") == std::string::npos;
}

void judge(const ShippedConfig& config, const ConfigMistake& mistake, Tally& tally) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::string message;
  try {
    message = message_of_config(mistake.document);
  } catch (const std::exception& error) {
    message = std::string("no ConfigError: ") + error.what();
  }
  const std::chrono::duration<double> seconds = Clock::now() - start;
  tally.most_seconds = std::max(tally.most_seconds, seconds.count());
  ++tally.made;
  const auto shown = config.file + ", " + mistake.kind + " " + mistake.place + ": " + message;
  if (!is_well_said(message, mistake.place)) {
    if (++tally.wrong == 1) tally.first_wrong = shown;
  }
  if (message.find(mistake.remedy) != std::string::npos) {
    ++tally.remedied;
  } else if (tally.first_without.empty()) {
    tally.first_without = shown + " (without: " + mistake.remedy + ")";
  }
}

using Make = void (*)(const ShippedConfig&, const TakeMistake&);

Tally tally_of(Make make, const std::vector<ShippedConfig>& configs) {
  Tally tally;
  for (const auto& config : configs) {
    make(config, [&](const ConfigMistake& mistake) { judge(config, mistake, tally); });
  }
  return tally;
}

/// `what`: the message holds of all but few mistakes.
void check(const char* kind, const char* what, const Tally& tally, double least_share) {
  const auto share = static_cast<double>(tally.remedied) / static_cast<double>(tally.made);
  std::cout << kind << ": " << tally.made << " mistakes, " << 100 * share << " % answered with "
            << what << ", the slowest in " << 1000 * tally.most_seconds << " ms\n";
  if (!tally.first_without.empty()) std::cout << "  without it: " << tally.first_without << "\n";
  INFO(kind << ": " << tally.wrong << " wrong, the first: " << tally.first_wrong);
  INFO("first without " << what << ": " << tally.first_without);
  CHECK(tally.made > 0);
  CHECK(tally.wrong == 0);
  CHECK(share >= least_share);
  CHECK(tally.most_seconds < 1.0);
}

/// One config of each architecture and kind of data.
std::vector<ShippedConfig> one_of_each() {
  std::map<std::string, ShippedConfig> by_kind;
  for (auto& config : shipped_configs()) {
    const auto kind =
        config.document.at("architecture").get<std::string>() + config.document.value("task", "");
    by_kind.emplace(kind, std::move(config));
  }
  std::vector<ShippedConfig> configs;
  for (auto& [kind, config] : by_kind) configs.push_back(std::move(config));
  return configs;
}

TEST_CASE("the configs that mistakes are made of are whole, and none finds its data") {
  const auto configs = shipped_configs();
  CHECK(configs.size() >= 40);
  for (const auto& config : configs) {
    INFO(config.file);
    CHECK(message_of_config(config.document) == "(accepted)");
  }
}

TEST_CASE("a key of a config with one letter wrong is answered with the right key") {
  check("misspelt keys", "the right key first", tally_of(misspell_keys, shipped_configs()), 0.95);
}

TEST_CASE("any option with one letter wrong is answered with the right one") {
  check("misspelt options", "the right option first", tally_of(misspell_options, one_of_each()),
        0.95);
}

TEST_CASE("an option in another section is answered with the section where it belongs") {
  check("misplaced options", "the section where it belongs",
        tally_of(misplace_options, one_of_each()), 1.0);
}

TEST_CASE("a value of another type is refused by its key") {
  check("wrong types", "the key", tally_of(mistype_values, one_of_each()), 1.0);
}

TEST_CASE("a value out of its range is refused by its key, with the range") {
  check("out of range", "the key and the range", tally_of(leave_ranges, one_of_each()), 1.0);
}

TEST_CASE("values that do not go together are refused by the key of one of them") {
  check("impossible pairs", "the key", tally_of(combine_wrongly, shipped_configs()), 1.0);
}

}  // namespace
}  // namespace zoo
