#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// GPT-2's alphabet of bytes (Radford et al., 2019): every byte as one visible character, so that
/// tokens of any bytes can be written into text files. In UTF-8.
std::string to_byte_alphabet(std::string_view bytes);

/// The bytes of one token. A token with a character outside the alphabet, as special tokens may
/// have, stands for itself: Hugging Face's decoder does the same.
std::string from_byte_alphabet(std::string_view token);

/// The 256 characters by code point, which is the order of their ids in a vocabulary.
std::vector<std::string> byte_alphabet();

}  // namespace zoo
