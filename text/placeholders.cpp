#include "text/placeholders.h"

#include <algorithm>

namespace zoo {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
// Without the space, which is a flag too: "100 % sure" holds no placeholder.
constexpr std::string_view kFlags = "#0+-'";
constexpr std::string_view kLengths = "hljztLq";

/// Length of the run of such characters that starts at `at`.
std::size_t run(std::string_view text, std::size_t at, std::string_view characters) {
  return std::min(text.find_first_not_of(characters, at), text.size()) - std::min(at, text.size());
}

bool has_at(std::string_view text, std::size_t at, char c) {
  return at < text.size() && text[at] == c;
}

/// Length of the number or star at `at`; 0 without one.
std::size_t number(std::string_view text, std::size_t at) {
  return has_at(text, at, '*') ? 1 : run(text, at, kDigits);
}

/// Reads what follows a '%' at `at`, past its end, into `placeholder`; true when it is one.
bool read_printf(std::string_view text, std::size_t& at, std::string& placeholder) {
  placeholder = "%";
  if (has_at(text, at, '(')) {
    const auto size = run(text, at + 1, kNameCharacters);
    if (size == 0 || !has_at(text, at + 1 + size, ')')) return false;
    placeholder += text.substr(at, size + 2);
    at += size + 2;
  } else if (const auto size = run(text, at, kDigits); size > 0 && has_at(text, at + size, '$')) {
    at += size + 1;
  }
  auto end = at + run(text, at, kFlags);
  end += number(text, end);
  if (has_at(text, end, '.')) end += 1 + number(text, end + 1);
  const auto lengths = run(text, end, kLengths);
  end += lengths;
  if (run(text, end, kLetters) > 0) {
    ++end;
  } else if (lengths == 0) {
    return false;
  }
  placeholder += text.substr(at, end - at);
  at = end;
  return true;
}

/// Reads what follows a '{' at `at`, past its '}', into `placeholder`; true when it is one.
bool read_braces(std::string_view text, std::size_t& at, std::string& placeholder) {
  auto end = at + run(text, at, kNameCharacters);
  if (has_at(text, end, ':') || has_at(text, end, '!')) {
    end = std::min(text.find_first_of("{} \t\n", end), text.size());
  }
  if (!has_at(text, end, '}')) return false;
  placeholder = text.substr(at - 1, end + 2 - at);
  at = end + 1;
  return true;
}

}  // namespace

std::vector<std::string> placeholders_of(std::string_view text) {
  std::vector<std::string> found;
  std::string placeholder;
  for (std::size_t at = 0; at < text.size();) {
    const auto c = text[at++];
    if (c == '%' && has_at(text, at, '%')) {
      ++at;
    } else if ((c == '%' && read_printf(text, at, placeholder)) ||
               (c == '{' && read_braces(text, at, placeholder))) {
      found.push_back(placeholder);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace zoo
