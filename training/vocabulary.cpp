#include "training/vocabulary.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/json_file.h"
#include "core/plain_text.h"
#include "core/sha256.h"
#include "text/tokenizers/tokenizer_json.h"
#include "vision/formats/image_limits.h"

namespace zoo {
namespace {

constexpr const char* kTarget = "tokenizer";
constexpr const char* kSource = "source_tokenizer";
constexpr const char* kImages = "images";
constexpr const char* kState = "state.json";
constexpr std::int64_t kMostChannels = 3;

std::string file_text(const Tokenizer& tokenizer) { return tokenizer.to_json().dump(2) + "\n"; }

nlohmann::json identity_of(const Tokenizer& tokenizer) {
  return {{"sha256", sha256(file_text(tokenizer))}, {"vocab_size", tokenizer.vocab_size()}};
}

/// What state.json says of a tokenizer.
struct TokenizerIdentity {
  std::string sha256;
  std::int64_t vocab_size = 0;
};

TokenizerIdentity read_identity(const nlohmann::json& state, const std::string& name,
                                const std::string& state_file) {
  try {
    const auto& entry = state.at(name);
    return {entry.at("sha256").get<std::string>(), entry.at("vocab_size").get<std::int64_t>()};
  } catch (const nlohmann::json::exception&) {
    throw UserError(state_file + ": " + name +
                    " is not described by its SHA-256 and the size of its vocabulary");
  }
}

std::shared_ptr<const Tokenizer> read_tokenizer(const Checkpoint& checkpoint,
                                                const nlohmann::json& state,
                                                const std::string& name) {
  const auto source = (checkpoint.folder / (name + ".json")).string();
  const auto trained = read_identity(state, name, (checkpoint.folder / kState).string());
  const auto& text = checkpoint.file(name + ".json");
  auto tokenizer = parse_tokenizer(text, source);
  const auto hash = sha256(text);
  require<UserError>(hash == trained.sha256, source, ": does not fit the checkpoint: it has ",
                     tokenizer->vocab_size(), " tokens, SHA-256 ", hash.substr(0, 12),
                     "..., and the weights were trained with ", trained.vocab_size,
                     " tokens, SHA-256 ", shown_text(trained.sha256.substr(0, 12)),
                     "...; bring that file back");
  return tokenizer;
}

nlohmann::json state_of(const ImageInput& input) {
  return {{"channels", input.size.channels},
          {"height", input.size.height},
          {"width", input.size.width},
          {"mean", input.statistics.mean},
          {"deviation", input.statistics.deviation}};
}

/// Throws UserError unless they are sizes and one mean and deviation a channel.
ImageInput read_images(const nlohmann::json& state, const std::string& source) {
  try {
    const auto size_of = [&](const char* name) { return state.at(name).get<std::int64_t>(); };
    const auto values_of = [&](const char* name) {
      return state.at(name).get<std::vector<double>>();
    };
    const ImageInput input = {{size_of("channels"), size_of("height"), size_of("width")},
                              {values_of("mean"), values_of("deviation")}};
    const auto channels = static_cast<std::size_t>(input.size.channels);
    require_image_size(input.size.height, input.size.width, source + ": images");
    const bool whole = input.size.channels > 0 && input.size.channels <= kMostChannels &&
                       input.statistics.mean.size() == channels &&
                       input.statistics.deviation.size() == channels;
    require<UserError>(whole, source, ": images: sizes, means and deviations do not fit together");
    return input;
  } catch (const nlohmann::json::exception&) {
    throw UserError(source + ": images are not described by sizes, means and deviations");
  }
}

DataFacts facts_of_images(const Vocabulary& vocabulary) {
  DataFacts facts;
  facts.classes = static_cast<std::int64_t>(vocabulary.classes.size());
  facts.channels = vocabulary.images->size.channels;
  facts.height = vocabulary.images->size.height;
  facts.width = vocabulary.images->size.width;
  return facts;
}

}  // namespace

Vocabulary vocabulary_of(const ImageData& data) {
  return {{}, data.classes, ImageInput{data.size, pixel_statistics(data.train, data.size)}};
}

Vocabulary vocabulary_of(const TextData& data) {
  Vocabulary vocabulary{{data.tokenizer, nullptr}, data.classes, {}};
  if (data.source_tokenizer != data.tokenizer) vocabulary.tokenizers.source = data.source_tokenizer;
  return vocabulary;
}

DataFacts facts_of(const Vocabulary& vocabulary) {
  if (vocabulary.images) return facts_of_images(vocabulary);
  const auto& tokenizer = vocabulary.target();
  // Without a token of its own for it, the boundary fills rows.
  const auto pad_of = [](const Tokenizer& one) {
    return std::max<std::int64_t>(one.padding_id() >= 0 ? one.padding_id() : one.boundary_id(), 0);
  };
  DataFacts facts;
  facts.vocab_size = tokenizer.vocab_size();
  facts.boundary_id = tokenizer.boundary_id();
  facts.separator_id = tokenizer.separator_id();
  facts.mask_id = tokenizer.mask_id();
  facts.pad_id = pad_of(tokenizer);
  facts.source_pad_id = pad_of(vocabulary.source());
  if (vocabulary.tokenizers.source) facts.source_vocab_size = vocabulary.source().vocab_size();
  facts.classes = static_cast<std::int64_t>(vocabulary.classes.size());
  return facts;
}

CheckpointFiles files_of(const Vocabulary& vocabulary) {
  if (vocabulary.images) return {};
  CheckpointFiles files = {{std::string(kTarget) + ".json", file_text(vocabulary.target())}};
  if (vocabulary.tokenizers.source) {
    files[std::string(kSource) + ".json"] = file_text(vocabulary.source());
  }
  return files;
}

nlohmann::json state_of(const Vocabulary& vocabulary) {
  auto state = nlohmann::json::object();
  if (vocabulary.images) {
    state[kImages] = state_of(*vocabulary.images);
  } else {
    state[kTarget] = identity_of(vocabulary.target());
  }
  if (vocabulary.tokenizers.source) state[kSource] = identity_of(vocabulary.source());
  if (!vocabulary.classes.empty()) state["classes"] = vocabulary.classes;
  return state;
}

Vocabulary vocabulary_of(const Checkpoint& checkpoint) {
  const auto state_file = (checkpoint.folder / kState).string();
  const auto state = parse_json(checkpoint.file(kState), state_file);
  require<UserError>(state.is_object(), state_file, ": is not the state of a run");
  Vocabulary vocabulary;
  if (state.contains(kImages)) {
    vocabulary.images = read_images(state.at(kImages), state_file);
  } else {
    vocabulary.tokenizers.target = read_tokenizer(checkpoint, state, kTarget);
  }
  if (state.contains(kSource)) {
    vocabulary.tokenizers.source = read_tokenizer(checkpoint, state, kSource);
  }
  try {
    vocabulary.classes = state.value("classes", std::vector<std::string>());
  } catch (const nlohmann::json::exception&) {
    throw UserError(state_file + ": classes are not a list of names");
  }
  return vocabulary;
}

}  // namespace zoo
