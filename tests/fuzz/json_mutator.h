#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// What libFuzzer gives to mutators and asks for.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed);

namespace zoo {

/// The JSON with one of its values changed, moved, copied or removed, so that it reaches what lies
/// behind the parser. "" where the text is not JSON.
std::string mutated_json(std::string_view text, unsigned seed);

/// A custom mutator for JSON that a NUL and other bytes may follow.
std::size_t mutate_json_head(std::uint8_t* data, std::size_t size, std::size_t max_size,
                             unsigned seed);

}  // namespace zoo
