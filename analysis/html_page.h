#pragma once

#include <string>
#include <string_view>

namespace zoo {

/// Whether a character is a control, turns the direction of writing, or is none (kNoCharacter): it
/// would change how other text is shown.
bool disturbs_text(char32_t c);

/// Any bytes as UTF-8 that can be shown: what disturbs becomes U+FFFD, but tabs and line breaks
/// stay.
std::string displayable(std::string_view text);

/// The text for an element or for an attribute in quotes.
std::string html_escaped(std::string_view text);

/// The bytes in base64, padded.
std::string base64(std::string_view bytes);

/// The parts of a page's head that differ from page to page.
struct HtmlHead {
  std::string title;        ///< displayable, not escaped
  std::string_view style;   ///< CSS beside what all pages share
  std::string_view script;  ///< the only one that the page may run
  bool has_images = false;  ///< whether the page embeds images as data:
};

/// A page up to the end of its head. Its policy refuses the network, and styles and scripts but its
/// own.
std::string html_head(const HtmlHead& head);

}  // namespace zoo
