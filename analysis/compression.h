#pragma once

#include <cstddef>
#include <string_view>

namespace zoo {

/// Bytes of one gzip member (zlib, level 9, no file name) that holds the bytes and then `more`. A
/// match reaches back 32 KiB. Throws std::bad_alloc.
std::size_t gzip_size(std::string_view bytes, std::string_view more = {});

/// Bytes of one .xz stream (liblzma, preset 9 extreme) that holds the bytes and then `more`. A
/// match reaches back 64 MiB; up to 700 MB of memory. Throws std::bad_alloc.
std::size_t xz_size(std::string_view bytes, std::string_view more = {});

/// What the held-out text costs a compressor that has seen the training text, as a predictor of
/// text is measured: 8 (size(train, held_out) - size(train)) / characters. `characters` is how many
/// characters the held-out text has; throws std::invalid_argument for 0.
double bits_per_character(std::size_t (*size)(std::string_view, std::string_view),
                          std::string_view train, std::string_view held_out,
                          std::size_t characters);

}  // namespace zoo
