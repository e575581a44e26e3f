#include "text/text_files.h"

#include "core/errors.h"
#include "core/files.h"
#include "core/sha256.h"
#include "text/text_cleaner.h"
#include "text/utf8.h"

namespace zoo {

TextFile read_text_file(const std::string& option, const std::string& path,
                        std::vector<std::string>& notes) {
  TextFile file;
  file.text = read_file(path);
  file.source = {option, path, sha256(file.text), static_cast<std::int64_t>(file.text.size())};
  decode_utf8(file.text, path);
  TextCleaner cleaner;
  cleaner.clean(file.text);
  cleaner.add_notes(path, notes);
  require<UserError>(!file.text.empty(), path, ": the file is empty");
  return file;
}

}  // namespace zoo
