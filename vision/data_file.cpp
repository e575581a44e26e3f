#include "vision/data_file.h"

#include <filesystem>

#include "core/errors.h"
#include "core/gzip.h"
#include "core/sha256.h"
#include "vision/image_set.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// The path, once it is known to be that of a file.
const std::string& require_file(const std::string& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  require<UserError>(fs::exists(status), path, ": there is no such file");
  require<UserError>(fs::is_regular_file(status), path,
                     ": no file; name a file, or set data.format to folder");
  return path;
}

}  // namespace

DataFile::DataFile(const std::string& option, const std::string& path)
    : file_(require_file(path)),
      source_{option, path, sha256(file_.bytes()), static_cast<std::int64_t>(file_.bytes().size())},
      is_packed_(is_gzip(file_.bytes())) {
  if (is_packed_) unpacked_ = gunzip(file_.bytes(), path, kMostSetBytes);
  require<UserError>(!bytes().empty(), path, ": the file is empty");
  require<UserError>(bytes().size() <= kMostSetBytes, path, ": ", bytes().size(),
                     " bytes; files of at most ", kMostSetBytes, " are read, so split it");
}

}  // namespace zoo
