#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace zoo {

/// Makes the bytes of a file; called in the process that writes them, so that none stay in that
/// which is measured.
using MakeBytes = std::function<std::string()>;

/// A file that its reader must refuse.
struct BadFile {
  std::string kind;
  std::string says;  ///< part of the message, behind the file's name
  MakeBytes bytes;
};

/// A format with its reader and what the reader must refuse.
struct FileFormat {
  std::string name;
  std::string file;                           ///< what the file is called in its folder
  std::map<std::string, std::string> beside;  ///< good files that are read with it
  MakeBytes good;                             ///< a small one
  std::size_t header_bytes = 0;               ///< whose bits are flipped; 0: all
  std::function<void(const std::filesystem::path&)> read;
  std::vector<BadFile> bad;
};

FileFormat safetensors_format();
FileFormat manifest_format();
FileFormat tokenizer_json_format();
FileFormat vocabulary_format();  ///< vocab.json with merges.txt beside it
FileFormat merges_format();      ///< merges.txt beside a vocab.json
FileFormat wordpieces_format();  ///< vocab.txt
FileFormat pair_table_format();
FileFormat message_catalogue_format();
FileFormat json_format();  ///< a config, as far as it is JSON
FileFormat idx_format();
FileFormat pixel_table_format();
FileFormat cifar10_format();
FileFormat cifar10_names_format();
FileFormat png_format();
FileFormat jpeg_format();
FileFormat gzip_format();
FileFormat zip_format();

/// All of them.
std::vector<FileFormat> file_formats();

/// What a reader makes of the file: "accepted", or "refused: " and its UserError. Other exceptions
/// pass.
std::string answer_of(const FileFormat& format, const std::filesystem::path& folder);

/// Writes the good files beside and the file itself, without waiting for the disk.
void write_files(const FileFormat& format, const std::filesystem::path& folder,
                 const std::string& bytes);

/// What is wrong with a message that goes to a terminal; "" where it is one line of UTF-8 without
/// control characters that is short enough to be read.
std::string complaint_about(const std::string& message);

/// So often one after the other.
std::string repeated(const std::string& part, std::size_t times);

/// Little-endian, as zip, safetensors and gettext write numbers.
std::string little_endian(std::uint64_t value, std::size_t size);

}  // namespace zoo
