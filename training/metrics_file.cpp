#include "training/metrics_file.h"

#include <sstream>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"

namespace zoo {
namespace {

/// The lines of a metrics file that belong to steps that are done; a torn last line is dropped.
std::string lines_up_to(const std::filesystem::path& path, std::int64_t step) {
  std::istringstream lines(read_file(path));
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.value("step", nlohmann::json()).is_number_integer()) continue;
    if (json.at("step").get<std::int64_t>() <= step) kept += line + "\n";
  }
  return kept;
}

}  // namespace

MetricsFile::MetricsFile(const std::filesystem::path& path, const Progress& progress)
    : path_(path) {
  if (std::filesystem::exists(path)) replace_file(path, lines_up_to(path, progress.step));
  file_.open(path, std::ios::app);
  require<UserError>(file_.is_open(), "cannot write ", path.string());
}

void MetricsFile::write(const nlohmann::json& line) {
  file_ << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  require<UserError>(file_.good(), "cannot write ", path_.string(), "; is the disk full?");
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
