#include "training/metrics_file.h"

#include <sstream>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"

namespace zoo {
namespace {

/// Whether a line tells of something that was done by then: its step may be saved before it is
/// evaluated.
bool was_done(const nlohmann::json& line, const Progress& progress) {
  if (!line.is_object() || !line.value("step", nlohmann::json()).is_number_integer()) return false;
  const auto step = line.at("step").get<std::int64_t>();
  const bool training = line.value("kind", nlohmann::json()) == "train";
  return step <= (training ? progress.step : progress.evaluated_step);
}

/// A file that holds only such lines; one that was torn is none.
const std::filesystem::path& kept_up_to(const Progress& progress,
                                        const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return path;
  const auto text = read_file(path);
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (was_done(json, progress)) kept += line + "\n";
  }
  if (kept != text) replace_file(path, kept);
  return path;
}

}  // namespace

MetricsFile::MetricsFile(const std::filesystem::path& path, const Progress& progress)
    : file_(kept_up_to(progress, path)) {}

void MetricsFile::write(const nlohmann::json& line) {
  file_.append(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void MetricsFile::on_report(const Progress& progress, const Report& report) {
  write({{"kind", "train"},
         {"step", progress.step},
         {"loss", report.loss},
         {"gradient_norm", report.gradient_norm},
         {"learning_rate", report.learning_rate},
         {"tokens_per_second", report.tokens_per_second()},
         {"seconds", progress.seconds}});
}

bool MetricsFile::on_evaluation(const Progress& progress, const Evaluation& evaluation) {
  nlohmann::json line = {{"kind", "evaluation"},      {"step", progress.step},
                         {"split", evaluation.split}, {"loss", evaluation.loss},
                         {"bits", evaluation.bits()}, {"seconds", progress.seconds}};
  for (const auto& [name, value] : evaluation.figures) line[name] = value;
  write(line);
  return true;
}

void MetricsFile::write_samples(const Progress& progress, const std::vector<std::string>& texts) {
  write({{"kind", "sample"}, {"step", progress.step}, {"texts", texts}});
}

}  // namespace zoo
