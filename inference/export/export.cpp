#include "inference/export/export.h"

#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/json_file.h"
#include "core/names.h"
#include "core/sha256.h"
#include "core/version.h"
#include "inference/export/scripted_model.h"
#include "training/experiment.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigFile = "config.json";
constexpr const char* kStateFile = "state.json";

/// A file that is removed at the end of its scope, unless it was renamed by then.
class PartFile {
 public:
  explicit PartFile(const fs::path& file) : path_(file.string() + ".part") { remove(); }
  ~PartFile() { remove(); }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const fs::path& path() const { return path_; }

 private:
  void remove() const {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  fs::path path_;
};

std::string shown(const std::vector<std::vector<std::int64_t>>& shapes) {
  std::vector<std::string> texts;
  for (const auto& shape : shapes) {
    std::vector<std::string> sizes;
    for (const auto size : shape) sizes.push_back(std::to_string(size));
    texts.push_back("[" + join(sizes, ", ") + "]");
  }
  return join(texts, " ");
}

void refuse_differences(const fs::path& file, const std::vector<ProofCase>& cases) {
  for (const auto& one : cases) {
    require<UserError>(one.difference <= kExportTolerance, file.string(), ": was not kept: its ",
                       one.method, " for ", shown(one.shapes), " differs from the run's by ",
                       one.difference, ", and at most ", kExportTolerance,
                       " is allowed; please report this with the run's config");
  }
}

/// Images as a program reads them that normalises by itself: from 0 to 255.
void leave_as_they_are(ImageInput& input) {
  const auto channels = static_cast<std::size_t>(input.size.channels);
  input.statistics = {std::vector<double>(channels, 0.0), std::vector<double>(channels, 1.0 / 255)};
}

}  // namespace

ExportReport export_torchscript(const TrainedModel& trained, const ExportOrigin& origin,
                                const fs::path& file) {
  require<UserError>(!fs::exists(fs::symlink_status(file)), file.string(),
                     ": exists already; choose another --out, or remove it");
  const EvaluationMode evaluation_mode(trained.model);
  auto program = scripted_program(trained);
  auto state = state_of(trained.vocabulary);
  state["zoo"] = version();
  state["step"] = origin.step;
  state["checkpoint_sha256"] = origin.checkpoint_sha256;
  program.files = files_of(trained.vocabulary);
  program.files[kConfigFile] = origin.config.document.dump(2) + "\n";
  program.files[kStateFile] = state.dump(2) + "\n";

  const auto archive = torchscript_archive(trained.model, program);
  const PartFile part(file);
  write_file_synced(part.path(), archive);
  TorchscriptFile loaded(part.path(), {}, trained.device);
  ExportReport report{file, file.string() + ".proof.json",
                      static_cast<std::int64_t>(archive.size()), prove(trained, loaded)};
  refuse_differences(file, report.cases);
  rename_path(part.path(), file);
  const nlohmann::json proof = {{"file", file.filename().string()},
                                {"bytes", report.bytes},
                                {"sha256", sha256(archive)},
                                {"zoo", version()},
                                {"step", origin.step},
                                {"checkpoint_sha256", origin.checkpoint_sha256},
                                {"tolerance", kExportTolerance},
                                {"largest_difference", largest_difference(report.cases)},
                                {"kernel_difference", largest_kernel_difference(report.cases)},
                                {"calls", proof_json(report.cases)}};
  replace_file(report.proof_file, proof.dump(2) + "\n");
  return report;
}

ExportReport export_torchscript(const Run& run, const fs::path& file) {
  return export_torchscript(
      trained_model(run),
      {run.raw, run.checkpoint.step, sha256(run.checkpoint.file("model.safetensors"))}, file);
}

Run open_export(const fs::path& file, const std::string& device_name,
                const std::vector<std::string>& settings) {
  const auto device = choose_device(device_name.empty() ? "cpu" : device_name);
  auto program = std::make_shared<TorchscriptFile>(
      file,
      std::vector<std::string>{kConfigFile, kStateFile, "tokenizer.json", "source_tokenizer.json"},
      device);
  const auto& files = program->files();
  require<UserError>(files.count(kConfigFile) > 0 && files.count(kStateFile) > 0, file.string(),
                     ": is TorchScript, but not an export of a run: it lacks ", kConfigFile, " or ",
                     kStateFile, "; `zoo export` writes such files");
  RawConfig raw{parse_json(files.at(kConfigFile), (file / kConfigFile).string()), file, {}};
  apply_settings(raw, settings);
  auto config = resolve_config(raw);
  Checkpoint checkpoint{0, file, files, {}};
  const auto state = parse_json(files.at(kStateFile), (file / kStateFile).string());
  checkpoint.step = state.value("step", std::int64_t{0});
  auto vocabulary = vocabulary_of(checkpoint);
  const auto facts = facts_of(vocabulary);
  if (vocabulary.images) leave_as_they_are(*vocabulary.images);
  auto model = scripted_model(program, find_architecture(config.general.architecture));
  model->eval();
  return {file,  std::move(raw), std::move(config), std::move(checkpoint), std::move(vocabulary),
          facts, device,         std::move(model)};
}

}  // namespace zoo
