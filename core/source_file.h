#pragma once

#include <cstdint>
#include <string>

namespace zoo {

/// A file that data came from, so that a run can prove that it is the same.
struct SourceFile {
  std::string option;  ///< path, train_path, ... or catalogues
  std::string path;    ///< a folder stands for all that it holds
  std::string sha256;
  std::int64_t bytes = 0;
};

}  // namespace zoo
