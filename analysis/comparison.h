#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "training/config.h"

namespace zoo {

/// What every run of a comparison may use; one of the first four, and parameters beside.
struct Budget {
  std::optional<std::int64_t> steps;
  std::optional<std::int64_t> tokens;  ///< predicted in training
  std::optional<double> seconds;       ///< of updates, on this machine
  std::optional<double> flops;         ///< of forward and backward
  std::optional<std::int64_t> parameters;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("steps", self.steps, "Updates of every run.", at_least(1));
    visit("tokens", self.tokens, "Tokens that every run predicts in training.", at_least(1));
    visit("seconds", self.seconds,
          "Seconds that the updates of every run take on this machine, by a trial before.",
          above(0));
    visit("flops", self.flops, "Floating-point operations of every run's training.", above(0));
    visit("parameters", self.parameters,
          "Numbers that every model has, within 3 %: the option that `scale` names is set to fit.",
          at_least(1));
  }
  /// Throws ConfigError where more than one length is given.
  void validate(const std::string& path) const;

  bool has_length() const { return steps || tokens || seconds || flops; }
};

/// One model of a comparison, before its seeds.
struct Contender {
  std::string name;
  std::vector<std::string> settings;  ///< all that the comparison sets over its file
  RawConfig raw;                      ///< with them
  Config config;                      ///< resolved, paths located
  std::string scale;  ///< the option of its width, "model.d_model"; empty: it stands as it is
};

/// What all contenders learn, from the same data.
struct Problem {
  std::string name;  ///< empty where the comparison has only one
  std::vector<Contender> contenders;
};

/// Models that are compared, on one problem or on several.
struct Comparison {
  std::filesystem::path file;
  std::string title;
  std::string split = "val";
  std::vector<std::int64_t> seeds = {1};
  Budget budget;
  bool gradient_reach = false;    ///< whether it is measured how far back gradients reach
  std::vector<Problem> problems;  ///< the same contenders in each, in the same order
};

/// Reads a comparison: title, split, seeds, budget, gradient_reach, set (settings of all runs),
/// grid (values of a key, each of which makes a contender), runs, each a config with name, set,
/// grid and scale, and problems, each a name and settings over those of the runs. Throws UserError
/// with the place: unknown keys, seeds or names that repeat, configs of one problem on different
/// data, or of different tasks.
Comparison read_comparison(const std::filesystem::path& file);

/// A name as a folder is called: what is neither a letter, a digit nor a dot becomes a dash.
std::string folder_name(std::string name);

/// The option in which two configs' data differ so that their splits do, and its values; empty:
/// they have the same examples.
std::string data_difference(const Config& a, const Config& b);

}  // namespace zoo
