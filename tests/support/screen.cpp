#include "tests/support/screen.h"

#include <algorithm>
#include <cstdio>

namespace zoo {
namespace {

std::string named(unsigned code) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", code);
  return text;
}

/// The bytes of the character that starts at `at`.
std::size_t length_at(const std::string& text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return end - at;
}

/// The code of a control character; -1 of any other.
int control_code(const std::string& character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1 && (first < 0x20 || first == 0x7f)) return first;
  if (character.size() == 2 && first == 0xC2) {
    const auto second = static_cast<unsigned char>(character[1]);
    if (second < 0xA0) return second;
  }
  return -1;
}

class Emulator {
 public:
  Screen run(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      if (bytes[at] == '\033') {
        at = after_sequence(bytes, at);
        continue;
      }
      const auto character = bytes.substr(at, length_at(bytes, at));
      at += character.size();
      take(character);
    }
    end_row();
    return std::move(screen_);
  }

 private:
  void take(const std::string& character) {
    if (character == "\n") {
      end_row();
      screen_.text += '\n';
    } else if (character == "\r") {
      screen_.redraws += row_.empty() ? 0 : 1;
      column_ = 0;
    } else if (const int code = control_code(character); code >= 0 && code != '\t') {
      screen_.faults.push_back(named(static_cast<unsigned>(code)));
    } else {
      if (column_ == row_.size()) row_.emplace_back();
      row_[column_++] = character;
      screen_.widest = std::max(screen_.widest, row_.size());
    }
  }

  std::size_t after_sequence(const std::string& bytes, std::size_t at) {
    const auto end = bytes.find_first_of("ABCDEFGHJKSTfhlmnsu", at);
    const auto sequence = bytes.substr(at, end - at + 1);
    if (sequence == "\033[K") {
      row_.resize(column_);
    } else if (sequence == "\033[2m" || sequence == "\033[0m") {
      screen_.colored = true;
    } else {
      screen_.faults.push_back("ESC" + sequence.substr(1));
    }
    return end == std::string::npos ? bytes.size() : end + 1;
  }

  void end_row() {
    for (const auto& character : row_) screen_.text += character;
    row_.clear();
    column_ = 0;
  }

  Screen screen_;
  std::vector<std::string> row_;
  std::size_t column_ = 0;
};

}  // namespace

Screen screen_of(const std::string& bytes) { return Emulator().run(bytes); }

std::vector<std::string> control_characters(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = text.substr(at, length_at(text, at));
    at += character.size();
    const int code = control_code(character);
    if (code >= 0 && code != '\n' && code != '\t') {
      found.push_back(named(static_cast<unsigned>(code)));
    }
  }
  return found;
}

}  // namespace zoo
