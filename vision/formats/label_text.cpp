#include "vision/formats/label_text.h"

#include "core/errors.h"
#include "core/plain_text.h"

namespace zoo {

std::string label_text(std::string_view raw, const std::string& place) {
  return label_text(raw, [&] { return place; });
}

std::string label_text(std::string_view raw, const std::function<std::string()>& place) {
  const auto begin = raw.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    throw UserError(place() + ": the label is empty; fill it in, or remove it");
  }
  const auto label = raw.substr(begin, raw.find_last_not_of(" \t") + 1 - begin);
  if (!is_plain_text(label)) {
    throw UserError(place() +
                    ": the label is not UTF-8, or has control characters; write it in plain text");
  }
  return std::string(label);
}

}  // namespace zoo
