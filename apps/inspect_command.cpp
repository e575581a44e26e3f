#include <cmath>
#include <iostream>

#include <torch/types.h>
#include <nlohmann/json.hpp>

#include "analysis/cost.h"
#include "analysis/embedding.h"
#include "apps/command.h"
#include "apps/config_argument.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "core/errors.h"
#include "inference/run.h"

namespace zoo {
namespace {

/// Length of the rows that are measured where the model takes any.
constexpr std::int64_t kLengthWithoutBlock = 32;
constexpr std::int64_t kNeighbours = 5;
constexpr std::int64_t kTokensShown = 64;

/// What is looked at: a run's trained model, or a config's fresh one.
struct Subject {
  std::string name;
  Config config;
  std::shared_ptr<const Tokenizer> tokenizer;
  DataFacts facts;
  torch::Device device;
  std::shared_ptr<Model> model;
  bool trained;
};

Subject subject_of(const cxxopts::ParseResult& arguments) {
  const auto name = positional(arguments, "run");
  if (std::filesystem::is_directory(name)) {
    require<UserError>(settings_of(arguments).empty(),
                       "--set: a run's config is fixed; give --set "
                       "with a config file");
    auto run = open_run(arguments);
    return {name,      run.config, run.vocabulary.tokenizers.target, run.facts, run.device,
            run.model, true};
  }
  auto made = make_experiment(config_argument(arguments, "run").located);
  return {name,       made.config, made.vocabulary.tokenizers.target, made.facts, made.device,
          made.model, false};
}

/// Rows of the model's full length, or images; what they hold makes no difference to the cost.
Inputs rows_of(const Subject& subject, std::int64_t rows, std::int64_t length) {
  Inputs inputs;
  const auto& facts = subject.facts;
  if (facts.channels > 0) {
    inputs.images = torch::zeros({rows, facts.channels, facts.height, facts.width},
                                 torch::TensorOptions().device(subject.device));
    return inputs;
  }
  inputs.tokens =
      torch::zeros({rows, length}, torch::TensorOptions(torch::kInt64).device(subject.device));
  const auto& architecture = find_architecture(subject.config.general.architecture);
  if (architecture.reads_source) inputs.source = inputs.tokens;
  return inputs;
}

/// What the data tells the model, in words.
std::string data_text(const DataFacts& facts) {
  if (facts.channels == 0) return "vocabulary of " + with_commas(facts.vocab_size);
  return text_of("images of ", facts.height, " x ", facts.width, " pixels, ",
                 facts.channels == 1 ? "grey" : "colour", "; ", facts.classes, " classes");
}

std::string shapes_text(const ModuleCost& module) {
  std::string text;
  for (const auto& [name, shape] : module.parameters) {
    std::string sizes;
    for (const auto size : shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    text += (text.empty() ? "" : "  ") + name + " [" + sizes + "]";
  }
  return text;
}

/// What training takes, in parts that add up.
void print_memory(const Cost& cost, std::int64_t batch, OptimizerType optimizer) {
  const auto part = [](const std::string& name, std::int64_t bytes, const std::string& remark) {
    if (bytes == 0) return;
    std::cout << fitted({"    " + name + std::string(15 - name.size(), ' '), std::string(19, ' ')},
                        bytes_text(bytes) + (remark.empty() ? "" : ", ") + remark)
              << "\n";
  };
  std::cout << "  memory training  " << bytes_text(cost.memory_bytes) << " at " << batch
            << " a batch\n";
  part("parameters", cost.parameter_bytes, "");
  part("buffers", cost.buffer_bytes, "");
  part("gradients", cost.gradient_bytes, "");
  part("optimizer", cost.optimizer_bytes, "moments of " + name_of(optimizer));
  const auto working = cost.batch_bytes + cost.activation_bytes;
  const auto kept = bytes_text(cost.kept_bytes) + " of them kept for the backward";
  if (cost.memory_bytes == cost.lasting_bytes() + working) {
    part("batch", cost.batch_bytes, "");
    part("activations", cost.activation_bytes, kept);
  } else {
    part("at the start", cost.parameter_bytes,
         "the parameters once more; batch and activations take less, " + bytes_text(working));
  }
}

void print_cost(const Cost& cost, const std::string& row) {
  Table table({"module", "<kind", "<parameters", "count", "FLOPs", "lasting", "kept for backward"});
  const auto bytes = [](std::int64_t count) { return count > 0 ? bytes_text(count) : ""; };
  const auto number = [](std::int64_t count) { return count > 0 ? with_commas(count) : ""; };
  for (const auto& module : cost.modules) {
    table.add({module.name.empty() ? "(model)" : module.name, module.kind, shapes_text(module),
               number(module.parameter_count), number(module.flops_forward),
               bytes(module.lasting_bytes), bytes(module.activation_bytes)});
  }
  table.print(std::cout);
  const auto flops = [](std::int64_t count) {
    return with_commas(count) + " (" + with_commas(count / 2) + " multiply-adds, 2 each)";
  };
  const std::string others(19, ' ');
  std::cout << "\n  parameters       " << with_commas(cost.parameters) << " (tied ones once)\n"
            << fitted({"  FLOPs forward    ", others},
                      flops(cost.flops_forward) + " for one " + row)
            << "\n"
            << fitted({"  FLOPs training   ", others},
                      flops(cost.flops_training) + " forward and backward")
            << "\n";
}

void print_neighbours(const Subject& subject, const TokenEmbedding& embedding) {
  const auto table_of_vectors = embedding.token_embedding();
  const auto neighbours = nearest_neighbours(table_of_vectors, kNeighbours);
  const auto shown = std::min<std::int64_t>(kTokensShown, table_of_vectors.size(0));
  std::cout << "\nNearest tokens by the cosine of their embeddings"
            << (subject.trained ? "" : " (not trained yet)") << "\n";
  for (std::int64_t id = 0; id < shown; ++id) {
    std::string line = "  " + quoted(subject.tokenizer->token(id)) + " ";
    for (const auto& near : neighbours[static_cast<std::size_t>(id)]) {
      line += "  " + quoted(subject.tokenizer->token(near.id)) + " " + fixed_digits(near.cosine, 2);
    }
    std::cout << line << "\n";
  }
  if (shown < table_of_vectors.size(0)) {
    std::cout << "  ... and " << with_commas(table_of_vectors.size(0) - shown) << " more\n";
  }
}

void print_counted(const Subject& subject, const Counted& counted) {
  const auto possible =
      std::pow(static_cast<double>(subject.facts.vocab_size), static_cast<double>(counted.order()));
  std::ostringstream number;
  number.precision(3);
  number << possible;
  std::cout << "\n  |V|^n = " << subject.facts.vocab_size << "^" << counted.order() << " = "
            << number.str() << " possible " << counted.order() << "-grams, "
            << with_commas(counted.distinct_grams()) << " different ones counted\n";
}

nlohmann::json cost_json(const Subject& subject, const Cost& cost) {
  auto layers = nlohmann::json::array();
  for (const auto& module : cost.modules) {
    auto shapes = nlohmann::json::object();
    for (const auto& [name, shape] : module.parameters) shapes[name] = shape;
    layers.push_back({{"name", module.name},
                      {"kind", module.kind},
                      {"shapes", shapes},
                      {"parameters", module.parameter_count},
                      {"flops_forward", module.flops_forward},
                      {"lasting_bytes", module.lasting_bytes},
                      {"activation_bytes", module.activation_bytes}});
  }
  nlohmann::json json = {{"architecture", subject.config.general.architecture},
                         {"parameters", cost.parameters},
                         {"flops_forward", cost.flops_forward},
                         {"flops_training", cost.flops_training},
                         {"multiply_adds_forward", cost.flops_forward / 2},
                         {"multiply_adds_training", cost.flops_training / 2},
                         {"memory_bytes", cost.memory_bytes},
                         {"parameter_bytes", cost.parameter_bytes},
                         {"buffer_bytes", cost.buffer_bytes},
                         {"gradient_bytes", cost.gradient_bytes},
                         {"optimizer_bytes", cost.optimizer_bytes},
                         {"batch_bytes", cost.batch_bytes},
                         {"activation_bytes", cost.activation_bytes},
                         {"kept_bytes", cost.kept_bytes},
                         {"layers", layers}};
  if (subject.facts.vocab_size > 0) json["vocab_size"] = subject.facts.vocab_size;
  if (subject.facts.classes > 0) json["classes"] = subject.facts.classes;
  if (const auto* embedding = dynamic_cast<const TokenEmbedding*>(subject.model.get())) {
    auto& neighbours = json["nearest"];
    const auto near = nearest_neighbours(embedding->token_embedding(), kNeighbours);
    for (std::size_t id = 0; id < near.size(); ++id) {
      auto row = nlohmann::json::array();
      for (const auto& other : near[id]) {
        row.push_back({{"token", subject.tokenizer->token(other.id)}, {"cosine", other.cosine}});
      }
      neighbours.push_back(
          {{"token", subject.tokenizer->token(static_cast<std::int64_t>(id))}, {"nearest", row}});
    }
  }
  if (const auto* counted = dynamic_cast<const Counted*>(subject.model.get())) {
    json["order"] = counted->order();
    json["possible_grams"] = std::pow(static_cast<double>(subject.facts.vocab_size),
                                      static_cast<double>(counted->order()));
    json["counted_grams"] = counted->distinct_grams();
  }
  return json;
}

int run(const cxxopts::ParseResult& arguments) {
  const auto subject = subject_of(arguments);
  const auto& architecture = find_architecture(subject.config.general.architecture);
  const auto block = architecture.block_size(subject.config.model);
  const auto length = block > 0 ? block : kLengthWithoutBlock;
  const auto batch = subject.config.training.batch_size;
  const auto optimizer = subject.config.optimizer.type;
  const bool images = subject.facts.channels > 0;
  const auto* counted = dynamic_cast<const Counted*>(subject.model.get());
  const bool measurable = counted == nullptr;
  const auto cost = measurable ? measure_cost(*subject.model, rows_of(subject, 1, length),
                                              rows_of(subject, batch, length), optimizer)
                               : Cost{};
  if (arguments.count("json") > 0) {
    std::cout
        << cost_json(subject, cost).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
        << "\n";
    return kDone;
  }
  std::cout << fitted({subject.name + ": ", "  "}, architecture.name + ", " + architecture.summary)
            << "\n"
            << data_text(subject.facts) << "\n";
  if (counted != nullptr) {
    print_counted(subject, *counted);
    return kDone;
  }
  std::cout << "\n";
  print_cost(cost, images ? "image" : text_of("row of ", length, " tokens"));
  print_memory(cost, batch, optimizer);
  if (const auto* embedding = dynamic_cast<const TokenEmbedding*>(subject.model.get())) {
    print_neighbours(subject, *embedding);
  }
  return kDone;
}

}  // namespace

Command inspect_command() {
  return {"inspect",
          "CONFIG|RUN",
          "Shows a model's modules, shapes, parameters, FLOPs, memory and nearest embeddings",
          "zoo inspect configs/names/gpt.json",
          [](cxxopts::Options& options) {
            add_run_options(options);
            add_set_option(options);
            add_json_option(options);
          },
          run};
}

}  // namespace zoo
