#include "inference/run.h"

#include <utility>

#include <torch/types.h>

#include "core/errors.h"
#include "training/checkpoint_observer.h"
#include "training/run_folder.h"

namespace zoo {

Run open_run(const std::filesystem::path& folder, const std::string& checkpoint_name,
             const std::string& device_name) {
  auto raw = read_run_config(folder);
  auto config = resolve_config(raw);
  auto checkpoint = read_checkpoint(folder, checkpoint_name, config.identity());
  auto vocabulary = vocabulary_of(checkpoint);
  const auto facts = facts_of(vocabulary);
  const auto device = choose_device(device_name.empty() ? config.general.device : device_name);
  auto model = find_architecture(config.general.architecture).build(config.model, facts);
  model->to(device);
  restore_model(checkpoint, *model);
  model->eval();
  return {folder, std::move(raw), std::move(config), std::move(checkpoint), std::move(vocabulary),
          facts,  device,         std::move(model)};
}

Experiment experiment_of(const Run& run) {
  auto config = run.config;
  locate_data(run.raw, config);
  return with_known_data(run.raw, config, [&] {
    return make_experiment(config, run.vocabulary, run.model, run.device);
  });
}

}  // namespace zoo
