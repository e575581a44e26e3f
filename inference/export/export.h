#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "inference/export/proof.h"
#include "inference/run.h"
#include "inference/trained_model.h"

namespace zoo {

/// What an export says about itself in its extra files.
struct ExportOrigin {
  RawConfig config;               ///< the run's own
  std::int64_t step = 0;          ///< of the checkpoint
  std::string checkpoint_sha256;  ///< of its weights
};

/// An export that was written and proved.
struct ExportReport {
  std::filesystem::path file;
  std::filesystem::path proof_file;
  std::int64_t bytes = 0;
  std::vector<ProofCase> cases;
};

/// Writes a model as a TorchScript file, loads it again and compares the two; the proof stands
/// beside it as FILE.proof.json. Nothing is left where that fails. Throws UserError: `file` exists,
/// cannot be written, or its answers differ by more than kExportTolerance.
ExportReport export_torchscript(const TrainedModel& trained, const ExportOrigin& origin,
                                const std::filesystem::path& file);

/// The same of a run.
ExportReport export_torchscript(const Run& run, const std::filesystem::path& file);

/// Opens such a file in place of a run folder: its program answers instead of a model of this
/// library, and normalises images by itself. TorchScript files are programs: loading one may run
/// its code. `settings` are laid over its config, to say where data lies. Throws UserError for a
/// file that is damaged or was not made here.
Run open_export(const std::filesystem::path& file, const std::string& device,
                const std::vector<std::string>& settings);

}  // namespace zoo
