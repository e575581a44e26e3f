#include "vision/folder_hash.h"

namespace zoo {

void FolderHash::add(const std::string& relative_name, std::string_view bytes) {
  hash_.add(relative_name);
  hash_.add(std::string_view("\0", 1));
  hash_.add(sha256(bytes));
  hash_.add("\n");
  bytes_ += static_cast<std::int64_t>(bytes.size());
}

SourceFile FolderHash::finish(const std::string& option, const std::string& path) {
  return {option, path, hash_.finish(), bytes_};
}

}  // namespace zoo
