#include "text/token_file.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include <unistd.h>

#include "core/errors.h"
#include "core/files.h"
#include "core/mapped_file.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "zootok1\n";
constexpr std::size_t kKeyBytes = 64;

/// What stands before the ids; as the machine has its numbers, which is what reads it again.
struct Header {
  char magic[8];
  char key[kKeyBytes];
  std::int64_t count;
  std::int64_t width;
};

Header header_of(const std::string& key, std::int64_t count, int width) {
  Header header{};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  std::memcpy(header.key, key.data(), std::min(key.size(), kKeyBytes));
  header.count = count;
  header.width = width;
  return header;
}

int width_for(std::int64_t vocab_size) {
  if (vocab_size <= 1 << 8) return 1;
  return vocab_size <= 1 << 16 ? 2 : 4;
}

template <class Id>
void pack(const std::vector<std::int64_t>& ids, std::vector<char>& bytes) {
  bytes.resize(ids.size() * sizeof(Id));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto id = static_cast<Id>(ids[i]);
    std::memcpy(bytes.data() + i * sizeof(Id), &id, sizeof(Id));
  }
}

}  // namespace

fs::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  if (const auto own = variable("ZOO_CACHE"); !own.empty()) return own;
  if (const auto cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache / "zoo";
  const auto home = variable("HOME");
  require<UserError>(!home.empty(), "no folder for token files: set ZOO_CACHE to one");
  return home / ".cache" / "zoo";
}

TokenFileWriter::TokenFileWriter(fs::path path, std::int64_t vocab_size, const std::string& key)
    : path_(std::move(path)),
      beside_(text_of(path_.string(), ".", ::getpid(), ".tmp")),
      key_(key),
      width_(width_for(vocab_size)) {
  make_folders(path_.parent_path());
  file_.open(beside_, std::ios::binary | std::ios::trunc);
  require<UserError>(file_.is_open(), "cannot write ", beside_.string(),
                     "; set ZOO_CACHE to a folder for token files");
  const auto header = header_of(key_, 0, width_);
  write(&header, sizeof header);
}

TokenFileWriter::~TokenFileWriter() {
  std::error_code error;
  fs::remove(beside_, error);
}

void TokenFileWriter::write(const void* data, std::size_t bytes) {
  file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  require<UserError>(file_.good(), "cannot write ", beside_.string(),
                     ": is the disk full? ZOO_CACHE names another folder");
}

void TokenFileWriter::append(const std::vector<std::int64_t>& ids) {
  switch (width_) {
    case 1:
      pack<std::uint8_t>(ids, buffer_);
      break;
    case 2:
      pack<std::uint16_t>(ids, buffer_);
      break;
    default:
      pack<std::int32_t>(ids, buffer_);
  }
  write(buffer_.data(), buffer_.size());
  count_ += static_cast<std::int64_t>(ids.size());
}

void TokenFileWriter::finish() {
  file_.seekp(0);
  const auto header = header_of(key_, count_, width_);
  write(&header, sizeof header);
  file_.close();
  require<UserError>(file_.good(), "cannot write ", beside_.string(), ": is the disk full?");
  sync_file(beside_);
  rename_path(beside_, path_);
}

std::optional<TokenStream> open_token_file(const fs::path& path, const std::string& key) {
  if (!fs::exists(path)) return std::nullopt;
  const auto file = std::make_shared<const MappedFile>(path);
  const auto bytes = file->bytes();
  Header header{};
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto size = bytes.size() - sizeof header;
  const bool known_width = header.width == 1 || header.width == 2 || header.width == 4;
  if (!known_width || header.count < 0) return std::nullopt;
  const auto expected = header_of(key, header.count, static_cast<int>(header.width));
  const bool whole =
      size % static_cast<std::size_t>(header.width) == 0 &&
      size / static_cast<std::size_t>(header.width) == static_cast<std::size_t>(header.count);
  if (!whole || std::memcmp(&header, &expected, sizeof header) != 0) return std::nullopt;
  return TokenStream(file, bytes.data() + sizeof header, header.count,
                     static_cast<int>(header.width), [file] { file->release(); });
}

}  // namespace zoo
