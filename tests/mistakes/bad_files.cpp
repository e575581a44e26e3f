#include "tests/mistakes/bad_files.h"

#include <fstream>

#include "core/errors.h"
#include "core/plain_text.h"

namespace zoo {

std::vector<FileFormat> file_formats() {
  return {safetensors_format(),
          manifest_format(),
          tokenizer_json_format(),
          vocabulary_format(),
          merges_format(),
          wordpieces_format(),
          pair_table_format(),
          message_catalogue_format(),
          json_format(),
          idx_format(),
          pixel_table_format(),
          cifar10_format(),
          cifar10_names_format(),
          png_format(),
          jpeg_format(),
          gzip_format(),
          zip_format()};
}

std::string answer_of(const FileFormat& format, const std::filesystem::path& folder) {
  try {
    format.read(folder / format.file);
    return "accepted";
  } catch (const UserError& error) {
    return std::string("refused: ") + error.what();
  }
}

void write_files(const FileFormat& format, const std::filesystem::path& folder,
                 const std::string& bytes) {
  const auto write = [&](const std::string& name, const std::string& content) {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << content;
  };
  for (const auto& [name, content] : format.beside) write(name, content);
  write(format.file, bytes);
}

std::string complaint_about(const std::string& message) {
  constexpr std::size_t kLongest = 2'000;
  if (message.empty()) return "says nothing";
  if (message.size() > kLongest) return text_of("is ", message.size(), " bytes long");
  if (!is_plain_text(message)) return "has control characters, or is not UTF-8";
  return "";
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string text;
  text.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

std::string little_endian(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

}  // namespace zoo
