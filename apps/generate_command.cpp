#include <iostream>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/generated.h"
#include "apps/generation_options.h"
#include "apps/run_options.h"
#include "apps/sampler_list.h"
#include "apps/streamed_text.h"
#include "apps/table.h"
#include "apps/text_arguments.h"
#include "core/errors.h"
#include "text/longest_training_substring.h"

namespace zoo {
namespace {

/// What was asked for.
struct Request {
  std::string prompt;
  std::int64_t count = 0;
  GenerationOptions options;
  std::vector<NamedSampler> samplers;
  bool shows_tokens = false;
  bool shows_longest = false;
};

/// The texts of one run, drawn in one way.
struct Drawn {
  std::string sampler;
  std::vector<GeneratedText> texts;
  std::vector<std::vector<DrawnToken>> tokens;  ///< of each text, where they are shown
  std::vector<TrainingSubstring> longest;       ///< the same

  bool has_details() const { return !tokens.empty() || !longest.empty(); }
};

/// What a run's training data says of texts; null where it is not there, or not asked.
struct TrainingTexts {
  std::unique_ptr<const TrainingTextIndex> index;
  std::unique_ptr<const LongestTrainingSubstring> longest;
};

TrainingTexts training_texts(const Run& run, bool with_longest) {
  try {
    const auto text = experiment_of(run).text;
    return {index_training_text(text), with_longest ? longest_training_substring(text) : nullptr};
  } catch (const UserError& error) {
    std::cerr << "note: texts of the training data are not marked: " << error.what() << "\n";
    return {};
  }
}

void note_long_prompt(const Run& run, const std::string& prompt) {
  const auto trained = trained_model(run);
  const auto tokens =
      run.vocabulary.target().encode(prompt).size() + (run.facts.boundary_id >= 0 ? 1U : 0U);
  const auto block = static_cast<std::size_t>(trained.block_size());
  if (block == 0 || tokens <= block) return;
  std::cerr << "note: the prompt has " << tokens << " tokens, and " << run.folder.string()
            << " sees the last " << block << "; the first " << tokens - block
            << " have no part in what follows\n";
}

Drawn draw(const Run& run, const Request& request, const NamedSampler& sampler,
           const LongestTrainingSubstring* longest) {
  Drawn drawn{sampler.name, {}, {}, {}};
  auto options = request.options;
  options.sampling = sampler.sampling;
  Onlooker onlooker;
  if (request.shows_tokens) {
    drawn.tokens.resize(static_cast<std::size_t>(request.count));
    onlooker.with_entropy = true;
    onlooker.on_token = [&](const DrawnToken& token) { drawn.tokens[token.row].push_back(token); };
  }
  drawn.texts =
      generate_texts(trained_model(run), request.prompt, request.count, options, onlooker);
  if (longest != nullptr) {
    for (const auto& text : drawn.texts) drawn.longest.push_back(longest->find(text.text));
  }
  return drawn;
}

nlohmann::json json_of(const Run& run, const Drawn& drawn, const TrainingTextIndex* index) {
  auto samples = samples_json(drawn.texts, index);
  for (std::size_t i = 0; i < drawn.tokens.size(); ++i) {
    samples[i]["tokens"] = tokens_json(drawn.tokens[i], run.vocabulary.target());
  }
  for (std::size_t i = 0; i < drawn.longest.size(); ++i) {
    samples[i]["longest_training_substring"] = {{"text", drawn.longest[i].text},
                                                {"characters", drawn.longest[i].characters}};
  }
  nlohmann::json json = {{"run", run.folder.string()}, {"samples", std::move(samples)}};
  if (!drawn.sampler.empty()) json["sampler"] = drawn.sampler;
  return json;
}

void print_with_details(const Run& run, const Drawn& drawn, const TrainingTextIndex* index) {
  for (std::size_t i = 0; i < drawn.texts.size(); ++i) {
    if (i > 0) std::cout << "\n";
    print_samples({drawn.texts[i]}, index, std::cout);
    if (!drawn.longest.empty()) {
      std::cout << "    " << drawn.longest[i].characters
                << " characters in a row stand in the training data: "
                << quoted(drawn.longest[i].text) << "\n";
    }
    if (!drawn.tokens.empty()) {
      print_tokens(drawn.tokens[i], run.vocabulary.target(), std::cout);
    }
  }
}

/// A column a sampler, a row a text: for texts of one line.
void print_side_by_side(const std::vector<Drawn>& all, const TrainingTextIndex* index) {
  std::vector<std::string> headings;
  for (const auto& drawn : all) headings.push_back("<" + drawn.sampler);
  Table table(headings);
  bool marked = false;
  for (std::size_t i = 0; i < all.front().texts.size(); ++i) {
    std::vector<std::string> cells;
    for (const auto& drawn : all) {
      const auto& text = drawn.texts[i].text;
      const bool known = index != nullptr && index->contains(text);
      cells.push_back(text + (known ? " *" : ""));
      marked = marked || known;
    }
    table.add(cells);
  }
  table.print(std::cout);
  if (marked) std::cout << "\n  * stands in the training data\n";
}

void print_run(const Run& run, const std::vector<Drawn>& all, const TrainingTextIndex* index) {
  const bool lines = run.facts.boundary_id >= 0;
  if (all.size() > 1 && lines && !all.front().has_details()) {
    print_side_by_side(all, index);
    return;
  }
  for (const auto& drawn : all) {
    if (!drawn.sampler.empty()) std::cout << "---- " << drawn.sampler << "\n\n";
    if (!drawn.has_details()) {
      print_samples(drawn.texts, index, std::cout);
    } else {
      print_with_details(run, drawn, index);
    }
    if (&drawn != &all.back()) std::cout << "\n";
  }
}

/// Prints every token as soon as it is drawn, one text after the other.
void stream(const Run& run, const Request& request) {
  StreamedText text(run.vocabulary.target(), std::cout);
  const bool lines = run.facts.boundary_id >= 0;
  std::optional<std::size_t> current;
  const auto begin = [&](std::size_t row) {
    text.finish();
    if (current) std::cout << (lines ? "\n" : "\n--------\n\n");
    std::cout << (lines ? "  " : "") << request.prompt << std::flush;
    current = row;
  };
  auto options = request.options;
  options.sampling = request.samplers.front().sampling;
  const Onlooker onlooker{[&](const DrawnToken& token) {
                            if (current != token.row) begin(token.row);
                            if (token.id != run.facts.boundary_id) text.add(token.id);
                          },
                          /*one_by_one=*/true, /*with_entropy=*/false};
  generate_texts(trained_model(run), request.prompt, request.count, options, onlooker);
  text.finish();
  std::cout << "\n";
}

Request request_of(const cxxopts::ParseResult& arguments) {
  Request request;
  request.options = generation_options(arguments, GenerationOptions());
  request.options.slide = arguments.count("slide") > 0;
  request.samplers = samplers_of(arguments, request.options.sampling);
  request.count = at_least_one(arguments, "count");
  if (arguments.count("prompt") > 0) request.prompt = arguments["prompt"].as<std::string>();
  request.shows_tokens = arguments.count("show-probabilities") > 0;
  request.shows_longest = arguments.count("longest-match") > 0;
  return request;
}

std::vector<Run> open_all(const cxxopts::ParseResult& arguments) {
  std::vector<Run> runs;
  for (const auto& path : positionals(arguments, "run")) {
    runs.push_back(open_run_or_export(arguments, path));
    require_task(runs.back(), TaskType::kLanguageModel);
  }
  return runs;
}

int run(const cxxopts::ParseResult& arguments) {
  const auto request = request_of(arguments);
  const bool streams = arguments.count("stream") > 0;
  const bool as_json = arguments.count("json") > 0;
  require<UserError>(!streams || (!as_json && !request.shows_tokens && !request.shows_longest),
                     "--stream: goes with none of --json, --show-probabilities and "
                     "--longest-match; leave it out");
  const auto runs = open_all(arguments);
  require<UserError>(!streams || (runs.size() == 1 && request.samplers.size() == 1),
                     "--stream: prints one text after the other; give one RUN and one sampler");
  for (const auto& one : runs) note_long_prompt(one, request.prompt);
  if (streams) {
    stream(runs.front(), request);
    return kDone;
  }
  auto results = nlohmann::json::array();
  for (const auto& one : runs) {
    const auto training = training_texts(one, request.shows_longest);
    const auto* index = training.index.get();
    std::vector<Drawn> all;
    for (const auto& sampler : request.samplers)
      all.push_back(draw(one, request, sampler, training.longest.get()));
    if (as_json) {
      for (const auto& drawn : all) results.push_back(json_of(one, drawn, index));
      continue;
    }
    if (&one != &runs.front()) std::cout << "\n";
    if (runs.size() > 1) std::cout << one.folder.string() << "\n\n";
    print_run(one, all, index);
  }
  if (as_json) {
    const auto json = results.size() == 1 ? results[0] : nlohmann::json{{"results", results}};
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  }
  return kDone;
}

}  // namespace

Command generate_command() {
  return {"generate",
          "RUN...",
          "Writes new texts with the models of runs or exports",
          "zoo generate runs/first --prompt sa --count 20 --temperature 0.8 --top-p 0.95",
          [](cxxopts::Options& options) {
            using cxxopts::value;
            add_runs_options(options);
            options.add_options()("prompt", "What each text starts with", value<std::string>(),
                                  "TEXT")("count", "Number of texts",
                                          value<std::int64_t>()->default_value("10"), "N");
            add_generation_options(options);
            add_samplers_option(options);
            options.add_options()(
                "slide",
                "Past the model's block, forget the oldest token instead of reading the "
                "last ones again; of rotary positions or none")(
                "stream", "Print each token as soon as it is drawn")(
                "show-probabilities",
                "Print each token with its probability and how undecided the model was")(
                "longest-match",
                "Print of each text the longest part that stands in the training data");
            add_json_option(options);
          },
          run,
          kExportNote};
}

}  // namespace zoo
