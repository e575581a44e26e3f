#include "analysis/compression.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <stdexcept>

#include <lzma.h>
#include <zlib.h>

#include "core/errors.h"

namespace zoo {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;
constexpr std::size_t kLargestFeed = std::size_t{1} << 30;  // zlib counts input in 32 bits
constexpr int kGzipWindow = 16 + MAX_WBITS;                 // 16: a gzip header, checksum and size
constexpr int kGzipMemory = 9;  // symbols of a block: as many as the program gzip takes

/// Packs to gzip and counts the bytes.
class GzipCounter {
 public:
  GzipCounter() {
    if (deflateInit2(&stream_, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, kGzipMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipCounter() { deflateEnd(&stream_); }
  GzipCounter(const GzipCounter&) = delete;
  GzipCounter& operator=(const GzipCounter&) = delete;

  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto part = bytes.substr(0, kLargestFeed);
      // zlib reads only, but its declaration does not say so everywhere.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
      stream_.avail_in = static_cast<uInt>(part.size());
      while (stream_.avail_in > 0) pack(Z_NO_FLUSH);
      bytes.remove_prefix(part.size());
    }
  }

  std::size_t finish() {
    while (pack(Z_FINISH) != Z_STREAM_END) continue;
    return size_;
  }

 private:
  int pack(int flush) {
    stream_.next_out = buffer_.data();
    stream_.avail_out = kBufferSize;
    const int status = deflate(&stream_, flush);
    require<std::logic_error>(status == Z_OK || status == Z_STREAM_END, "zlib: deflate says ",
                              status);
    size_ += kBufferSize - stream_.avail_out;
    return status;
  }

  z_stream stream_ = {};
  std::array<unsigned char, kBufferSize> buffer_;
  std::size_t size_ = 0;
};

/// Packs to .xz and counts the bytes.
class XzCounter {
 public:
  XzCounter() {
    if (lzma_easy_encoder(&stream_, 9 | LZMA_PRESET_EXTREME, LZMA_CHECK_CRC64) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }
  ~XzCounter() { lzma_end(&stream_); }
  XzCounter(const XzCounter&) = delete;
  XzCounter& operator=(const XzCounter&) = delete;

  void add(std::string_view bytes) {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    stream_.avail_in = bytes.size();
    while (stream_.avail_in > 0) pack(LZMA_RUN);
  }

  std::size_t finish() {
    while (pack(LZMA_FINISH) != LZMA_STREAM_END) continue;
    return size_;
  }

 private:
  lzma_ret pack(lzma_action action) {
    stream_.next_out = buffer_.data();
    stream_.avail_out = kBufferSize;
    const auto status = lzma_code(&stream_, action);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    require<std::logic_error>(status == LZMA_OK || status == LZMA_STREAM_END, "liblzma: says ",
                              static_cast<int>(status));
    size_ += kBufferSize - stream_.avail_out;
    return status;
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::array<unsigned char, kBufferSize> buffer_;
  std::size_t size_ = 0;
};

template <class Counter>
std::size_t packed_size(std::string_view bytes, std::string_view more) {
  Counter counter;
  counter.add(bytes);
  counter.add(more);
  return counter.finish();
}

}  // namespace

std::size_t gzip_size(std::string_view bytes, std::string_view more) {
  return packed_size<GzipCounter>(bytes, more);
}

std::size_t xz_size(std::string_view bytes, std::string_view more) {
  return packed_size<XzCounter>(bytes, more);
}

double bits_per_character(std::size_t (*size)(std::string_view, std::string_view),
                          std::string_view train, std::string_view held_out,
                          std::size_t characters) {
  require<std::invalid_argument>(characters > 0, "compression: a held-out text of no characters");
  const auto added =
      static_cast<double>(size(train, held_out)) - static_cast<double>(size(train, {}));
  return 8 * added / static_cast<double>(characters);
}

}  // namespace zoo
