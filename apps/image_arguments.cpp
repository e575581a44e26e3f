#include "apps/image_arguments.h"

#include <filesystem>

#include "core/errors.h"
#include "core/files.h"
#include "vision/formats/image_file.h"

namespace zoo {

void add_image_options(cxxopts::Options& options) {
  options.add_options()("invert",
                        "Of images: exchange dark and bright, e.g. for ink on paper where the "
                        "model learned chalk on a board");
}

PreparedImage read_prepared_image(const cxxopts::ParseResult& arguments, const Run& run,
                                  const std::string& path) {
  require<UserError>(std::filesystem::is_regular_file(path), path, ": no such image file");
  auto image = decode_image(read_file(path), path);
  if (arguments.count("invert") > 0) image = inverted(std::move(image));
  return prepared(trained_model(run), image);
}

}  // namespace zoo
