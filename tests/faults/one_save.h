#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/files.h"
#include "training/checkpoint.h"

namespace zoo {

inline constexpr const char* kIdentity = "identity";

/// What the checkpoint of a step holds: a few kilobytes, of every step others.
inline CheckpointFiles files_of_step(std::int64_t step) {
  const auto bytes = [step](std::size_t size, int salt) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) {
      text[i] = static_cast<char>(1 + (i * 31 + static_cast<std::size_t>(step * 7 + salt)) % 255);
    }
    return text;
  };
  return {{"model.safetensors", bytes(3000, 1)},
          {"optimizer.safetensors", bytes(6000, 2)},
          {"state.json", "{\"step\": " + std::to_string(step) + "}\n"}};
}

/// The line of metrics.jsonl.
inline std::string line_of_step(std::int64_t step) {
  return "{\"kind\":\"train\",\"step\":" + std::to_string(step) + "}\n";
}

/// Every second step is better than all before.
inline bool is_best(std::int64_t step) { return step % 2 == 0; }

/// Saves a run once, as training does.
inline void save_once(const std::filesystem::path& run, std::int64_t step) {
  const FolderLock lock(run);
  replace_file(run / "metrics.jsonl", line_of_step(step - 1));
  GrowingFile metrics(run / "metrics.jsonl");
  metrics.append(line_of_step(step));
  sync_file(run / "metrics.jsonl");
  write_checkpoint(run, step, files_of_step(step), kIdentity);
  if (is_best(step)) mark_best(run, step);
  prune_checkpoints(run, /*keep=*/2);
  replace_file(run / "summary.json", "{}\n");
}

}  // namespace zoo
