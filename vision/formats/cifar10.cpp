#include "vision/formats/cifar10.h"

#include <algorithm>

#include "core/errors.h"
#include "core/gzip.h"
#include "core/plain_text.h"
#include "vision/formats/label_text.h"

namespace zoo {
namespace {

constexpr std::size_t kImageBytes = 3 * 32 * 32;
constexpr std::size_t kRecordBytes = 1 + kImageBytes;

}  // namespace

Cifar10Batch parse_cifar10(std::string_view bytes, const std::string& source) {
  require<UserError>(!is_gzip(bytes), source, ": packed with gzip; unpack it first (tar -xzf)");
  require<UserError>(!bytes.empty() && bytes.size() % kRecordBytes == 0, source, ": ", bytes.size(),
                     " bytes; CIFAR-10's binary version has records of ", kRecordBytes,
                     " bytes, a label and 3 x 32 x 32 pixels; get the file again");
  Cifar10Batch batch;
  for (std::size_t at = 0; at < bytes.size(); at += kRecordBytes) {
    const auto label = static_cast<unsigned char>(bytes[at]);
    require<UserError>(label < kCifar10Classes, source, ", record ", at / kRecordBytes + 1,
                       ": label ", int{label}, "; CIFAR-10 has 0 to ", kCifar10Classes - 1,
                       ", so this is another file or a broken one");
    batch.labels.push_back(label);
    batch.images.push_back(bytes.substr(at + 1, kImageBytes));
  }
  return batch;
}

std::array<std::string, kCifar10Classes> parse_cifar10_names(std::string_view text,
                                                             const std::string& source) {
  std::array<std::string, kCifar10Classes> names;
  std::size_t count = 0;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const auto name = label_text(line, text_of(source, ", line ", number));
    const auto* end = names.begin() + count;
    require<UserError>(std::find(names.cbegin(), end, name) == end, source, ", line ", number, ": ",
                       shown_text(name), " is there already; classes have different names");
    if (count < names.size()) names[count] = name;
    ++count;
    require<UserError>(count <= names.size(), source, ", line ", number,
                       ": one name too many; CIFAR-10 has ", kCifar10Classes, " classes");
  }
  require<UserError>(count == names.size(), source, ": ", count, " names; CIFAR-10 has ",
                     kCifar10Classes, " classes, a name a line");
  return names;
}

}  // namespace zoo
