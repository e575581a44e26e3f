#pragma once

#include <torch/types.h>
#include <nlohmann/json_fwd.hpp>

namespace zoo {

/// The state of the global generators of the CPU and of `device`, as hexadecimal text.
nlohmann::json random_state(torch::Device device);

/// Puts them back. Throws UserError naming `source` when the text is not such a state.
void restore_random_state(const nlohmann::json& state, torch::Device device,
                          const std::string& source);

}  // namespace zoo
