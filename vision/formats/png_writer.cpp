#include <array>
#include <csetjmp>
#include <new>
#include <stdexcept>

#include <png.h>

#include "core/errors.h"
#include "vision/formats/png.h"

namespace zoo {
namespace {

void jump_back(png_structp png, png_const_charp /*message*/) { png_longjmp(png, 1); }
void pass_over(png_structp /*png*/, png_const_charp /*message*/) {}

/// Like the reader's, a method that libpng jumps back to has no locals with destructors.
class PngWriter {
 public:
  PngWriter()
      : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, jump_back, pass_over)),
        info_(png_create_info_struct(png_)) {
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      throw std::bad_alloc();
    }
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  bool write(const ImageSize& size, png_bytepp rows) noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_write_fn(png_, &bytes_, take_bytes, nullptr);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(size.width),
                 static_cast<png_uint_32>(size.height), 8,
                 size.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    png_write_image(png_, rows);
    png_write_end(png_, nullptr);
    return true;
  }

  std::string& bytes() { return bytes_; }

 private:
  static void take_bytes(png_structp png, png_bytep bytes, std::size_t count) {
    bool taken = true;
    try {
      static_cast<std::string*>(png_get_io_ptr(png))
          ->append(reinterpret_cast<const char*>(bytes), count);
    } catch (const std::bad_alloc&) {
      taken = false;
    }
    if (!taken) png_error(png, "no memory");
  }

  std::string bytes_;
  png_structp png_;
  png_infop info_;
};

/// The samples of each pixel side by side, row by row.
std::vector<std::uint8_t> interleaved(const Image& image) {
  const auto channels = static_cast<std::size_t>(image.size.channels);
  const auto area = static_cast<std::size_t>(image.size.height * image.size.width);
  std::vector<std::uint8_t> samples(image.pixels.size());
  for (std::size_t channel = 0; channel < channels; ++channel) {
    for (std::size_t i = 0; i < area; ++i) {
      samples[i * channels + channel] = image.pixels[channel * area + i];
    }
  }
  return samples;
}

}  // namespace

std::string encode_png(const Image& image) {
  const auto& size = image.size;
  require<ShapeError>(
      (size.channels == 1 || size.channels == 3) && size.height > 0 && size.width > 0 &&
          static_cast<std::int64_t>(image.pixels.size()) == size.pixels(),
      "encode_png: ", image.pixels.size(), " pixels for ", size.channels, " x ", size.height, " x ",
      size.width, "; expected 1 or 3 channels and a byte for each place");
  auto samples = interleaved(image);
  std::vector<png_bytep> rows;
  for (std::int64_t row = 0; row < size.height; ++row) {
    rows.push_back(samples.data() + row * size.width * size.channels);
  }
  PngWriter writer;
  if (!writer.write(size, rows.data())) throw std::runtime_error("libpng could not write an image");
  return std::move(writer.bytes());
}

}  // namespace zoo
