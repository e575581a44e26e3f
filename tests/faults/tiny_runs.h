#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/faults/fault.h"
#include "tests/support/child_program.h"
#include "tests/support/temporary_folder.h"

namespace zoo {

/// Trainings of a second each, of several architectures and tasks, that save often, with dropout,
/// reports, evaluations and samples.
class TinyRuns {
 public:
  TinyRuns();
  /// One for all tests, so that what nothing stops is trained once.
  static TinyRuns& shared();

  static const std::vector<std::string>& names();
  static constexpr std::int64_t kSaveEvery = 3;
  static constexpr std::int64_t kSteps = 40;

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  /// A path where nothing is any more.
  std::filesystem::path fresh(const std::string& name) const;
  /// Writes a further config: another one with a JSON merge patch over it.
  void add(const std::string& name, const std::string& base, const std::string& patch) const;
  /// Writes a file of that many made-up names.
  void add_many_names(const std::string& file, int count) const;

  /// Starts `zoo train` of a config into a run folder, or `zoo resume` where that has a checkpoint.
  /// A folder without one is removed first, as its user would do.
  std::unique_ptr<ChildProgram> go_on(const std::string& config, const std::filesystem::path& run,
                                      const Environment& more = {}) const;
  /// The same to its end.
  ProgramResult finish(const std::string& config, const std::filesystem::path& run,
                       const Environment& more = {}) const;
  /// The same; whether the run is finished then, or was already.
  bool end(const std::string& config, const std::filesystem::path& run) const;
  /// Its calls on its folder, from the first to the last.
  const std::vector<FileCall>& calls(const std::string& config);
  /// A run that nothing stopped, made once.
  const std::filesystem::path& whole(const std::string& config);
  /// Seconds that it took.
  double seconds(const std::string& config);

 private:
  TemporaryFolder folder_;
  std::map<std::string, std::filesystem::path> whole_;
  std::map<std::string, double> seconds_;
  std::map<std::string, std::vector<FileCall>> calls_;
};

/// Runs the program zoo, with one thread.
ProgramResult zoo_result(const std::vector<std::string>& arguments, const Environment& more = {});

/// The newest step that has a folder; -1 where there is none.
std::int64_t newest_step(const std::filesystem::path& run);
/// That of the newest checkpoint that is whole, whatever its identity; -1 where there is none.
std::int64_t newest_whole_step(const std::filesystem::path& run);
/// The step of the last whole line "train" of metrics.jsonl; 0 where there is none.
std::int64_t last_reported_step(const std::filesystem::path& run);
/// Whether metrics.jsonl has a line of that kind and step.
bool has_line(const std::filesystem::path& run, const std::string& kind, std::int64_t step);
/// The identity that a run's newest manifest names.
std::string identity_of_run(const std::filesystem::path& run);

/// In what two finished runs differ, times aside: weights, moments, random states, progress, the
/// best, the lines of metrics.jsonl, the summary.
std::vector<std::string> differences(const std::filesystem::path& run,
                                     const std::filesystem::path& whole);

/// CHECKs that there is none, and says which otherwise.
void check_same_result(const std::filesystem::path& run, const std::filesystem::path& whole);

}  // namespace zoo
