#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>  // jpeglib.h needs it
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

#include "tests/support/gzip_file.h"

namespace zoo {

/// What a PNG file is made of.
struct PngRecipe {
  std::uint32_t height = 1;
  std::uint32_t width = 1;
  int bits = 8;
  int colour_type = PNG_COLOR_TYPE_GRAY;
  bool interlaced = false;
  std::vector<png_color> palette = {};
  std::vector<png_byte> palette_alpha = {};
  std::vector<std::uint8_t> transparent_grey = {};  ///< one value, or none
  double gamma = 0;                                 ///< 0: not said
};

/// A PNG file; `rows` holds the rows' bytes as the format packs them, one after the other.
inline std::string png_file(const PngRecipe& recipe, std::vector<std::uint8_t> rows) {
  std::string bytes;
  auto* png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  auto* info = png_create_info_struct(png);
  const auto take = [](png_structp writer, png_bytep part, std::size_t count) {
    static_cast<std::string*>(png_get_io_ptr(writer))
        ->append(reinterpret_cast<const char*>(part), count);
  };
  png_set_write_fn(png, &bytes, take, nullptr);
  png_set_IHDR(png, info, recipe.width, recipe.height, recipe.bits, recipe.colour_type,
               recipe.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!recipe.palette.empty()) {
    png_set_PLTE(png, info, recipe.palette.data(), static_cast<int>(recipe.palette.size()));
  }
  if (!recipe.palette_alpha.empty()) {
    png_set_tRNS(png, info, recipe.palette_alpha.data(),
                 static_cast<int>(recipe.palette_alpha.size()), nullptr);
  }
  if (!recipe.transparent_grey.empty()) {
    png_color_16 value = {};
    value.gray = recipe.transparent_grey.front();
    png_set_tRNS(png, info, nullptr, 1, &value);
  }
  if (recipe.gamma > 0) png_set_gAMA(png, info, recipe.gamma);
  png_write_info(png, info);
  const auto row_bytes = png_get_rowbytes(png, info);
  if (rows.size() != row_bytes * recipe.height) throw std::logic_error("rows of another size");
  std::vector<png_bytep> pointers;
  for (std::size_t row = 0; row < recipe.height; ++row) {
    pointers.push_back(rows.data() + row * row_bytes);
  }
  png_write_image(png, pointers.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

/// A number as PNG and idx files write it: the highest byte first.
inline std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

/// A chunk of a PNG file with its checksum.
inline std::string png_chunk(const std::string& type, const std::string& data) {
  const auto body = type + data;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(static_cast<std::uint32_t>(sum));
}

/// The header of a PNG file, of 8 bits a channel.
inline std::string png_header(std::uint32_t height, std::uint32_t width, char colour_type = 0) {
  const std::string rest = {8, colour_type, 0, 0, 0};
  return "\x89PNG\r\n\x1A\n" + png_chunk("IHDR", big_endian(width) + big_endian(height) + rest);
}

/// What a JPEG file is made of.
struct JpegRecipe {
  std::uint32_t height = 1;
  std::uint32_t width = 1;
  J_COLOR_SPACE in = JCS_GRAYSCALE;
  J_COLOR_SPACE out = JCS_GRAYSCALE;
  bool progressive = false;
  bool arithmetic = false;
  std::vector<jpeg_scan_info> scans = {};  ///< of a progressive file, unset: libjpeg's own
};

inline int samples_of(J_COLOR_SPACE space) {
  return space == JCS_GRAYSCALE ? 1 : space == JCS_CMYK || space == JCS_YCCK ? 4 : 3;
}

/// A JPEG file of quality 100; `rows` holds the rows' samples, one after the other.
inline std::string jpeg_file(const JpegRecipe& recipe, std::vector<std::uint8_t> rows) {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* target = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &target, &size);
  info.image_height = recipe.height;
  info.image_width = recipe.width;
  info.input_components = samples_of(recipe.in);
  info.in_color_space = recipe.in;
  const auto row_bytes = recipe.width * static_cast<std::size_t>(info.input_components);
  if (rows.size() != row_bytes * recipe.height) throw std::logic_error("rows of another size");
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, recipe.out);
  jpeg_set_quality(&info, 100, TRUE);
  info.arith_code = recipe.arithmetic ? TRUE : FALSE;
  if (recipe.progressive) jpeg_simple_progression(&info);
  if (!recipe.scans.empty()) {
    info.scan_info = recipe.scans.data();
    info.num_scans = static_cast<int>(recipe.scans.size());
  }
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto* row = rows.data() + info.next_scanline * row_bytes;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string bytes(reinterpret_cast<const char*>(target), size);
  jpeg_destroy_compress(&info);
  std::free(target);
  return bytes;
}

/// An idx file of unsigned bytes.
inline std::string idx_file(const std::vector<std::uint32_t>& sizes, const std::string& values,
                            char type = 8) {
  std::string bytes = {0, 0, type, static_cast<char>(sizes.size())};
  for (const auto size : sizes) bytes += big_endian(size);
  return bytes + values;
}

}  // namespace zoo
