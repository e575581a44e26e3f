#include "inference/run.h"

#include <utility>

#include <torch/types.h>

#include "core/errors.h"
#include "core/json_file.h"
#include "core/sha256.h"
#include "training/checkpoint_observer.h"
#include "training/run_folder.h"

namespace zoo {

RawConfig read_run_config(const std::filesystem::path& folder,
                          const std::vector<std::string>& settings) {
  require<UserError>(std::filesystem::is_directory(folder), folder.string(),
                     ": no such run folder");
  require<UserError>(std::filesystem::exists(folder / "config.json"), folder.string(),
                     ": is not a run: it has no config.json");
  return read_config(folder / "config.json", settings);
}

std::shared_ptr<const Tokenizer> tokenizer_of(const Checkpoint& checkpoint) {
  const auto source = (checkpoint.folder / "tokenizer.json").string();
  const auto& text = checkpoint.file("tokenizer.json");
  auto tokenizer = tokenizer_from_json(parse_json(text, source), source);
  const auto state_file = (checkpoint.folder / "state.json").string();
  const auto state = parse_json(checkpoint.file("state.json"), state_file);
  const auto trained = state.value("tokenizer", nlohmann::json::object());
  const auto hash = sha256(text);
  const auto trained_hash = trained.value("sha256", "none");
  require<UserError>(hash == trained_hash, source, ": does not fit the checkpoint: it has ",
                     tokenizer->vocab_size(), " tokens, SHA-256 ", hash.substr(0, 12),
                     "..., and the weights were trained with ",
                     trained.value("vocab_size", std::int64_t{0}), " tokens, SHA-256 ",
                     trained_hash.substr(0, 12), "...; bring that file back");
  return tokenizer;
}

Run open_run(const std::filesystem::path& folder, const std::string& checkpoint_name,
             const std::string& device_name) {
  auto raw = read_run_config(folder);
  auto config = resolve_config(raw);
  auto checkpoint = read_checkpoint(folder, checkpoint_name, config.identity());
  auto tokenizer = tokenizer_of(checkpoint);
  const auto facts = facts_of(*tokenizer);
  const auto device = choose_device(device_name.empty() ? config.general.device : device_name);
  auto model = find_architecture(config.general.architecture).build(config.model, facts);
  model->to(device);
  restore_model(checkpoint, *model);
  model->eval();
  return {folder, std::move(raw), std::move(config), std::move(checkpoint), std::move(tokenizer),
          facts,  device,         std::move(model)};
}

Experiment experiment_of(const Run& run) {
  auto config = run.config;
  locate_data(run.raw, config);
  auto data = load_text_data(config.data, config.tokenizer, run.tokenizer);
  check_data_unchanged(run.raw, data);
  auto task = make_task(config.general.task, config.training.label_smoothing);
  const auto& architecture = find_architecture(config.general.architecture);
  return {std::move(config), architecture, run.device,     std::move(data),
          run.facts,         run.model,    std::move(task)};
}

namespace {

/// Where running text without a prompt starts: after a line break, or, in a vocabulary without one,
/// after its first token.
std::int64_t start_of_text(const Tokenizer& tokenizer) {
  for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    if (tokenizer.decode({id}) == "\n") return id;
  }
  return 0;
}

}  // namespace

std::vector<GeneratedText> generate_texts(Model& model, const Tokenizer& tokenizer,
                                          const Config& config, const std::string& prompt,
                                          std::int64_t count, const GenerationOptions& options) {
  const auto facts = facts_of(tokenizer);
  const auto& architecture = find_architecture(config.general.architecture);
  auto start = tokenizer.encode(prompt);
  if (facts.boundary_id >= 0) {
    start.insert(start.begin(), facts.boundary_id);
  } else if (start.empty()) {
    start.push_back(start_of_text(tokenizer));
  }
  const std::vector<std::vector<std::int64_t>> prompts(static_cast<std::size_t>(count), start);
  std::vector<GeneratedText> texts;
  for (const auto& row :
       generate(model, prompts, options, facts, architecture.block_size(config.model),
                architecture.fixed_length)) {
    texts.push_back({prompt + tokenizer.decode(row.ids), row.log_probability});
  }
  return texts;
}

}  // namespace zoo
