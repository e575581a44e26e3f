#include "core/gzip.h"

#include <algorithm>
#include <array>
#include <new>

#include <zlib.h>

#include "core/errors.h"
#include "core/sha256.h"

namespace zoo {
namespace {

constexpr std::string_view kSignature = "\x1F\x8B";
constexpr std::size_t kBufferSize = std::size_t{1} << 16;
constexpr std::size_t kLargestFeed = std::size_t{1} << 30;  // zlib counts input in 32 bits
constexpr int kGzipWindow = 16 + MAX_WBITS;                 // 16: a gzip header, checksum and size

/// Decodes the members of gzip data one after the other.
class GzipReader {
 public:
  GzipReader(std::string_view bytes, const std::string& source)
      : rest_(bytes), size_(bytes.size()), source_(source) {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~GzipReader() { inflateEnd(&stream_); }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// The next bytes, at most a buffer of them; empty at the end.
  std::string_view next() {
    stream_.next_out = buffer_.data();
    stream_.avail_out = kBufferSize;
    while (!done_ && stream_.avail_out > 0) advance();
    return {reinterpret_cast<const char*>(buffer_.data()), kBufferSize - stream_.avail_out};
  }

 private:
  void advance() {
    feed();
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) return end_member();
    require<UserError>(status != Z_BUF_ERROR, source_, ": gzip data cut short after ", size_,
                       " bytes; get the file again");
    require<UserError>(status == Z_OK, source_, ": broken gzip data near byte ", position(), " (",
                       stream_.msg ? stream_.msg : "no cause given", "); get the file again");
  }

  void feed() {
    if (stream_.avail_in > 0) return;
    const auto part = rest_.substr(0, kLargestFeed);
    // zlib reads only, but its declaration does not say so everywhere.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream_.avail_in = static_cast<uInt>(part.size());
    rest_.remove_prefix(part.size());
  }

  void end_member() {
    feed();
    done_ = stream_.avail_in == 0;
    if (done_) return;
    require<UserError>(*stream_.next_in == static_cast<unsigned char>(kSignature.front()), source_,
                       ": behind its gzip data, from byte ", position(),
                       " on, is something else; remove that, or get the file again");
    inflateReset(&stream_);
  }

  std::size_t position() const { return size_ - rest_.size() - stream_.avail_in; }

  z_stream stream_ = {};
  std::string_view rest_;
  std::size_t size_;
  const std::string& source_;
  std::array<unsigned char, kBufferSize> buffer_;
  bool done_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with(kSignature); }

std::string gunzip(std::string_view bytes, const std::string& source, std::size_t most_bytes) {
  require<UserError>(is_gzip(bytes), source, ": no gzip data: it starts with '",
                     to_hex(bytes.substr(0, kSignature.size())), "'; expected '",
                     to_hex(kSignature), "'");
  std::string unpacked;
  GzipReader reader(bytes, source);
  for (auto part = reader.next(); !part.empty(); part = reader.next()) {
    require<UserError>(part.size() <= most_bytes - unpacked.size(), source, ": unpacked it has ",
                       "more than ", most_bytes, " bytes, the most that are read; split it");
    unpacked += part;
  }
  return unpacked;
}

}  // namespace zoo
