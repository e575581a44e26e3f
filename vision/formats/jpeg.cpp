#include "vision/formats/jpeg.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>  // jpeglib.h needs it

#include <jpeglib.h>

#include "core/errors.h"
#include "vision/formats/image_limits.h"

namespace zoo {
namespace {

/// Each block of 8 x 8 has a code of a bit at least, and some component has a block for each four
/// of the image.
constexpr std::int64_t kMostPixelsAByte = 8 * 64 * 4;
/// Encoders write ten or so. A scan of a few bytes may cost a walk over all pixels.
constexpr int kMostScans = 100;
/// Bytes that are kept of an image which comes in several scans, until the last one was read.
constexpr std::int64_t kMostBuffered = std::int64_t{48} << 20;

/// libjpeg's error handler, and where it jumps to.
struct JpegErrors {
  jpeg_error_mgr manager;  // first: libjpeg knows this part only
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void jump_back(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  info->err->format_message(info, errors->message);
  std::longjmp(errors->jump, 1);
}

/// Negative levels are warnings: data are damaged, and libjpeg would invent the rest.
void refuse_warnings(j_common_ptr info, int level) {
  if (level < 0) jump_back(info);
}

void refuse_many_scans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) return;
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  std::snprintf(errors->message, sizeof errors->message, "more than %d scans", kMostScans);
  std::longjmp(errors->jump, 1);
}

/// libjpeg ends a call that fails by a jump into the method that made it. So these methods have no
/// locals with destructors, and what they work on belongs to their caller.
class JpegReader {
 public:
  explicit JpegReader(std::string_view bytes) : bytes_(bytes) {
    info_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = jump_back;
    errors_.manager.emit_message = refuse_warnings;
    progress_.progress_monitor = refuse_many_scans;
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  /// Reads up to the pixels; false: see message().
  bool read_header() noexcept {
    if (setjmp(errors_.jump) != 0) return false;
    jpeg_create_decompress(&info_);
    info_.progress = &progress_;
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes_.data()),
                 static_cast<unsigned long>(bytes_.size()));
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  /// Reads the pixels into the planes; `row` has room for one row.
  bool read_pixels(std::uint8_t* planes, std::uint8_t* row) noexcept {
    if (setjmp(errors_.jump) != 0) return false;
    info_.out_color_space = info_.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&info_);
    const auto channels = static_cast<std::size_t>(info_.num_components);
    const std::size_t width = info_.output_width, area = width * info_.output_height;
    while (info_.output_scanline < info_.output_height) {
      auto* target = planes + info_.output_scanline * width;
      jpeg_read_scanlines(&info_, &row, 1);
      for (std::size_t channel = 0; channel < channels; ++channel) {
        for (std::size_t x = 0; x < width; ++x) {
          target[channel * area + x] = row[x * channels + channel];
        }
      }
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  /// Decodes the whole file and keeps none of it.
  bool pass_over_pixels(std::uint8_t* row) noexcept {
    if (setjmp(errors_.jump) != 0) return false;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) jpeg_read_scanlines(&info_, &row, 1);
    jpeg_finish_decompress(&info_);
    return true;
  }

  /// Bytes that libjpeg keeps of the image beside what it gives out.
  std::int64_t buffered_bytes() {
    if (jpeg_has_multiple_scans(&info_) == FALSE) return 0;
    std::int64_t bytes = 0;
    for (int i = 0; i < info_.num_components; ++i) {
      const auto& part = info_.comp_info[i];
      bytes += std::int64_t{part.width_in_blocks} * part.height_in_blocks *
               static_cast<std::int64_t>(sizeof(JBLOCK));
    }
    return bytes;
  }

  const jpeg_decompress_struct& info() const { return info_; }
  const char* message() const { return errors_.message; }

 private:
  std::string_view bytes_;
  jpeg_decompress_struct info_ = {};
  jpeg_progress_mgr progress_ = {};
  JpegErrors errors_ = {};
};

/// Refuses what is read by libjpeg but not as pixels of 8 bits in grey or colour.
void require_kind(const jpeg_decompress_struct& info, std::string_view bytes,
                  const std::string& source) {
  require_image_size(info.image_height, info.image_width, source);
  require<UserError>(info.jpeg_color_space != JCS_CMYK && info.jpeg_color_space != JCS_YCCK, source,
                     ": JPEG in CMYK, the colours of printing; convert it to RGB");
  require<UserError>(info.num_components == 1 || info.num_components == 3, source, ": JPEG of ",
                     info.num_components, " channels; 1 (grey) and 3 (colour) are read");
  require<UserError>(info.data_precision == 8, source, ": JPEG of ", info.data_precision,
                     " bits a channel; 8 are read, so convert the image");
  require<UserError>(!info.arith_code, source,
                     ": JPEG in arithmetic coding; save it as a baseline JPEG or a PNG");
  const auto area = static_cast<std::int64_t>(info.image_height) * info.image_width;
  require<UserError>(area / kMostPixelsAByte <= static_cast<std::int64_t>(bytes.size()), source,
                     ": broken JPEG: ", bytes.size(), " bytes cannot hold ", info.image_height,
                     " x ", info.image_width, " pixels; replace the file or remove it");
}

}  // namespace

Image decode_jpeg(std::string_view bytes, const std::string& source) {
  JpegReader reader(bytes);
  const auto require_whole = [&](bool whole) {
    require<UserError>(whole, source, ": broken JPEG (", reader.message(),
                       "); replace the file or remove it");
  };
  require_whole(reader.read_header());
  const auto& info = reader.info();
  require_kind(info, bytes, source);
  require<UserError>(reader.buffered_bytes() <= kMostBuffered, source, ": JPEG of ",
                     info.image_height, " x ", info.image_width,
                     " pixels in several scans; save it as a baseline JPEG, or make it smaller");
  Image image{{info.num_components, info.image_height, info.image_width}, {}};
  const auto size = static_cast<std::size_t>(image.size.pixels());
  std::vector<std::uint8_t> row(static_cast<std::size_t>(image.size.channels * image.size.width));
  if (size > kMostUnseen) {
    JpegReader looker(bytes);
    require<UserError>(looker.read_header() && looker.pass_over_pixels(row.data()), source,
                       ": broken JPEG (", looker.message(), "); replace the file or remove it");
  }
  image.pixels.resize(size);
  require_whole(reader.read_pixels(image.pixels.data(), row.data()));
  return image;
}

}  // namespace zoo
