#include "vision/image_folder.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "core/files.h"
#include "vision/folder_hash.h"
#include "vision/folder_listing.h"
#include "vision/formats/image_file.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestImageFile = std::uintmax_t{1} << 30;

/// Reads one file after the other; only the pixels stay.
class FolderReader {
 public:
  FolderReader(const std::string& option, const std::string& path, const ImageOptions& options,
               const ImageTransform& transform)
      : skip_broken_(options.broken_images == BrokenImages::kSkip), transform_(transform) {
    set_.option = option;
    set_.path = path;
  }

  ImageSet read(ImageSources& sources) {
    const auto listing = list_image_folder(set_.path);
    for (const auto& folder : listing.classes) {
      files_ += static_cast<std::int64_t>(folder.files.size());
    }
    for (const auto& folder : listing.classes) read_class(folder);
    sources.files.push_back(hash_.finish(set_.option, set_.path));
    add_notes(listing, sources.notes);
    return std::move(set_);
  }

 private:
  void read_class(const ClassFolder& folder) {
    const auto before = set_.images.size();
    for (const auto& name : folder.files) {
      const auto relative = folder.name + "/" + name;
      const auto file = (fs::path(set_.path) / folder.name / name).string();
      if (auto image = read_image(file, relative)) add(std::move(*image), file);
    }
    require<UserError>(
        set_.images.size() > before, (fs::path(set_.path) / folder.name).string(),
        ": a class without images: all of its files are broken (the first: ", first_broken_, ")");
    set_.names.push_back(folder.name);
  }

  /// Nothing for a broken file that is left out.
  std::optional<Image> read_image(const std::string& file, const std::string& relative) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    require<UserError>(error || size <= kLargestImageFile, file, ": ", size,
                       " bytes; image files of at most ", kLargestImageFile, " are read");
    const auto bytes = read_file(file);
    hash_.add(relative, bytes);
    std::optional<Image> image;
    try {
      image = decode_image(bytes, file);
    } catch (const UserError& broken) {
      if (!skip_broken_) {
        throw UserError(text_of(broken.what(), "; data.broken_images: skip leaves such files out"));
      }
      if (broken_++ == 0) first_broken_ = broken.what();
      return {};
    }
    return transform_ ? transform_(std::move(*image)) : std::move(image);
  }

  void add(Image image, const std::string& file) {
    auto& images = set_.images;
    if (images.empty()) {
      set_.size = image.size;
      require_set_bytes(files_, set_.size, set_.path);
      images.pixels.reserve(static_cast<std::size_t>(files_ * set_.size.pixels()));
    }
    require_same_kind(image.size, file);
    images.pixels.insert(images.pixels.end(), image.pixels.begin(), image.pixels.end());
    images.labels.push_back(static_cast<std::int32_t>(set_.names.size()));
    images.file_of.push_back(static_cast<std::int32_t>(images.files.size()));
    images.number_in_file.push_back(0);
    images.files.push_back(file);
  }

  void require_same_kind(const ImageSize& size, const std::string& file) const {
    if (size == set_.size) return;
    const auto& first = set_.images.files.front();
    const auto kind = [](const ImageSize& of) { return of.channels == 1 ? "grey" : "in colour"; };
    require<UserError>(size.height == set_.size.height && size.width == set_.size.width, first,
                       " has ", set_.size.height, " x ", set_.size.width, " pixels, ", file,
                       " has ", size.height, " x ", size.width,
                       "; images need one size, so set data.height and data.width");
    throw UserError(text_of(first, " is ", kind(set_.size), ", ", file, " is ", kind(size),
                            "; images need one kind, so set data.channels to 1 (grey) or 3 "
                            "(colour)"));
  }

  void add_notes(const FolderListing& listing, std::vector<std::string>& notes) const {
    if (listing.ignored > 0) {
      notes.push_back(text_of(set_.path, ": ", listing.ignored,
                              " files that do not end in .png, .jpg or .jpeg were left out (the "
                              "first: ",
                              listing.first_ignored, ")."));
    }
    if (broken_ > 0) {
      notes.push_back(text_of(set_.path, ": ", broken_,
                              " broken images were left out (the first: ", first_broken_, ")."));
    }
  }

  bool skip_broken_;
  const ImageTransform& transform_;
  ImageSet set_;
  FolderHash hash_;
  std::int64_t files_ = 0, broken_ = 0;
  std::string first_broken_;
};

}  // namespace

ImageSet read_image_folder(const std::string& option, const std::string& path,
                           const ImageOptions& options, const ImageTransform& transform,
                           ImageSources& sources) {
  return FolderReader(option, path, options, transform).read(sources);
}

}  // namespace zoo
