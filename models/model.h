#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <torch/nn/module.h>
#include <nlohmann/json_fwd.hpp>

#include "core/options.h"

namespace zoo {

/// What a model may be given; each architecture documents which it reads.
struct Inputs {
  torch::Tensor tokens;      ///< [B, T] int64
  torch::Tensor lengths;     ///< [B] int64, real tokens in a padded row; undefined: no padding
  bool left_padded = false;  ///< real tokens stand at the end of their row, not at its start
};

/// What data tells a model about itself; never repeated in a config.
struct DataFacts {
  std::int64_t vocab_size = 0;
  std::int64_t boundary_id = -1;   ///< starts, ends and pads a line; -1: running text
  std::int64_t separator_id = -1;  ///< between a source and its target; -1: there are none
};

/// What the trainer, inference and the tests know about any architecture.
class Model : public torch::nn::Module {
 public:
  /// -> logits; the shape is each architecture's to document.
  virtual torch::Tensor forward(const Inputs& inputs) = 0;
};

/// A model that counts instead of following a gradient: fitted in one pass over the training split.
/// Its tables are buffers whose sizes follow from the data.
class Counted {
 public:
  virtual ~Counted() = default;
  /// Adds one batch of the pass; targets [B, T] or [B], -100 = not counted.
  virtual void count(const Inputs& inputs, const torch::Tensor& targets) = 0;
  /// Ends the pass: after it, forward answers.
  virtual void finish_counting() = 0;
  /// Tokens of one n-gram.
  virtual std::int64_t order() const = 0;
  /// Different n-grams of that order that were counted.
  virtual std::int64_t distinct_grams() const = 0;
};

/// A model that has one vector per token.
class TokenEmbedding {
 public:
  virtual ~TokenEmbedding() = default;
  /// [V, d]
  virtual torch::Tensor token_embedding() const = 0;
};

/// What the contract tests run, so that they need no case per architecture.
struct Example {
  nlohmann::json options;
  DataFacts facts;
  Inputs inputs;
  std::vector<std::int64_t> output_shape;
};

/// One row of the zoo: everything the rest of the program needs to offer an architecture.
struct Architecture {
  std::string name;                ///< the "architecture" value in a config
  std::string summary;             ///< one line, for `zoo list`
  std::vector<std::string> tasks;  ///< names of the tasks it can learn
  bool fixed_length = false;       ///< reads exactly block_size tokens: served by prefixes

  /// Its options, for help, schema and docs.
  std::vector<OptionInfo> (*describe)() = nullptr;
  /// Parses and validates; every default filled in. Throws ConfigError.
  nlohmann::json (*resolve)(const nlohmann::json& options) = nullptr;
  /// Most tokens that a row may have; 0: any number.
  std::int64_t (*block_size)(const nlohmann::json& options) = nullptr;
  /// Parses, validates and constructs. Throws ConfigError.
  std::shared_ptr<Model> (*build)(const nlohmann::json& options, const DataFacts& facts) = nullptr;
  /// A tiny one for the contract tests.
  Example (*tiny)(std::int64_t batch) = nullptr;
};

/// Every registered architecture, in the order of models/architectures.def.
const std::vector<Architecture>& architectures();

/// Throws ConfigError, naming the nearest known name, if there is none of that name.
const Architecture& find_architecture(const std::string& name);

/// Parameters without repeats: a tied tensor once, under its first name.
std::vector<std::pair<std::string, torch::Tensor>> unique_parameters(
    const torch::nn::Module& model);

}  // namespace zoo
