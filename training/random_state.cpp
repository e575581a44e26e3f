#include "training/random_state.h"

#include <mutex>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/sha256.h"

namespace zoo {
namespace {

std::vector<torch::Device> generators_of(torch::Device device) {
  if (device.is_cpu()) return {torch::Device(torch::kCPU)};
  return {torch::Device(torch::kCPU), device};
}

}  // namespace

nlohmann::json random_state(torch::Device device) {
  auto states = nlohmann::json::object();
  for (const auto& place : generators_of(device)) {
    auto generator = at::globalContext().defaultGenerator(place);
    const std::lock_guard lock(generator.mutex());
    const auto state = generator.get_state().contiguous();  // uint8 on the CPU
    states[place.is_cpu() ? "cpu" : "cuda"] =
        to_hex({static_cast<const char*>(state.const_data_ptr()), state.nbytes()});
  }
  return states;
}

void restore_random_state(const nlohmann::json& state, torch::Device device,
                          const std::string& source) {
  for (const auto& place : generators_of(device)) {
    const char* name = place.is_cpu() ? "cpu" : "cuda";
    if (!state.contains(name)) continue;  // the run was started on another device
    try {
      auto bytes = from_hex(state.at(name).get<std::string>());
      const auto tensor =
          torch::from_blob(bytes.data(), {static_cast<std::int64_t>(bytes.size())}, torch::kUInt8)
              .clone();
      auto generator = at::globalContext().defaultGenerator(place);
      const std::lock_guard lock(generator.mutex());
      generator.set_state(tensor);
    } catch (const std::exception&) {
      throw UserError(source + ": random." + name + " is not a generator's state");
    }
  }
}

}  // namespace zoo
