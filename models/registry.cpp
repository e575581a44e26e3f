#include "models/registry.h"

#include <algorithm>
#include <unordered_set>

#include "core/errors.h"
#include "core/names.h"

namespace zoo {

// An ordinary call per architecture, not a static object in each model's file: a static library
// drops objects that nothing refers to, and a forgotten definition is here a link error.
#define ZOO_ARCHITECTURE(name) Architecture name##_architecture();
#include "models/architectures.def"
#undef ZOO_ARCHITECTURE

const std::vector<Architecture>& architectures() {
  static const std::vector<Architecture> rows = {
#define ZOO_ARCHITECTURE(name) name##_architecture(),
#include "models/architectures.def"
#undef ZOO_ARCHITECTURE
  };
  return rows;
}

const Architecture& find_architecture(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& row : architectures()) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  throw ConfigError(text_of("architecture: unknown name \"", name, "\"", did_you_mean(name, known),
                            "; known names: ", join(known, ", ")));
}

DataFacts tiny_image_facts() {
  DataFacts facts;
  facts.channels = 2;
  facts.height = 12;
  facts.width = 8;
  facts.classes = 3;
  return facts;
}

Inputs tiny_images(std::int64_t batch) {
  const auto facts = tiny_image_facts();
  Inputs inputs;
  inputs.images = torch::randn({batch, facts.channels, facts.height, facts.width});
  return inputs;
}

Example example_on_images(nlohmann::json options, std::int64_t batch) {
  const auto facts = tiny_image_facts();
  return {std::move(options), facts, tiny_images(batch), {batch, facts.classes}};
}

std::vector<std::string> architectures_for(const std::string& task) {
  std::vector<std::string> names;
  for (const auto& row : architectures()) {
    if (std::find(row.tasks.begin(), row.tasks.end(), task) != row.tasks.end()) {
      names.push_back(row.name);
    }
  }
  return names;
}

torch::Device device_of(const Model& model) {
  for (const auto& tensor : model.parameters()) return tensor.device();
  for (const auto& tensor : model.buffers()) return tensor.device();
  return torch::kCPU;
}

std::vector<std::pair<std::string, torch::Tensor>> unique_parameters(
    const torch::nn::Module& model) {
  std::vector<std::pair<std::string, torch::Tensor>> parameters;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const auto& item : model.named_parameters()) {
    if (seen.insert(item.value().unsafeGetTensorImpl()).second) {
      parameters.emplace_back(item.key(), item.value());
    }
  }
  return parameters;
}

std::int64_t parameter_count(const torch::nn::Module& model) {
  std::int64_t count = 0;
  for (const auto& [name, parameter] : unique_parameters(model)) count += parameter.numel();
  return count;
}

}  // namespace zoo
