#include <algorithm>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/child_process.h"
#include "apps/command.h"
#include "apps/config_argument.h"
#include "apps/terminal.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/format.h"
#include "models/model.h"
#include "training/run_comparison.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for the runs that are compared.
fs::path fresh_folder() {
  std::random_device numbers;
  const auto folder = fs::temp_directory_path() / text_of("zoo-verify-resume-", numbers());
  make_folders(folder);
  return folder;
}

/// Settings that make the config's run so long, and look at every step.
std::vector<std::string> short_run(std::int64_t steps) {
  return {"training.epochs=null", text_of("training.max_steps=", steps),
          text_of("training.evaluate_every=", std::max<std::int64_t>(1, steps / 4)),
          "training.report_every=1"};
}

/// Two processes that train the same config, one of them cut and gone on with by a third.
class Proof {
 public:
  Proof(const cxxopts::ParseResult& arguments, std::int64_t steps)
      : folder_(fresh_folder()), steps_(steps) {
    config_ = {positional(arguments, "config")};
    for (const auto& setting : settings_of(arguments)) set(setting);
    for (const auto& setting : short_run(steps)) set(setting);
  }
  ~Proof() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(folder_, ignored);
  }
  Proof(const Proof&) = delete;
  Proof& operator=(const Proof&) = delete;

  fs::path straight() const { return folder_ / "straight"; }
  fs::path resumed() const { return folder_ / "resumed"; }

  /// Leaves the runs where they are, and says where.
  void keep() {
    kept_ = true;
    std::cerr << "the runs are kept in " << folder_.string() << "\n";
  }

  /// Returns whether all three came to their end; else a stop was asked for.
  bool run() {
    // Not where it is evaluated and saved anyway.
    const auto cut = std::max<std::int64_t>(1, steps_ / 2 + (steps_ > 4 ? 1 : 0));
    auto train = config_;
    train.insert(train.begin(), "train");
    auto first = train;
    train.insert(train.end(), {"--out", straight().string()});
    first.insert(first.end(), {"--out", resumed().string(), "--stop-after", std::to_string(cut)});
    return one(text_of("training ", steps_, " steps straight"), train) &&
           one(text_of("training ", cut, " steps"), first) &&
           one(text_of("the other ", steps_ - cut, " in a new process"),
               {"resume", resumed().string()});
  }

 private:
  void set(const std::string& setting) { config_.insert(config_.end(), {"--set", setting}); }

  bool one(const std::string& what, std::vector<std::string> arguments) {
    std::cerr << what << std::flush;
    arguments.push_back("--quiet");
    const auto child = run_this_program(arguments, folder_ / "log");
    if (stop_requested() || child.code == kInterruptedExit) {
      std::cerr << ": stopped\n";
      return false;
    }
    std::cerr << (child.code == kDone ? ": " + fixed_digits(child.seconds, 1) + " s\n" : "\n");
    require<UserError>(child.code == kDone, what, ": ", child.error);
    return true;
  }

  fs::path folder_;
  std::int64_t steps_;
  std::vector<std::string> config_;
  bool kept_ = false;
};

void print(const RunComparison& compared, bool json) {
  if (json) {
    nlohmann::json object = {{"equal", compared.equal()},
                             {"tensors", compared.tensors},
                             {"moments", compared.moments},
                             {"states", compared.states},
                             {"metric_lines", compared.lines}};
    if (!compared.equal()) object["difference"] = compared.difference;
    std::cout << object.dump(2) << "\n";
  } else if (compared.equal()) {
    std::cout << "equal: " << compared.tensors << " tensors, " << compared.moments << " moments, "
              << compared.states << " states, " << compared.lines << " metric lines\n";
  } else {
    std::cout << "different: " << compared.difference << "\n";
  }
}

int run(const cxxopts::ParseResult& arguments) {
  const auto steps = arguments["steps"].as<std::int64_t>();
  require<UserError>(steps >= 2, "--steps: got ", steps, "; must be at least 2");
  const auto config = config_argument(arguments).config;
  const auto& architecture = config.general.architecture;
  for (const auto& name : architectures_with<Counted>()) {
    require<UserError>(name != architecture, "architecture: ", name,
                       " counts in one pass, so that there is nothing to resume; choose one that "
                       "learns by gradient");
  }
  listen_for_stop();
  Proof proof(arguments, steps);
  if (!proof.run()) return kInterruptedExit;
  const auto compared = compare_runs(proof.straight(), proof.resumed(), config.identity());
  print(compared, arguments.count("json") > 0);
  if (compared.equal()) return kDone;
  proof.keep();
  return kOurFault;
}

}  // namespace

Command verify_resume_command() {
  return {"verify-resume",
          "CONFIG",
          "Shows that a run that is stopped and gone on with is the same, bit for bit",
          "zoo verify-resume configs/names/gpt.json --steps 60",
          [](cxxopts::Options& options) {
            add_config_argument(options);
            options.add_options()("steps", "Updates to train",
                                  cxxopts::value<std::int64_t>()->default_value("40"), "N");
            add_json_option(options);
            options.parse_positional({"config"});
          },
          run};
}

}  // namespace zoo
