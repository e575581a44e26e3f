#include "vision/formats/image_file.h"

#include <algorithm>
#include <array>

#include "core/errors.h"
#include "core/sha256.h"
#include "vision/formats/jpeg.h"
#include "vision/formats/png.h"

namespace zoo {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kShownBytes = 8;

struct Signature {
  std::size_t at;
  std::string_view bytes;
  const char* format;
};
constexpr std::array kSignatures = {
    Signature{0, "GIF8"sv, "GIF"},         Signature{8, "WEBP"sv, "WebP"},
    Signature{0, "BM"sv, "BMP"},           Signature{0, "II*\0"sv, "TIFF"},
    Signature{0, "MM\0*"sv, "TIFF"},       Signature{4, "ftypavif"sv, "AVIF"},
    Signature{4, "ftypheic"sv, "HEIC"},    Signature{4, "ftypheix"sv, "HEIC"},
    Signature{4, "ftypmif1"sv, "HEIC"},    Signature{4, "ftypavis"sv, "AVIF"},
    Signature{4, "ftyphevc"sv, "HEIC"},    Signature{0, "\xFF\x0A"sv, "JPEG XL"},
    Signature{4, "JXL \r\n"sv, "JPEG XL"}, Signature{4, "jP  \r\n"sv, "JPEG 2000"},
    Signature{0, "<svg"sv, "SVG"},         Signature{0, "%PDF"sv, "PDF"}};

/// The name of another format that the bytes are in, or "".
std::string other_format(std::string_view bytes) {
  for (const auto& signature : kSignatures) {
    if (bytes.size() < signature.at) continue;
    if (bytes.substr(signature.at).starts_with(signature.bytes)) return signature.format;
  }
  const bool xml = bytes.starts_with("<?xml") || bytes.starts_with("<!--");
  return xml && bytes.find("<svg") != std::string_view::npos ? "SVG" : "";
}

}  // namespace

Image decode_image(std::string_view bytes, const std::string& source) {
  require<UserError>(!bytes.empty(), source, ": the file is empty; replace it or remove it");
  if (bytes.starts_with(kPngSignature)) return decode_png(bytes, source);
  if (bytes.starts_with(kJpegSignature)) return decode_jpeg(bytes, source);
  const auto other = other_format(bytes);
  require<UserError>(other.empty(), source, ": a ", other,
                     " file; PNG and JPEG are read, so convert it");
  throw UserError(text_of(source, ": no image: it starts with ",
                          to_hex(bytes.substr(0, kShownBytes)),
                          "; PNG and JPEG are read, so convert it or remove it"));
}

}  // namespace zoo
