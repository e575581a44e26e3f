#include "apps/files.h"

#include "core/errors.h"

namespace zoo {

namespace fs = std::filesystem;

fs::path find_config(const std::string& name) {
  if (fs::exists(name)) return name;
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  const auto installed = program.parent_path().parent_path() / "share" / "zoo" / name;
  if (!error && fs::exists(installed)) return installed;
  throw UserError(name +
                  ": no such config; the project's own are below configs/, e.g. "
                  "configs/names/gpt.json");
}

}  // namespace zoo
