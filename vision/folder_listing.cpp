#include "vision/folder_listing.h"

#include <algorithm>
#include <filesystem>

#include "core/errors.h"
#include "core/plain_text.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

bool has_image_ending(const fs::path& path) {
  auto ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
  });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

/// What a folder holds, sorted by name, without hidden entries.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with('.')) entries.push_back(entry->path());
  }
  require<UserError>(!error, "cannot read the folder ", folder.string(), ": ", error.message());
  std::sort(entries.begin(), entries.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  for (const auto& entry : entries) {
    require<UserError>(is_plain_text(entry.filename().string()), folder.string(),
                       ": an entry has a name that is not UTF-8, or has control characters; rename "
                       "it");
  }
  return entries;
}

/// Whether the entry is a folder; what is neither a folder nor a file is refused.
bool is_folder(const fs::path& entry) {
  std::error_code error;
  const auto own = fs::symlink_status(entry, error);
  if (fs::is_directory(own)) return true;
  const auto status = fs::status(entry, error);
  require<UserError>(!fs::is_directory(status), entry.string(),
                     ": a link to a folder; links to files are followed, so put the folder itself "
                     "here");
  require<UserError>(fs::exists(status), entry.string(), ": a link to nothing; remove it");
  require<UserError>(fs::is_regular_file(status), entry.string(),
                     ": neither a file nor a folder; remove it");
  return false;
}

class FolderLister {
 public:
  explicit FolderLister(const std::string& path) : root_(path) {}

  FolderListing list() {
    std::error_code error;
    const auto status = fs::status(root_, error);
    require<UserError>(fs::exists(status), root_.string(), ": there is no such folder");
    require<UserError>(fs::is_directory(status), root_.string(),
                       ": a file; format folder reads a folder with a folder for each class, so "
                       "set data.format to idx, csv or cifar10, or name a folder");
    for (const auto& entry : entries_of(root_)) {
      if (is_folder(entry)) {
        listing_.classes.push_back(list_class(entry));
      } else {
        require<UserError>(!has_image_ending(entry), entry.string(),
                           ": an image that is in no class; move it into the folder of its class");
        ignore(entry);
      }
    }
    require<UserError>(!listing_.classes.empty(), root_.string(),
                       ": there is no folder in it; expected a folder for each class");
    return std::move(listing_);
  }

 private:
  ClassFolder list_class(const fs::path& folder) {
    ClassFolder found{folder.filename().string(), {}};
    for (const auto& entry : entries_of(folder)) {
      require<UserError>(!is_folder(entry), entry.string(), ": a folder below the class ",
                         found.name, "; images lie in their class's folder (where ", root_.string(),
                         " holds splits, set data.train_path to one of its folders)");
      if (has_image_ending(entry)) {
        found.files.push_back(entry.filename().string());
      } else {
        ignore(entry);
      }
    }
    require<UserError>(!found.files.empty(), folder.string(),
                       ": a class without images (.png, .jpg or .jpeg); add some, or remove the "
                       "folder");
    return found;
  }

  void ignore(const fs::path& entry) {
    if (listing_.ignored++ == 0) listing_.first_ignored = entry.lexically_relative(root_).string();
  }

  fs::path root_;
  FolderListing listing_;
};

}  // namespace

FolderListing list_image_folder(const std::string& path) { return FolderLister(path).list(); }

}  // namespace zoo
