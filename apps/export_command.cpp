#include <chrono>
#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "core/errors.h"
#include "core/names.h"
#include "inference/export/export.h"

namespace zoo {
namespace {

/// "[2, 3] [2]"
std::string shown(const std::vector<std::vector<std::int64_t>>& shapes) {
  std::vector<std::string> texts;
  for (const auto& shape : shapes) texts.push_back(nlohmann::json(shape).dump());
  return join(texts, " ");
}

std::string shown_difference(double difference) {
  return difference == 0.0 ? "0" : text_of(std::setprecision(2), difference);
}

void print_report(const ExportReport& report, double seconds) {
  Table table({"method", "<arguments", "difference", "export, ms", "run, ms"});
  for (const auto& one : report.cases) {
    table.add({one.method, shown(one.shapes), shown_difference(one.difference),
               fixed_digits(one.export_milliseconds, 2), fixed_digits(one.model_milliseconds, 2)});
  }
  table.print(std::cout);
  const auto told =
      text_of(bytes_text(report.bytes), " in ", fixed_digits(seconds, 1), " s, proved by ",
              report.cases.size(), " calls: the largest difference from the run is ",
              shown_difference(largest_difference(report.cases)), ", of at most ",
              shown_difference(kExportTolerance), "; from the run with zoo's own kernels ",
              shown_difference(largest_kernel_difference(report.cases)));
  std::cout << "\n"
            << fitted({report.file.string() + ": ", "  "}, told) << "\n"
            << report.proof_file.string() << ": the proof\n";
}

int run(const cxxopts::ParseResult& arguments) {
  const auto format = arguments["to"].as<std::string>();
  require<UserError>(format == "torchscript", "--to: got \"", format, "\"; choose torchscript",
                     did_you_mean(format, {"torchscript"}));
  const auto start = std::chrono::steady_clock::now();
  const auto opened = open_run(arguments);
  const auto out = arguments.count("out") > 0
                       ? std::filesystem::path(arguments["out"].as<std::string>())
                       : opened.folder / "model.pt";
  const auto report = export_torchscript(opened, out);
  const auto passed = std::chrono::steady_clock::now() - start;
  if (arguments.count("json") > 0) {
    const nlohmann::json json = {{"file", report.file.string()},
                                 {"proof", report.proof_file.string()},
                                 {"bytes", report.bytes},
                                 {"largest_difference", largest_difference(report.cases)},
                                 {"kernel_difference", largest_kernel_difference(report.cases)},
                                 {"calls", proof_json(report.cases)}};
    std::cout << json.dump(2) << "\n";
  } else {
    print_report(report, std::chrono::duration<double>(passed).count());
  }
  return kDone;
}

}  // namespace

Command export_command() {
  return {"export",
          "RUN",
          "Writes the model of a run as one file that C++ and Python open, and proves it",
          "zoo export runs/first --to torchscript --out model.pt",
          [](cxxopts::Options& options) {
            add_run_options(options);
            using cxxopts::value;
            options.add_options()("to", "The format: torchscript",
                                  value<std::string>()->default_value("torchscript"), "FORMAT")(
                "out", "The file; default RUN/model.pt", value<std::string>(), "FILE");
            add_json_option(options);
          },
          run};
}

}  // namespace zoo
