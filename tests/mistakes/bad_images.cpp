#include <algorithm>

#include "core/files.h"
#include "tests/mistakes/bad_files.h"
#include "tests/support/image_files.h"
#include "vision/formats/cifar10.h"
#include "vision/formats/idx.h"
#include "vision/formats/image_file.h"
#include "vision/formats/pixel_table.h"

namespace zoo {
namespace {

constexpr std::uint32_t kLongSide = 8'192, kShortSide = 4'096;  // of a large image

BadFile file(const std::string& kind, const std::string& says, const std::string& bytes) {
  return {kind, says, [bytes] { return bytes; }};
}

std::string patched(std::string bytes, std::size_t at, const std::string& others) {
  return bytes.replace(at, others.size(), others);
}

std::string good_png() {
  return png_file({2, 3, 8, PNG_COLOR_TYPE_RGB}, std::vector<std::uint8_t>(18, 200));
}

/// What deflate makes of so many zeros, which are never there all at once.
std::string deflated_zeros(std::size_t size) {
  const std::string zeros(1 << 16, '\0');
  std::string part(1 << 16, '\0'), packed;
  z_stream stream{};
  deflateInit(&stream, 6);
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(zeros.data()));
      stream.avail_in = static_cast<uInt>(std::min(size, zeros.size()));
      size -= stream.avail_in;
    }
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = deflate(&stream, size == 0 ? Z_FINISH : Z_NO_FLUSH);
    packed.append(part, 0, part.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return packed;
}

/// The bytes in zlib's format, as they are.
std::string stored(const std::string& bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const auto sum = adler32(1, reinterpret_cast<const Bytef*>(bytes.data()), size);
  return "\x78\x01\x01" + little_endian(size, 2) + little_endian(~size, 2) + bytes +
         big_endian(static_cast<std::uint32_t>(sum));
}

std::string png_end() { return png_chunk("IEND", ""); }

/// A large black image in four channels, up to a checksum that is wrong.
std::string large_png() {
  const auto rows = std::size_t{kShortSide} * (1 + 4 * std::size_t{kLongSide});
  auto data = deflated_zeros(rows);
  data.back() = static_cast<char>(data.back() ^ 1);
  return png_header(kShortSide, kLongSide, PNG_COLOR_TYPE_RGB_ALPHA) + png_chunk("IDAT", data) +
         png_end();
}

std::vector<BadFile> bad_png() {
  const auto good = good_png();
  const auto data = good.find("IDAT");
  return {
      file("empty", "the file is empty", ""),
      file("signature alone", "cut short", good.substr(0, 8)),
      file("cut in the header", "cut short", good.substr(0, 20)),
      file("cut after the header", "cut short", good.substr(0, 33)),
      file("cut in the data", "cut short", good.substr(0, data + 6)),
      file("cut before its end", "cut short", good.substr(0, good.size() - 12)),
      file("line ends changed", "no image", patched(good, 4, "\n\n")),
      file("no header", "does not begin with its header",
           good.substr(0, 8) + png_chunk("IDAT", "") + png_end()),
      file("header of 12 bytes", "does not begin with its header",
           good.substr(0, 8) + png_chunk("IHDR", std::string(12, '\1')) + png_end()),
      file("height 0", "needs one pixel", png_header(0, 3) + png_end()),
      file("width 0", "needs one pixel", png_header(3, 0) + png_end()),
      file("2^31 - 1 pixels wide", "sides of at most", png_header(1, 0x7FFFFFFF) + png_end()),
      file("2^32 - 1 pixels high", "sides of at most", png_header(0xFFFFFFFF, 1) + png_end()),
      file("2^32 pixels", "pixels are read", png_header(16'384, 16'384) + png_end()),
      file("more pixels than the data can hold", "cannot hold",
           png_header(4'000, 4'000) + png_chunk("IDAT", "x") + png_end()),
      file("no data", "cannot hold", png_header(2, 2) + png_end()),
      file("16 bits", "16 bits", patched(good, 24, "\x10")),
      file("3 bits", "broken PNG", patched(good, 24, "\3")),
      file("colour type 5", "broken PNG", patched(good, 25, "\5")),
      file("unknown compression", "broken PNG", patched(good, 26, "\1")),
      file("unknown interlacing", "broken PNG", patched(good, 28, "\7")),
      file("wrong checksum of the header", "broken PNG", patched(good, 29, "\1\2\3\4")),
      file("wrong checksum of the data", "broken PNG", patched(good, data + 6, "\x7F")),
      file("chunk of 2^32 - 1 bytes", "cut short", patched(good, data - 4, "\xFF\xFF\xFF\xFF")),
      file("animated", "animated", png_header(1, 1) + png_chunk("acTL", "12345678") + png_end()),
      file("palette missing", "broken PNG",
           png_header(1, 1, PNG_COLOR_TYPE_PALETTE) + png_chunk("IDAT", deflated_zeros(2)) +
               png_end()),
      file("data that are no deflate", "broken PNG",
           png_header(1, 1) + png_chunk("IDAT", "no deflate") + png_end()),
      file("a row too few", "broken PNG",
           png_header(4, 1) + png_chunk("IDAT", deflated_zeros(6)) + png_end()),
      file("unknown filter", "broken PNG",
           png_header(1, 9) + png_chunk("IDAT", stored(std::string(10, '\x09'))) + png_end()),
      file("a critical chunk that is unknown", "broken PNG",
           png_header(1, 1) + png_chunk("ABCD", "x") + png_chunk("IDAT", deflated_zeros(2)) +
               png_end()),
      file("a chunk type of control characters", "broken PNG",
           png_header(1, 1) + png_chunk("\x1B[2J", "x") + png_chunk("IDAT", deflated_zeros(2)) +
               png_end()),
      {"a large image, data that are none", "broken PNG",
       [] {
         return png_header(kShortSide, kLongSide, PNG_COLOR_TYPE_RGB_ALPHA) +
                png_chunk("IDAT", std::string(300'000, 'x')) + png_end();
       }},
      {"a large image, broken at its end", "broken PNG", large_png},
      {"a million empty chunks", "",
       [] { return png_header(1, 1) + repeated(png_chunk("tEXt", ""), 500'000); }},
      file("GIF", "a GIF file", "GIF89a"),
      file("WebP", "a WebP file", std::string("RIFF\0\0\0\0WEBPVP8 ", 16)),
      file("text", "no image", "no image"),
      file("terminal escapes", "no image", "\x1B[2J\x1B]0;x\x07"),
  };
}

std::string good_jpeg() {
  return jpeg_file({8, 8, JCS_RGB, JCS_YCbCr}, std::vector<std::uint8_t>(192, 77));
}

/// The height and width that the frame header of a JPEG file says, replaced.
std::string resized(const std::string& bytes, std::uint32_t height, std::uint32_t width) {
  for (std::size_t at = 0; at + 9 < bytes.size(); ++at) {
    const auto marker = static_cast<unsigned char>(bytes[at + 1]);
    if (bytes[at] == '\xFF' && marker >= 0xC0 && marker <= 0xC2) {
      return patched(bytes, at + 5, big_endian(height << 16 | width));
    }
  }
  return bytes;
}

std::vector<BadFile> bad_jpeg() {
  const auto good = good_jpeg();
  const auto scan = good.find("\xFF\xDA");
  const std::vector<std::uint8_t> grey(64 * 64, 99);
  const auto progressive =
      jpeg_file({64, 64, JCS_GRAYSCALE, JCS_GRAYSCALE, /*progressive=*/true}, grey);
  return {
      file("signature alone", "broken JPEG", good.substr(0, 3)),
      file("cut in a table", "broken JPEG", good.substr(0, 60)),
      file("cut before its data", "broken JPEG", good.substr(0, scan)),
      file("cut in its data", "broken JPEG", good.substr(0, scan + 16)),
      file("cut before its end", "broken JPEG", good.substr(0, good.size() - 2)),
      file("zeros behind its start", "broken JPEG", good.substr(0, 3) + std::string(500, '\0')),
      file("two starts", "broken JPEG", "\xFF\xD8" + good),
      file("an end after its start", "broken JPEG", "\xFF\xD8\xFF\xD9"),
      file("segment of length 0", "broken JPEG", patched(good, 4, std::string(2, '\0'))),
      file("segment beyond the end", "broken JPEG", patched(good, 4, "\xFF\xFF")),
      file("height 0", "", resized(good, 0, 8)),
      file("width 0", "broken JPEG", resized(good, 8, 0)),
      file("65,535 x 65,535", "JPEG", resized(good, 65'535, 65'535)),
      file("16,384 x 16,384", "pixels are read", resized(good, 16'384, 16'384)),
      file("more pixels than the data can hold", "cannot hold", resized(good, 4'000, 4'000)),
      file("twice as many pixels", "broken JPEG", resized(good, 64, 64)),
      file("CMYK", "CMYK", jpeg_file({1, 1, JCS_CMYK, JCS_CMYK}, std::vector<std::uint8_t>(4, 1))),
      file("garbage in its data", "broken JPEG",
           good.substr(0, scan + 14) + std::string(40, '\xAA') + "\xFF\xD9"),
      file("progressive, cut", "broken JPEG", progressive.substr(0, progressive.size() / 2)),
      {"a large image, data that are none", "broken JPEG",
       [=] {
         return resized(good.substr(0, scan + 14), kShortSide, kLongSide) +
                std::string(40'000, '\xAA') + "\xFF\xD9";
       }},
      {"a large image, progressive, data that are none", "in several scans",
       [=] {
         const auto start = progressive.find("\xFF\xDA") + 10;
         return resized(progressive.substr(0, start), kShortSide, kLongSide) +
                std::string(40'000, '\xAA') + "\xFF\xD9";
       }},
      {"a large image, black up to its cut end", "broken JPEG",
       [] {
         const auto bytes =
             jpeg_file({kShortSide, kLongSide},
                       std::vector<std::uint8_t>(std::size_t{kShortSide} * kLongSide, 0));
         return bytes.substr(0, bytes.size() - 20);
       }},
      {"a large image, progressive, black up to its cut end", "in several scans",
       [] {
         const auto bytes =
             jpeg_file({kShortSide, kLongSide, JCS_GRAYSCALE, JCS_GRAYSCALE, true},
                       std::vector<std::uint8_t>(std::size_t{kShortSide} * kLongSide, 0));
         return bytes.substr(0, bytes.size() - 20);
       }},
  };
}

std::vector<BadFile> bad_idx() {
  const auto good = idx_file({2, 2, 2}, "12345678");
  std::vector<BadFile> files = {
      file("empty", "no idx file", ""),
      file("three bytes", "no idx file", good.substr(0, 3)),
      file("no zeros first", "no idx file", patched(good, 0, "\1")),
      file("unknown type", "no idx file", patched(good, 2, "\x7F")),
      file("0 dimensions", "0 dimensions", idx_file({}, "")),
      file("5 dimensions", "5 dimensions", idx_file({1, 1, 1, 1, 1}, "x")),
      file("255 dimensions", "255 dimensions", patched(good, 3, "\xFF")),
      file("cut in its sizes", "cut short", good.substr(0, 10)),
      file("a value too few", "has 7", good.substr(0, good.size() - 1)),
      file("a value too many", "has 9", good + "9"),
      file("no values", "has 0", good.substr(0, 16)),
      file("2^32 - 1 images", "announces", patched(good, 4, "\xFF\xFF\xFF\xFF")),
      file("sizes of more than 64 bits", "64 bits",
           idx_file({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "")),
      file("still packed", "no idx file", gzip_file(good)),
      file("text", "no idx file", "label,pixel\n"),
  };
  for (const int type : {9, 11, 12, 13, 14}) {
    files.push_back(file("type " + std::to_string(type), "unsigned bytes are read",
                         idx_file({1}, "x", static_cast<char>(type))));
  }
  return files;
}

std::vector<BadFile> bad_tables() {
  const std::string good = "0,1,2,cat\n3,4,5,dog\n";
  return {
      file("one column", "one column", "cat\n"),
      file("spaces instead of commas", "one column", "0 1 2 cat\n"),
      file("a column too few", "line 2: 3 columns", "0,1,2,cat\n3,4,dog\n"),
      file("a column too many", "line 2: 5 columns", "0,1,2,cat\n3,4,5,6,dog\n"),
      file("other separator in line 2", "line 2", "0,1,2,cat\n3;4;5;dog\n"),
      file("names of columns", "data.header", "a,b,c,label\n" + good),
      file("256", "line 1, column 1", "256,1,2,cat\n"),
      file("-1", "line 1, column 1: '-1'", "-1,1,2,cat\n"),
      file("1.5", "line 1, column 2", "0,1.5,2,cat\n"),
      file("1e2", "line 1, column 2", "0,1e2,2,cat\n"),
      file("0x10", "line 1, column 2", "0,0x10,2,cat\n"),
      file("no pixel", "line 2, column 1", "0,1,2,cat\n,4,5,dog\n"),
      file("a hundred digits", "line 1, column 1", std::string(100, '1') + ",1,2,cat\n"),
      file("quotes", "line 1, column 1", "\"0\",\"1\",\"2\",\"cat\"\n"),
      file("no label", "line 2, column 4: the label is empty", "0,1,2,cat\n3,4,5, \n"),
      file("label not UTF-8", "line 1, column 4", "0,1,2,k\xF6pek\n"),
      file("terminal escape as a label", "line 1, column 4", "0,1,2,\x1B[2J\n"),
      file("C1 control as a label", "line 1, column 4", "0,1,2,\xC2\x9B\n"),
      file("terminal escape as a pixel", "line 1, column 1", "\x1B[2J,1,2,cat\n"),
      file("not UTF-8 as a pixel", "line 1, column 1", "\xFF,1,2,cat\n"),
      file("C1 control as a pixel", "line 1, column 1", "\xC2\x9B,1,2,cat\n"),
      file("NUL as a pixel", "line 1, column 1", std::string("\0,1,2,cat\n", 10)),
      file("zeros", "one column", std::string(4096, '\0')),
      {"8 MiB in one cell", "one column", [] { return std::string(8 << 20, '7'); }},
      {"a million lines, the last too short", "line 1000001",
       [] { return repeated("1,2,cat\n", 1'000'000) + "1,cat\n"; }},
      {"a million columns, then one", "line 2",
       [] { return repeated("1,", 1'000'000) + "cat\n1\n"; }},
  };
}

std::vector<BadFile> bad_cifar10() {
  const std::string record = "\3" + std::string(3072, 'p');
  return {
      file("empty", "0 bytes", ""),
      file("a byte too few", "3072 bytes", record.substr(1)),
      file("a byte too many", "3074 bytes", record + "x"),
      file("one and a half", "bytes; CIFAR-10", record + record.substr(0, 1500)),
      file("label 10", "record 1: label 10", patched(record, 0, "\x0A")),
      file("label 255 in the second", "record 2: label 255", record + patched(record, 0, "\xFF")),
      file("packed", "packed with gzip", gzip_file(record)),
      file("CIFAR-100", "bytes; CIFAR-10", "\3" + record),
      file("the Python version", "bytes; CIFAR-10", "\x80\x02}q\x01(U\x0B batch_label"),
  };
}

std::vector<BadFile> bad_names() {
  const auto names = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "name" + std::to_string(i) + "\n";
    return text;
  };
  return {
      file("empty", "0 names", ""),
      file("nine", "9 names", names(9)),
      file("eleven", "line 11", names(11)),
      file("two equal", "line 3", "a\nb\na\n"),
      file("two equal of 1 MiB", "line 2", repeated(std::string(1 << 20, 'n') + "\n", 2)),
      file("not UTF-8", "line 2", "a\n\xFF\n"),
      file("terminal escape", "line 1", "\x1B[2J\n"),
      file("C1 control", "line 1", "\xC2\x9B\n"),
      file("spaces", "line 2", "a\n  \n"),
      file("zeros", "line 1", std::string(100, '\0')),
  };
}

}  // namespace

FileFormat png_format() {
  FileFormat format{"PNG", "image.png", {}, good_png, 0, {}, bad_png()};
  format.read = [](const std::filesystem::path& path) {
    (void)decode_image(read_file(path), path.string());
  };
  return format;
}

FileFormat jpeg_format() {
  FileFormat format{"JPEG", "image.jpg", {}, good_jpeg, 400, png_format().read, bad_jpeg()};
  return format;
}

FileFormat idx_format() {
  FileFormat format{"idx", "images.idx", {}, {}, 0, {}, bad_idx()};
  format.good = [] { return idx_file({2, 2, 2}, "12345678"); };
  format.read = [](const std::filesystem::path& path) {
    (void)parse_idx(read_file(path), path.string());
  };
  return format;
}

FileFormat pixel_table_format() {
  FileFormat format{"pixel table", "pixels.csv", {}, {}, 0, {}, bad_tables()};
  format.good = [] { return std::string("0,1,2,cat\n3,4,5,dog\n"); };
  format.read = [](const std::filesystem::path& path) {
    (void)parse_pixel_table(read_file(path), path.string(), {});
  };
  return format;
}

FileFormat cifar10_format() {
  FileFormat format{"CIFAR-10", "batch.bin", {}, {}, 4, {}, bad_cifar10()};
  format.good = [] { return "\3" + std::string(3072, 'p'); };
  format.read = [](const std::filesystem::path& path) {
    (void)parse_cifar10(read_file(path), path.string());
  };
  return format;
}

FileFormat cifar10_names_format() {
  FileFormat format{"CIFAR-10's names", "batches.meta.txt", {}, {}, 0, {}, bad_names()};
  format.good = [] {
    return std::string("plane\ncar\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n");
  };
  format.read = [](const std::filesystem::path& path) {
    (void)parse_cifar10_names(read_file(path), path.string());
  };
  return format;
}

}  // namespace zoo
