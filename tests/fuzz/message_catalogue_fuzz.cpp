#include "tests/fuzz/fuzz_target.h"
#include "text/message_catalogue.h"
#include "text/placeholders.h"
#include "text/utf8.h"

namespace zoo {
namespace {

void expect_text(const std::string& text) {
  expect(valid_utf8_prefix(text) == text.size(), "texts of a catalogue are UTF-8");
  for (const auto& placeholder : placeholders_of(text)) {
    expect(!placeholder.empty() && placeholder.size() <= text.size(), "a placeholder is a part");
  }
}

}  // namespace

void fuzz_one(std::string_view bytes) {
  const auto catalogue = parse_message_catalogue(bytes, "messages.mo");
  for (const auto& message : catalogue.messages) {
    expect(message.number > 0, "messages are counted from 1");
    expect(!message.translations.empty(), "a message has a translation, if an empty one");
    expect_text(message.context);
    expect_text(message.singular);
    expect_text(message.plural);
    for (const auto& translation : message.translations) expect_text(translation);
  }
}

}  // namespace zoo
