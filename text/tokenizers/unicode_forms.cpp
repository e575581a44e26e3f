#include "text/tokenizers/unicode_forms.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <utf8proc.h>

#include "text/utf8.h"

namespace zoo {
namespace {

constexpr char32_t kFirstBeyondAscii = 0x80;

utf8proc_category_t category_of(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

int combining_class(char32_t code_point) {
  if (code_point < kFirstBeyondAscii) return 0;
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point))->combining_class;
}

void append_decomposed(CodePoints& text, char32_t code_point, bool compatible) {
  constexpr std::size_t kLongestDecomposition = 32;  // Unicode promises 18 at most
  std::array<utf8proc_int32_t, kLongestDecomposition> parts{};
  const auto options = UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0);
  int boundary_class = 0;
  const auto count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), parts.data(),
                              static_cast<utf8proc_ssize_t>(parts.size()),
                              static_cast<utf8proc_option_t>(options), &boundary_class);
  if (count < 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) {
    throw std::logic_error("utf8proc decomposes a character into too many");
  }
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    text.push_back(static_cast<char32_t>(parts[static_cast<std::size_t>(i)]));
  }
}

/// Canonical ordering of each run of marks. utf8proc's own takes quadratic time on a long run.
void order_marks(CodePoints& text) {
  for (auto at = text.begin(); at != text.end();) {
    if (combining_class(*at) == 0) {
      ++at;
      continue;
    }
    const auto end =
        std::find_if(at, text.end(), [](char32_t mark) { return combining_class(mark) == 0; });
    if (end - at > 1) {
      std::stable_sort(
          at, end, [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    }
    at = end;
  }
}

bool is_ascii(const CodePoints& text) {
  return std::all_of(text.begin(), text.end(), [](char32_t c) { return c < kFirstBeyondAscii; });
}

}  // namespace

bool is_white_space(char32_t code_point) {
  constexpr char32_t kNextLine = 0x85;
  if (code_point < kFirstBeyondAscii) {
    return code_point == ' ' || (code_point >= '\t' && code_point <= '\r');
  }
  const auto category = category_of(code_point);
  return code_point == kNextLine ||
         (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP);
}

bool is_punctuation(char32_t code_point) {
  if (code_point < kFirstBeyondAscii) {
    return (code_point >= '!' && code_point <= '/') || (code_point >= ':' && code_point <= '@') ||
           (code_point >= '[' && code_point <= '`') || (code_point >= '{' && code_point <= '~');
  }
  const auto category = category_of(code_point);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool is_nonspacing_mark(char32_t code_point) {
  return code_point >= kFirstBeyondAscii && category_of(code_point) == UTF8PROC_CATEGORY_MN;
}

bool is_control_or_private(char32_t code_point) {
  constexpr char32_t kDelete = 0x7F;
  if (code_point < kFirstBeyondAscii) return code_point < ' ' || code_point == kDelete;
  const auto category = category_of(code_point);
  return category >= UTF8PROC_CATEGORY_CC && category <= UTF8PROC_CATEGORY_CO;
}

void decompose(CodePoints& text, bool compatible) {
  if (is_ascii(text)) return;
  CodePoints decomposed;
  decomposed.reserve(text.size());
  for (const auto code_point : text) {
    if (code_point < kFirstBeyondAscii) {
      decomposed.push_back(code_point);
    } else {
      append_decomposed(decomposed, code_point, compatible);
    }
  }
  order_marks(decomposed);
  text = std::move(decomposed);
}

void compose(CodePoints& text) {
  if (is_ascii(text)) return;
  std::vector<utf8proc_int32_t> buffer(text.begin(), text.end());
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  const auto size = utf8proc_normalize_utf32(buffer.data(),
                                             static_cast<utf8proc_ssize_t>(buffer.size()), options);
  if (size < 0) throw std::logic_error("utf8proc does not compose a text");
  text.assign(buffer.begin(), buffer.begin() + size);
}

void lower_case(CodePoints& text) {
  constexpr char32_t kCapitalDottedI = 0x130;  // the only one whose lower case has two characters
  constexpr char32_t kDotAbove = 0x307;
  CodePoints lowered;
  lowered.reserve(text.size());
  for (const auto code_point : text) {
    if (code_point < kFirstBeyondAscii) {
      const bool capital = code_point >= 'A' && code_point <= 'Z';
      lowered.push_back(capital ? code_point + ('a' - 'A') : code_point);
    } else if (code_point == kCapitalDottedI) {
      lowered.insert(lowered.end(), {U'i', kDotAbove});
    } else {
      const auto lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point));
      lowered.push_back(static_cast<char32_t>(lower));
    }
  }
  text = std::move(lowered);
}

std::string to_utf8(const CodePoints& text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (const auto code_point : text) {
    if (code_point < kFirstBeyondAscii) {
      bytes += static_cast<char>(code_point);
    } else {
      append_utf8(bytes, code_point);
    }
  }
  return bytes;
}

}  // namespace zoo
