#pragma once

#include <filesystem>

#include "training/experiment.h"
#include "training/progress.h"
#include "training/watches.h"

namespace zoo {

/// Ends a training session: puts the best weights into the model, compares them with counted
/// n-grams, generates ten texts, writes RUN/summary.json and prints it all, as tables or as JSON.
void print_training_summary(const std::filesystem::path& run, Experiment& experiment,
                            const Progress& progress, const Throughput& throughput, bool json);

}  // namespace zoo
