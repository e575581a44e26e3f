#include "inference/export/scripted_program.h"

#include <algorithm>

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include "core/errors.h"
#include "inference/export/torchscript_source.h"
#include "inference/generation.h"
#include "text/tokenizers/character_tokenizer.h"
#include "vision/transforms.h"

namespace zoo {
namespace {

/// Tokens of a row where a model reads any number.
constexpr std::int64_t kLongestExample = 64;

Inputs inputs_of(const TrainedModel& trained, const std::vector<std::string>& names,
                 const std::vector<torch::Tensor>& values) {
  Inputs inputs;
  inputs.left_padded = trained.architecture().fixed_length;
  for (auto& [name, tensor] : inputs.tensors()) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) *tensor = values[static_cast<std::size_t>(found - names.begin())];
  }
  return inputs;
}

bool reads_segments(const Architecture& architecture) {
  return architecture.tiny(1).inputs.segments.defined();
}

ExportedMethod forward_of(const TrainedModel& trained, const std::vector<std::string>& names) {
  return {"forward", names, [&trained, names](const std::vector<torch::Tensor>& values) {
            return trained.model.forward(inputs_of(trained, names, values));
          }};
}

ExportedMethod represent_of(const TrainedModel& trained, Representation& model,
                            const std::string& name, const std::vector<std::string>& names) {
  return {name, names, [&trained, &model, names](const std::vector<torch::Tensor>& values) {
            return model.represent(inputs_of(trained, names, values));
          }};
}

std::vector<ExportedMethod> methods_of_images(const TrainedModel& trained) {
  const Normalization normalized(trained.vocabulary.images->statistics, trained.device);
  return {{"forward", {"images"}, [&trained, normalized](const std::vector<torch::Tensor>& values) {
             Inputs inputs;
             inputs.images = normalized(values[0]);
             return trained.model.forward(inputs);
           }}};
}

std::vector<ExportedMethod> methods_of_source(const TrainedModel& trained) {
  auto& reader = dynamic_cast<Representation&>(trained.model);
  auto& writer = dynamic_cast<TargetDecoder&>(trained.model);
  const auto decode_step = [&writer](const std::vector<torch::Tensor>& values) {
    Inputs inputs;
    inputs.tokens = values[0];
    inputs.source_lengths = values[2];
    return writer.decode(inputs, values[1]).select(1, -1);  // [B, V]
  };
  return {forward_of(trained, {"source", "tokens", "source_lengths"}),
          represent_of(trained, reader, "encode", {"source", "source_lengths"}),
          {"decode_step", {"tokens", "memory", "source_lengths"}, decode_step}};
}

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
  return text;
}

/// Encoding of what is read and decoding of what is written, where both are characters.
void add_characters(const TrainedModel& trained, ScriptedProgram& program) {
  const auto* read = dynamic_cast<const CharacterTokenizer*>(&trained.vocabulary.source());
  const auto* written = dynamic_cast<const CharacterTokenizer*>(&trained.vocabulary.target());
  if (read == nullptr || written == nullptr) return;
  auto& ids = program.tables["ids"];
  for (std::int64_t id = 0; id < read->vocab_size(); ++id) ids[read->token(id)] = id;
  auto& tokens = program.lists["tokens"];
  for (std::int64_t id = 0; id < written->vocab_size(); ++id) tokens.push_back(written->token(id));
  auto& roles = program.lists["role_tokens"];
  roles = tokens_of(read->roles());
  std::sort(roles.begin(), roles.end(),
            [](const auto& a, const auto& b) { return a.size() > b.size(); });
  const bool replaces = read->unknown() == UnknownCharacter::kReplace;
  program.numbers["unknown_id"] = replaces ? read->vocab_size() - 1 : -1;
  program.numbers["skips_unknown"] = read->unknown() == UnknownCharacter::kSkip ? 1 : 0;
  const auto names = text_methods_of(trained);
  program.source +=
      replaced(replaced(kCharactersSource, "ENCODE", names.encode), "DECODE", names.decode);
}

void add_text(const TrainedModel& trained, ScriptedProgram& program) {
  const auto& facts = trained.facts;
  const auto& architecture = trained.architecture();
  const auto block = trained.block_size();
  program.numbers.insert({{"block_size", block},
                          {"most_shown", block > 0 ? block : kLongestContext},
                          {"fixed_length", architecture.fixed_length ? 1 : 0},
                          {"vocab_size", facts.vocab_size},
                          {"boundary_id", facts.boundary_id},
                          {"separator_id", facts.separator_id},
                          {"mask_id", facts.mask_id},
                          {"pad_id", facts.pad_id},
                          {"source_pad_id", facts.source_pad_id}});
  program.source += kRowsSource;
  if (architecture.reads_source) {
    program.source += text_of(kPickSource, kTranslateSource);
  } else if (reads_segments(architecture)) {
    program.source += kSegmentsSource;
  } else {
    program.source += kForwardSource;
    const bool represents = dynamic_cast<Representation*>(&trained.model) != nullptr;
    if (represents) program.source += kRepresentSource;
    if (facts.classes == 0) program.source += text_of(kPickSource, kGenerateSource);
  }
  add_characters(trained, program);
}

}  // namespace

TextMethods text_methods_of(const TrainedModel& trained) {
  if (trained.architecture().reads_source) return {"encode_text", "decode_text"};
  return {"encode", "decode"};
}

std::vector<ExportedMethod> exported_methods(const TrainedModel& trained) {
  if (trained.vocabulary.images) return methods_of_images(trained);
  if (trained.architecture().reads_source) return methods_of_source(trained);
  std::vector<std::string> names = {"tokens", "lengths"};
  if (reads_segments(trained.architecture())) names.emplace_back("segments");
  std::vector<ExportedMethod> methods = {forward_of(trained, names)};
  if (auto* model = dynamic_cast<Representation*>(&trained.model)) {
    methods.push_back(represent_of(trained, *model, "represent", names));
  }
  return methods;
}

std::vector<torch::Tensor> random_arguments(const TrainedModel& trained,
                                            const ExportedMethod& method, CallSizes sizes,
                                            std::uint64_t seed) {
  const auto& facts = trained.facts;
  const auto block = trained.vocabulary.images ? 0 : trained.block_size();
  const auto most = block > 0 ? block : kLongestExample;
  const auto T = trained.architecture().fixed_length ? most : std::min(sizes.T, most);
  const auto S = std::min(sizes.S, most);
  const auto B = sizes.B;
  const auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  const auto drawn = [&](std::int64_t from, std::int64_t below, std::vector<std::int64_t> shape) {
    return torch::randint(from, below, shape, generator, torch::kInt64).to(trained.device);
  };
  const auto V_source = facts.source_vocab_size > 0 ? facts.source_vocab_size : facts.vocab_size;
  std::vector<torch::Tensor> values;
  for (const auto& name : method.arguments) {
    if (name == "tokens") {
      values.push_back(drawn(0, facts.vocab_size, {B, T}));
    } else if (name == "lengths") {
      values.push_back(drawn(1, T + 1, {B}));
    } else if (name == "segments") {
      values.push_back(drawn(0, trained.config.model.at("segments").get<std::int64_t>(), {B, T}));
    } else if (name == "source") {
      values.push_back(drawn(0, V_source, {B, S}));
    } else if (name == "source_lengths") {
      values.push_back(drawn(1, S + 1, {B}));
    } else if (name == "memory") {
      Inputs inputs;
      inputs.source = drawn(0, V_source, {B, S});
      values.push_back(dynamic_cast<Representation&>(trained.model).represent(inputs));
    } else {
      values.push_back(
          drawn(0, 256, {B, facts.channels, facts.height, facts.width}).to(torch::kFloat32));
    }
  }
  return values;
}

ScriptedProgram scripted_program(const TrainedModel& trained) {
  ScriptedProgram program;
  program.name = trained.config.general.architecture;
  // TorchScript that is compiled here knows types by their numbers alone.
  for (const auto& [name, type] : {std::pair("bool_type", torch::kBool),
                                   {"int64_type", torch::kInt64},
                                   {"float32_type", torch::kFloat32},
                                   {"float64_type", torch::kFloat64}}) {
    program.numbers[name] = static_cast<std::int64_t>(type);
  }
  for (const auto& method : exported_methods(trained)) {
    program.traced.push_back({"traced_" + method.name,
                              method.arguments,
                              {random_arguments(trained, method, {3, 4, 5}, 1),
                               random_arguments(trained, method, {5, 6, 7}, 2)},
                              method.answer});
  }
  if (trained.vocabulary.images) {
    program.source = kImagesSource;
  } else {
    add_text(trained, program);
  }
  return program;
}

}  // namespace zoo
