#include "vision/formats/png.h"

#include <array>
#include <csetjmp>
#include <cstdio>
#include <new>

#include <png.h>

#include "core/errors.h"
#include "vision/formats/image_limits.h"
#include "vision/formats/png_layout.h"

namespace zoo {
namespace {

/// libpng's message, kept where its jump finds it.
struct PngMessage {
  std::array<char, 160> text = {};
};

/// Warnings too: what is left of a damaged image is not the image.
void keep_message(png_structp png, png_const_charp message) {
  auto& kept = *static_cast<PngMessage*>(png_get_error_ptr(png));
  std::snprintf(kept.text.data(), kept.text.size(), "%s", message);
  png_longjmp(png, 1);
}

/// libpng ends a call that fails by a jump into the method that made it. So these methods have no
/// locals with destructors, and what they work on belongs to their caller.
class PngReader {
 public:
  explicit PngReader(std::string_view bytes)
      : rest_(bytes),
        png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &message_, keep_message, keep_message)),
        info_(png_create_info_struct(png_)) {
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  /// Reads up to the pixels; false: see message().
  bool read_header() noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, this, give_bytes);
    png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_user_limits(png_, kLongestSide, kLongestSide);
    // Of the chunks that need not be there only tRNS is read.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(png_, info_);
    png_set_expand(png_);
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  /// Reads the pixels, a pointer a row, and what follows them.
  bool read_rows(png_bytepp rows) noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  /// Decodes the whole file and keeps none of it; `row` has room for one row.
  bool pass_over_rows(png_bytep row) noexcept {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    const auto height = png_get_image_height(png_, info_);
    for (int pass = 0; pass < passes_; ++pass) {
      for (png_uint_32 y = 0; y < height; ++y) png_read_row(png_, row, nullptr);
    }
    png_read_end(png_, nullptr);
    return true;
  }

  std::size_t samples() const { return png_get_channels(png_, info_); }
  std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }
  const char* message() const { return message_.text.data(); }

 private:
  static void give_bytes(png_structp png, png_bytep target, std::size_t count) {
    auto& rest = static_cast<PngReader*>(png_get_io_ptr(png))->rest_;
    if (count > rest.size()) png_error(png, "cut short");
    rest.copy(reinterpret_cast<char*>(target), count);
    rest.remove_prefix(count);
  }

  PngMessage message_;
  std::string_view rest_;
  int passes_ = 1;
  png_structp png_;
  png_infop info_;
};

/// A sample laid over white.
std::uint8_t over_white(int sample, int alpha) {
  return static_cast<std::uint8_t>((sample * alpha + 255 * (255 - alpha) + 127) / 255);
}

/// Rows of pixels of 1 to 4 samples, the last of 2 and of 4 their alpha.
Image image_of(const std::vector<std::uint8_t>& pixels, std::size_t samples, std::int64_t height,
               std::int64_t width) {
  Image image{{samples > 2 ? 3 : 1, height, width}, {}};
  const auto area = static_cast<std::size_t>(height * width);
  image.pixels.reserve(static_cast<std::size_t>(image.size.pixels()));
  const bool has_alpha = samples % 2 == 0;
  for (std::size_t channel = 0; channel < samples - (has_alpha ? 1 : 0); ++channel) {
    for (std::size_t i = 0; i < area; ++i) {
      const auto* pixel = &pixels[i * samples];
      image.pixels.push_back(has_alpha ? over_white(pixel[channel], pixel[samples - 1])
                                       : pixel[channel]);
    }
  }
  return image;
}

}  // namespace

Image decode_png(std::string_view bytes, const std::string& source) {
  const auto layout = read_png_layout(bytes, source);
  PngReader reader(bytes);
  const auto require_whole = [&](bool whole) {
    require<UserError>(whole, source, ": broken PNG (", reader.message(),
                       "); replace the file or remove it");
  };
  require_whole(reader.read_header());
  const auto size = reader.row_bytes() * static_cast<std::size_t>(layout.height);
  if (size > kMostUnseen) {
    PngReader looker(bytes);
    std::vector<std::uint8_t> row(reader.row_bytes());
    require<UserError>(looker.read_header() && looker.pass_over_rows(row.data()), source,
                       ": broken PNG (", looker.message(), "); replace the file or remove it");
  }
  std::vector<std::uint8_t> pixels(size);
  std::vector<png_bytep> rows;
  for (std::int64_t row = 0; row < layout.height; ++row) {
    rows.push_back(pixels.data() + static_cast<std::size_t>(row) * reader.row_bytes());
  }
  require_whole(reader.read_rows(rows.data()));
  return image_of(pixels, reader.samples(), layout.height, layout.width);
}

}  // namespace zoo
