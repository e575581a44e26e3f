#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zoo {

/// A class and the names of its image files.
struct ClassFolder {
  std::string name;
  std::vector<std::string> files;  ///< sorted
};

struct FolderListing {
  std::vector<ClassFolder> classes;  ///< sorted by name
  std::int64_t ignored = 0;          ///< files that are no images by their ending
  std::string first_ignored;         ///< relative
};

/// The image files (.png, .jpg, .jpeg) of a folder that has a folder for each class. Hidden entries
/// are passed over, links followed to files only. Throws UserError: no such folder, images beside
/// the classes, folders below one, a class without images, names that are no plain text.
FolderListing list_image_folder(const std::string& path);

}  // namespace zoo
