#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "apps/text_arguments.h"
#include "core/errors.h"
#include "core/names.h"
#include "inference/text_vectors.h"
#include "text/text_files.h"

namespace zoo {
namespace {

Pooling pooling_of(const cxxopts::ParseResult& arguments) {
  const auto name = arguments["pooling"].as<std::string>();
  std::vector<std::string> choices;
  for (const auto& [text, choice] : names_of(Pooling{})) {
    if (name == text) return choice;
    choices.emplace_back(text);
  }
  throw UserError(text_of("--pooling: got ", name, "; choose one of ", join(choices, ", "),
                          did_you_mean(name, choices)));
}

/// The lines of a file, empty ones left out.
std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> notes;
  const auto file = read_text_file("nearest", path, notes);
  std::vector<std::string> lines;
  std::istringstream text(file.text);
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  require<UserError>(!lines.empty(), path, ": has no line");
  return lines;
}

/// Answers texts with their vectors, or with the lines of a file that are nearest.
class Embedder {
 public:
  Embedder(const cxxopts::ParseResult& arguments, const Run& run)
      : trained_(trained_model(run)),
        pooling_(pooling_of(arguments)),
        count_(at_least_one(arguments, "top")),
        json_(arguments.count("json") > 0) {
    if (arguments.count("nearest") == 0) return;
    lines_ = lines_of(arguments["nearest"].as<std::string>());
    line_vectors_ = text_vectors(trained_, lines_, pooling_);
  }

  void answer(const std::vector<std::string>& texts) {
    const auto vectors = text_vectors(trained_, texts, pooling_);  // [N, C]
    if (lines_.empty()) {
      answer_with_vectors(texts, vectors);
    } else {
      answer_with_lines(texts, nearest_texts(vectors, line_vectors_, count_));
    }
  }

  const nlohmann::json& results() const { return results_; }

 private:
  void answer_with_vectors(const std::vector<std::string>& texts, const torch::Tensor& vectors) {
    const auto flat = vectors.contiguous();
    const auto* values = flat.const_data_ptr<float>();
    const auto C = static_cast<std::size_t>(flat.size(1));
    for (std::size_t i = 0; i < texts.size(); ++i, values += C) {
      const std::vector<float> vector(values, values + C);
      if (json_) {
        results_.push_back({{"text", texts[i]}, {"vector", vector}});
        continue;
      }
      std::cout << texts[i];
      for (const auto value : vector) std::cout << "\t" << value;
      std::cout << "\n";
    }
  }

  void answer_with_lines(const std::vector<std::string>& texts,
                         const std::vector<std::vector<NearText>>& nearest) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      auto found = nlohmann::json::array();
      if (!json_) std::cout << texts[i] << "\n";
      for (const auto& near : nearest[i]) {
        const auto& line = lines_[near.number];
        if (json_) {
          found.push_back({{"line", line}, {"cosine", near.cosine}});
        } else {
          std::cout << "  " << fixed_digits(near.cosine, 3) << "  " << line << "\n";
        }
      }
      if (json_) results_.push_back({{"text", texts[i]}, {"nearest", found}});
    }
  }

  TrainedModel trained_;
  Pooling pooling_;
  std::int64_t count_;
  bool json_;
  std::vector<std::string> lines_;
  torch::Tensor line_vectors_;  // [M, C]
  nlohmann::json results_ = nlohmann::json::array();
};

int run(const cxxopts::ParseResult& arguments) {
  const auto opened = open_run(arguments);
  Embedder embedder(arguments, opened);
  for_texts(arguments, [&](const std::vector<std::string>& texts) { embedder.answer(texts); });
  if (arguments.count("json") > 0) print_results(opened, embedder.results());
  return kDone;
}

}  // namespace

Command embed_command() {
  return {"embed",
          "RUN [TEXT...]",
          "Turns each text into a vector, or finds the lines of a file that are most alike",
          "zoo embed runs/names-bert emma --nearest data/names_2018.txt",
          [](cxxopts::Options& options) {
            using cxxopts::value;
            add_run_options(options);
            add_text_arguments(options, "The texts");
            options.add_options()("pooling", "What stands for a text: mean, first or last token",
                                  value<std::string>()->default_value("mean"),
                                  "NAME")("nearest", "Answer with the nearest lines of this file",
                                          value<std::string>(), "FILE")(
                "top", "Lines that are shown", value<std::int64_t>()->default_value("5"), "N");
            add_json_option(options);
          },
          run};
}

}  // namespace zoo
