#pragma once

#include <cstdint>

namespace zoo {

/// Memory that this machine could still give to a program, in bytes; 0: unknown.
std::int64_t available_memory();

/// Memory that this process holds, in bytes; 0: unknown.
std::int64_t held_memory();

}  // namespace zoo
