#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "text/token_stream.h"

namespace zoo {

/// Where token files are kept: ZOO_CACHE, else XDG_CACHE_HOME/zoo, else HOME/.cache/zoo. Throws
/// UserError when none of them is set.
std::filesystem::path cache_folder();

/// Writes token ids to a file, in 1, 2 or 4 bytes each, as the vocabulary needs. The file appears
/// when it is finished, whole.
class TokenFileWriter {
 public:
  /// `key`, a SHA-256, says what the tokens are of. Throws UserError: cannot be written, disk full.
  TokenFileWriter(std::filesystem::path path, std::int64_t vocab_size, const std::string& key);
  ~TokenFileWriter();
  TokenFileWriter(const TokenFileWriter&) = delete;
  TokenFileWriter& operator=(const TokenFileWriter&) = delete;

  void append(const std::vector<std::int64_t>& ids);
  void finish();

 private:
  void write(const void* data, std::size_t bytes);

  std::filesystem::path path_, beside_;
  std::string key_;
  int width_;
  std::int64_t count_ = 0;
  std::ofstream file_;
  std::vector<char> buffer_;
};

/// Maps a file that TokenFileWriter finished; nothing where there is none, or one that is damaged
/// or belongs to another key.
std::optional<TokenStream> open_token_file(const std::filesystem::path& path,
                                           const std::string& key);

}  // namespace zoo
