#include "training/checkpoint_observer.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/json_file.h"
#include "training/metrics_file.h"
#include "training/random_state.h"
#include "training/run_folder.h"
#include "training/tensor_file.h"

namespace zoo {
namespace {

/// The state.json of a checkpoint. Throws UserError where it is none.
struct RunState {
  explicit RunState(const Checkpoint& checkpoint)
      : source((checkpoint.folder / "state.json").string()),
        json(parse_json(checkpoint.file("state.json"), source)) {
    const bool complete = json.is_object() && json.contains("progress") && json.contains("random");
    require<UserError>(complete && json.at("random").is_object(), source,
                       ": is not the state of a run");
  }

  std::string source;
  nlohmann::json json;
};

Progress progress_of(const RunState& state, torch::Device device) {
  try {
    return Progress::from_json(state.json.at("progress"), device);
  } catch (const nlohmann::json::exception&) {
    throw UserError(state.source + ": is not the state of a run");
  }
}

}  // namespace

CheckpointObserver::CheckpointObserver(std::filesystem::path run, CheckpointParts parts,
                                       std::string identity, const TrainingOptions& options)
    : run_(std::move(run)),
      parts_(std::move(parts)),
      identity_(std::move(identity)),
      options_(options) {}

void CheckpointObserver::go_on_from(const Checkpoint& checkpoint, const Progress& progress) {
  saved_step_ = checkpoint.step;
  passed_over_ = checkpoint.skipped;
  settle_checkpoints(run_, checkpoint.step, progress.best_step);
}

void CheckpointObserver::on_step(const Progress& progress) {
  if (!options_.save_every || progress.step % *options_.save_every != 0) return;
  keep(progress, /*due=*/true, /*best=*/false);
}

bool CheckpointObserver::on_evaluation(const Progress& progress, const Evaluation& /*evaluation*/) {
  const bool best = progress.best_step == progress.step;
  keep(progress, best || !options_.save_every, best);
  return true;
}

void CheckpointObserver::on_finish(const Progress& progress, StopReason /*reason*/) {
  keep(progress, /*due=*/true, /*best=*/false);
}

void CheckpointObserver::keep(const Progress& progress, bool due, bool best) {
  try {
    if (due && saved_step_ != progress.step) save(progress);
    if (best) mark_best(run_, progress.step);
    prune_checkpoints(run_, options_.keep_checkpoints);
  } catch (const UserError& error) {
    const auto saved = saved_step_ < 0
                           ? std::string("nothing is saved yet")
                           : text_of("step ", saved_step_,
                                     " is saved: mend this, then `zoo resume ", run_.string(), "`");
    throw UserError(text_of(error.what(), "; ", saved));
  }
}

void CheckpointObserver::save(const Progress& progress) {
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
  // Resuming keeps the lines up to its step, and so they must be as durable as the checkpoint.
  const auto metrics = run_ / kMetricsFile;
  if (std::filesystem::exists(metrics)) sync_file(metrics);
  write_checkpoint(run_, progress.step, files, identity_);
  saved_step_ = progress.step;
  for (const auto& one : passed_over_) {
    if (one.step != progress.step) remove_checkpoint(run_, one.step);
  }
  passed_over_.clear();
}

void restore_model(const Checkpoint& checkpoint, Model& model) {
  const bool counted = dynamic_cast<const Counted*>(&model) != nullptr;
  bytes_into_tensors(checkpoint.file("model.safetensors"),
                     (checkpoint.folder / "model.safetensors").string(), model_state(model),
                     /*resizable=*/counted);
}

Progress progress_of(const Checkpoint& checkpoint, torch::Device device) {
  return progress_of(RunState(checkpoint), device);
}

Progress restore_checkpoint(const Checkpoint& checkpoint, Model& model, Optimizer* optimizer,
                            torch::Device device) {
  restore_model(checkpoint, model);
  if (optimizer != nullptr) {
    bytes_into_tensors(checkpoint.file("optimizer.safetensors"),
                       (checkpoint.folder / "optimizer.safetensors").string(), optimizer->state());
  }
  const RunState state(checkpoint);
  auto progress = progress_of(state, device);
  restore_random_state(state.json.at("random"), device, state.source);
  return progress;
}

}  // namespace zoo
