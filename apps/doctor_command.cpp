#include <iostream>

#include <torch/types.h>
#include <nlohmann/json.hpp>

#include "analysis/advice.h"
#include "analysis/examination.h"
#include "apps/command.h"
#include "apps/config_argument.h"
#include "apps/table.h"
#include "core/names.h"
#include "training/experiment.h"
#include "training/initialization.h"

namespace zoo {
namespace {

/// What the doctor looks at, with the tokenizers of the run that it starts from, if any.
Examination examined(ConfigArgument& given) {
  auto& config = given.located;
  auto& start = config.training.initialize_from;
  if (start.empty()) return examine(config, {});
  start = located("training", "initialize_from", start, given.raw).string();
  const auto from = open_initialization(start, given.raw, config);
  return examine(config, from.vocabulary.tokenizers);
}

/// "250 ms", "40 s", "3.1 min", "2.5 h"
std::string duration_text(double seconds) {
  if (seconds < 1.0) return fixed_digits(1e3 * seconds, 0) + " ms";
  if (seconds < 10.0) return fixed_digits(seconds, 1) + " s";
  if (seconds < 120.0) return fixed_digits(seconds, 0) + " s";
  if (seconds < 7200.0) return fixed_digits(seconds / 60.0, 1) + " min";
  return fixed_digits(seconds / 3600.0, 1) + " h";
}

std::string data_text(const Examination& found) {
  const bool running =
      !found.config.reads_images() && found.config.data.format == TextFormat::kText;
  std::vector<std::string> parts;
  for (const auto& split : found.splits) {
    parts.push_back(split.name + " " + with_commas(running ? split.tokens : split.examples));
  }
  return join(parts, ", ") + (running ? " tokens" : " " + found.unit);
}

std::string longest_text(const Examination& found) {
  const auto taken = with_commas(found.longest) + " tokens";
  if (found.block_size == 0) return taken + ", of any number";
  return taken + " of a block of " + with_commas(found.block_size) +
         (found.refusal.empty() ? "" : ", where longer ones are cut");
}

std::string memory_text(const MemoryNeed& memory) {
  auto text = bytes_text(memory.in_all()) + ", of which model, optimizer and a step " +
              bytes_text(memory.training);
  if (memory.available > 0) text += "; " + bytes_text(memory.available) + " are there";
  return text;
}

void print_facts(const Examination& found) {
  const auto line = [](const std::string& name, const std::string& text) {
    std::cout << fitted({"  " + name + std::string(12 - name.size(), ' '), std::string(14, ' ')},
                        text)
              << "\n";
  };
  const auto& training = found.config.training;
  line("data", data_text(found));
  if (found.rows_are_examples) line("longest", longest_text(found));
  if (found.tokens.vocab_size > 0) {
    line("vocabulary", with_commas(found.tokens.vocab_size) + ", of which train uses " +
                           with_commas(found.tokens.used));
  }
  if (!found.classes.empty()) {
    line("classes", with_commas(static_cast<std::int64_t>(found.classes.size())));
  }
  if (found.order) return line("training", "counts in one pass, without steps");
  line("parameters", with_commas(found.parameters));
  line("training", with_commas(found.steps) + " steps of " +
                       with_commas(training.batch_size * training.accumulate) + " rows, " +
                       fixed_digits(found.passes(), 1) + " passes over train");
  line("memory", memory_text(found.memory));
  if (!found.trial) return line("time", "not tried out: the memory would not do");
  line("step", fixed_digits(found.trial->step_milliseconds, 2) + " ms, the mean of " +
                   with_commas(found.trial->steps));
  line("evaluation", duration_text(found.trial->evaluation_seconds) + ", " +
                         with_commas(found.evaluations()) + " times");
  line("in all", "about " + duration_text(found.seconds()) + " here, samples and saving apart");
}

void print_advice(const std::vector<Advice>& all) {
  std::cout << "\nWhat I would change\n\n";
  if (all.empty()) std::cout << "  nothing\n";
  for (const auto& advice : all) print_wrapped(std::cout, "- " + advice.sentence);
}

nlohmann::json split_json(const ExaminedSplit& split) {
  nlohmann::json json = {{"examples", split.examples},
                         {"tokens", split.tokens},
                         {"repeated", split.repeated},
                         {"in_train", split.in_train},
                         {"not_in_train", split.unseen_characters}};
  if (split.near_train) json["near_train"] = *split.near_train;
  if (!split.class_counts.empty()) json["classes"] = split.class_counts;
  return json;
}

nlohmann::json trial_json(const Examination& found) {
  return {{"steps", found.trial->steps},
          {"step_ms", found.trial->step_milliseconds},
          {"evaluation_seconds", found.trial->evaluation_seconds},
          {"evaluations", found.evaluations()},
          {"finite", found.trial->finite},
          {"minutes", found.seconds() / 60.0}};
}

nlohmann::json to_json(const Examination& found) {
  nlohmann::json json = {{"architecture", found.config.general.architecture},
                         {"task", name_of(found.config.general.task)},
                         {"device", found.device},
                         {"unit", found.unit},
                         {"classes", found.classes}};
  for (const auto& split : found.splits) json["splits"][split.name] = split_json(split);
  if (found.rows_are_examples) {
    json["longest"] = found.longest;
    json["left_out"] = found.left_out;
  }
  if (!found.config.reads_images()) {
    json["block_size"] = found.block_size;
    json["vocabulary"] = {{"size", found.tokens.vocab_size},
                          {"used", found.tokens.used},
                          {"rare", found.tokens.rare}};
  }
  if (found.order) {
    json["order"] = *found.order;
    return json;
  }
  json["parameters"] = found.parameters;
  json["steps"] = found.steps;
  json["passes"] = found.passes();
  json["memory"] = {{"training_bytes", found.memory.training},
                    {"process_bytes", found.memory.process},
                    {"available_bytes", found.memory.available}};
  if (found.trial) json["trial"] = trial_json(found);
  return json;
}

int run(const cxxopts::ParseResult& arguments) {
  auto given = config_argument(arguments);
  const auto found = examined(given);
  const auto advice = advice_for(found);
  if (arguments.count("json") > 0) {
    auto json = to_json(found);
    json["advice"] = nlohmann::json::array();
    for (const auto& one : advice) {
      json["advice"].push_back({{"id", one.id}, {"sentence", one.sentence}});
    }
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return kDone;
  }
  std::cout << positional(arguments, "config") << ": " << found.config.general.architecture
            << " for " << name_of(found.config.general.task) << " on " << found.device << "\n\n";
  print_facts(found);
  print_advice(advice);
  return kDone;
}

}  // namespace

Command doctor_command() {
  return {"doctor",
          "CONFIG",
          "Checks a config against its data and this machine, foretells memory and minutes from a "
          "trial of two seconds, and says in plain words what it would change",
          "zoo doctor configs/names/gpt.json",
          [](cxxopts::Options& options) {
            add_config_argument(options);
            add_json_option(options);
            options.parse_positional({"config"});
          },
          run};
}

}  // namespace zoo
