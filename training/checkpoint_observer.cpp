#include "training/checkpoint_observer.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/json_file.h"
#include "training/random_state.h"
#include "training/run_folder.h"
#include "training/tensor_file.h"

namespace zoo {

CheckpointObserver::CheckpointObserver(std::filesystem::path run, CheckpointParts parts,
                                       std::string identity, const TrainingOptions& options)
    : run_(std::move(run)),
      parts_(std::move(parts)),
      identity_(std::move(identity)),
      options_(options) {}

void CheckpointObserver::save(const Progress& progress) {
  if (saved_step_ == progress.step) return;
  auto files = files_of(parts_.vocabulary);
  files["model.safetensors"] = tensors_to_bytes(model_state(parts_.model));
  if (parts_.optimizer != nullptr) {
    files["optimizer.safetensors"] = tensors_to_bytes(parts_.optimizer->state());
  }
  auto state = state_of(parts_.vocabulary);
  state.update({{"progress", progress.to_json()},
                {"random", random_state(parts_.device)},
                {"made_with", environment_of(parts_.device)}});
  files["state.json"] = state.dump(2) + "\n";
  write_checkpoint(run_, progress.step, files, identity_);
  saved_step_ = progress.step;
}

void CheckpointObserver::on_step(const Progress& progress) {
  if (!options_.save_every || progress.step % *options_.save_every != 0) return;
  save(progress);
  prune_checkpoints(run_, options_.keep_checkpoints);
}

bool CheckpointObserver::on_evaluation(const Progress& progress, const Evaluation& /*evaluation*/) {
  const bool best = progress.best_step == progress.step;
  if (best || !options_.save_every) save(progress);
  if (best) mark_best(run_, progress.step);
  prune_checkpoints(run_, options_.keep_checkpoints);
  return true;
}

void CheckpointObserver::on_finish(const Progress& progress, StopReason /*reason*/) {
  save(progress);
  prune_checkpoints(run_, options_.keep_checkpoints);
}

void restore_model(const Checkpoint& checkpoint, Model& model) {
  const bool counted = dynamic_cast<const Counted*>(&model) != nullptr;
  bytes_into_tensors(checkpoint.file("model.safetensors"),
                     (checkpoint.folder / "model.safetensors").string(), model_state(model),
                     /*resizable=*/counted);
}

Progress restore_checkpoint(const Checkpoint& checkpoint, Model& model, Optimizer* optimizer,
                            torch::Device device) {
  restore_model(checkpoint, model);
  if (optimizer != nullptr) {
    bytes_into_tensors(checkpoint.file("optimizer.safetensors"),
                       (checkpoint.folder / "optimizer.safetensors").string(), optimizer->state());
  }
  const auto source = (checkpoint.folder / "state.json").string();
  const auto state = parse_json(checkpoint.file("state.json"), source);
  try {
    restore_random_state(state.at("random"), device, source);
    return Progress::from_json(state.at("progress"), device);
  } catch (const nlohmann::json::exception&) {
    throw UserError(source + ": is not the state of a run");
  }
}

}  // namespace zoo
