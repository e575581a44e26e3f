#include "core/mapped_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/errors.h"

namespace zoo {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  require<UserError>(descriptor >= 0, "cannot open ", path.string(), ": ", std::strerror(errno));
  struct stat status {};
  int cause = ::fstat(descriptor, &status) == 0 ? 0 : errno;
  if (cause == 0 && status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data_ == MAP_FAILED) cause = errno;
  }
  ::close(descriptor);
  require<UserError>(cause == 0, "cannot map ", path.string(), ": ", std::strerror(cause));
}

void MappedFile::release() const {
  if (size_ > 0) ::madvise(data_, size_, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(data_, size_);
}

}  // namespace zoo
