#include "training/initialization.h"

#include "core/errors.h"
#include "models/model.h"
#include "training/run_folder.h"

namespace zoo {
namespace {

/// "section.key: X there, Y here" for every key that differs; with `only`, among its keys.
std::vector<std::string> differences_of(const std::string& section, const nlohmann::json& there,
                                        const nlohmann::json& here, const nlohmann::json* only) {
  std::vector<std::string> differences;
  auto keys = there;
  keys.update(here);
  for (const auto& [key, value] : keys.items()) {
    if (only != nullptr && !only->contains(key)) continue;
    const auto a = there.value(key, nlohmann::json());
    const auto b = here.value(key, nlohmann::json());
    if (a == b) continue;
    differences.push_back(text_of(section, ".", key, ": ", a.is_null() ? "unset" : a.dump(),
                                  " there, ", b.is_null() ? "unset" : b.dump(), " here"));
  }
  return differences;
}

/// Makes a tokenizer section the run's; a value that the config sets must be the run's already.
void take_over(const std::string& section, const RawConfig& raw, const TokenizerOptions& there,
               TokenizerOptions& here, const std::filesystem::path& run) {
  const auto set = raw.document.value(section, nlohmann::json::object());
  const auto differences = differences_of(section, write_options(there), write_options(here), &set);
  require<ConfigError>(differences.empty(), "training.initialize_from: ", run.string(),
                       " has another vocabulary: ", join(differences, "; "), "; leave ", section,
                       " out to take over the run's");
  here = there;
  here.path.clear();  // the tokenizer itself comes from the checkpoint
}

/// How tensors of the run's image size become those of the model's.
ResizeTensor resizing_into(const Model& model, const Initialization& from) {
  const auto* resizable = dynamic_cast<const Resizable*>(&model);
  if (resizable == nullptr) return {};
  return [resizable, facts = facts_of(from.vocabulary)](const std::string& name,
                                                        const torch::Tensor& tensor) {
    return resizable->resized(name, tensor, facts);
  };
}

}  // namespace

Initialization open_initialization(const std::filesystem::path& run, const RawConfig& raw,
                                   Config& config) {
  auto there = resolve_config(read_run_config(run));
  require<ConfigError>(there.general.architecture == config.general.architecture,
                       "training.initialize_from: ", run.string(), " is a ",
                       there.general.architecture, ", and architecture is ",
                       config.general.architecture, "; both must be the same");
  require<ConfigError>(there.reads_images() == config.reads_images(),
                       "training.initialize_from: ", run.string(), " learned ",
                       name_of(there.general.task), ", and this is ", name_of(config.general.task),
                       "; one reads images, the other text");
  take_over("tokenizer", raw, there.tokenizer, config.tokenizer, run);
  require<ConfigError>(there.source_tokenizer.has_value() == config.source_tokenizer.has_value(),
                       "training.initialize_from: ", run.string(),
                       there.source_tokenizer ? " has" : " does not have",
                       " a source_tokenizer, unlike this config");
  if (there.source_tokenizer) {
    take_over("source_tokenizer", raw, *there.source_tokenizer, *config.source_tokenizer, run);
  }
  auto checkpoint = read_checkpoint(run, "best", there.identity());
  auto vocabulary = vocabulary_of(checkpoint);
  return {run, std::move(there), std::move(checkpoint), std::move(vocabulary)};
}

InitializationReport initialize(Model& model, const Config& config, const Vocabulary& vocabulary,
                                const Initialization& from) {
  const auto& classes = from.vocabulary.classes;
  require<UserError>(classes.empty() || vocabulary.classes.empty() || classes == vocabulary.classes,
                     "training.initialize_from: ", from.run.string(), " tells ",
                     join(classes, ", "), " apart, and this data has ",
                     join(vocabulary.classes, ", "));
  InitializationReport report;
  report.tensors = matching_into_tensors(from.checkpoint.file("model.safetensors"),
                                         (from.checkpoint.folder / "model.safetensors").string(),
                                         model_state(model), resizing_into(model, from));
  require<UserError>(!report.tensors.loaded.empty(), from.run.string(),
                     ": has no weights that the model has");
  report.differences = differences_of("model", from.config.model, config.model, nullptr);
  return report;
}

}  // namespace zoo
