#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <torch/nn/module.h>
#include <nlohmann/json.hpp>

#include "core/options.h"

namespace zoo {

/// What a model may be given; each architecture documents which it reads.
struct Inputs {
  torch::Tensor tokens;          ///< [B, T] int64
  torch::Tensor lengths;         ///< [B] int64, real tokens in a padded row; undefined: no padding
  bool left_padded = false;      ///< real tokens stand at the end of their row, not at its start
  torch::Tensor segments;        ///< [B, T] int64, which of two texts a token belongs to, 0 or 1
  torch::Tensor source;          ///< [B, S] int64, what is read before tokens are written
  torch::Tensor source_lengths;  ///< [B] int64, real tokens of the source, padded on the right
  torch::Tensor images;          ///< [B, C, H, W] float32, normalised

  /// Every tensor by its name above, defined or not.
  std::vector<std::pair<std::string, torch::Tensor*>> tensors() {
    return {{"tokens", &tokens},
            {"lengths", &lengths},
            {"segments", &segments},
            {"source", &source},
            {"source_lengths", &source_lengths},
            {"images", &images}};
  }
};

/// What data tells a model about itself; never repeated in a config.
struct DataFacts {
  std::int64_t vocab_size = 0;
  std::int64_t boundary_id = -1;       ///< starts, ends and pads a line; -1: running text
  std::int64_t separator_id = -1;      ///< between a source and its target; -1: there are none
  std::int64_t mask_id = -1;           ///< stands for a hidden token; -1: there is none
  std::int64_t pad_id = 0;             ///< fills rows
  std::int64_t source_vocab_size = 0;  ///< of sources with a vocabulary of their own; 0: the same
  std::int64_t source_pad_id = 0;
  std::int64_t classes = 0;   ///< kinds of rows to tell apart; 0: tokens are predicted
  std::int64_t channels = 0;  ///< of images; 0: there are none
  std::int64_t height = 0;    ///< of images, in pixels
  std::int64_t width = 0;
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

/// A model whose output layer reads one vector per token: what it knows about a text.
class Representation {
 public:
  virtual ~Representation() = default;
  /// inputs, of encoder-decoders the source alone -> [B, T or S, C].
  virtual torch::Tensor represent(const Inputs& inputs) = 0;
};

/// Rows that are being written, a token at a time.
class Decoding {
 public:
  virtual ~Decoding() = default;
  /// One more token of each row: tokens [B] int64 -> logits [B, V] of the token after it.
  virtual torch::Tensor step(const torch::Tensor& tokens) = 0;
  /// Keeps these rows, in this order; a row may be taken more than once: rows [B'] int64.
  virtual void select_rows(const torch::Tensor& rows) = 0;
};

/// What becomes of a row that is longer than a model's block_size.
enum class FullBlock {
  kReread,  ///< the last block_size tokens are read again, as a text of their own, for each token
  kSlide,   ///< the oldest token is forgotten: as cheap as any other token, and another text
};

/// A model that writes with what it keeps of its input, instead of reading everything again for
/// each token.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Reads what stands before the first token that is written, once: inputs.source, or, of a model
  /// that reads no source, inputs.tokens, padded on the left if at all; undefined: nothing. The
  /// model is in evaluation mode and outlives what is returned. Throws ConfigError for kSlide
  /// where positions do not allow it.
  virtual std::unique_ptr<Decoding> start(const Inputs& inputs, FullBlock full_block) = 0;
};

/// A model that reads a source and then writes its target.
class TargetDecoder {
 public:
  virtual ~TargetDecoder() = default;
  /// What forward() answers, from what represent() made of the source: inputs.tokens [B, T] and
  /// source_lengths, memory [B, S, C] -> logits [B, T, V].
  virtual torch::Tensor decode(const Inputs& inputs, const torch::Tensor& memory) = 0;
};

/// A model that reads an image as a grid of patches behind a [CLS] token.
class PatchGrid {
 public:
  virtual ~PatchGrid() = default;
  virtual std::int64_t rows() const = 0;
  virtual std::int64_t columns() const = 0;
  /// Whether the answer is read from [CLS], else from all patches.
  virtual bool answers_from_class_token() const = 0;
};

/// A model that can take over weights of one that was built for images of another size.
class Resizable {
 public:
  virtual ~Resizable() = default;
  /// A tensor of the same architecture, built with `facts`, made to fit here; undefined where the
  /// size of images does not matter to it.
  virtual torch::Tensor resized(const std::string& name, const torch::Tensor& tensor,
                                const DataFacts& facts) const = 0;
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
  bool causal = true;              ///< logits at t depend on tokens 0..t alone
  bool reads_source = false;       ///< a pair's source goes into Inputs.source, not into tokens

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
  /// The same on images, of an architecture that reads tokens or images; else null.
  Example (*tiny_on_images)(std::int64_t batch) = nullptr;
};

/// Every registered architecture, in the order of models/architectures.def.
const std::vector<Architecture>& architectures();

/// Throws ConfigError, naming the nearest known name, if there is none of that name.
const Architecture& find_architecture(const std::string& name);

/// Names of the architectures that learn a task.
std::vector<std::string> architectures_for(const std::string& task);

/// Names of the architectures whose models are also an Interface.
template <class Interface>
std::vector<std::string> architectures_with() {
  std::vector<std::string> names;
  for (const auto& row : architectures()) {
    const auto example = row.tiny(1);
    const auto model = row.build(example.options, example.facts);
    if (dynamic_cast<const Interface*>(model.get()) != nullptr) names.push_back(row.name);
  }
  return names;
}

/// Where a model's tensors lie.
torch::Device device_of(const Model& model);

/// Parameters without repeats: a tied tensor once, under its first name.
std::vector<std::pair<std::string, torch::Tensor>> unique_parameters(
    const torch::nn::Module& model);

/// Their numbers.
std::int64_t parameter_count(const torch::nn::Module& model);

}  // namespace zoo
