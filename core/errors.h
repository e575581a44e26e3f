#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace zoo {

/// Something the person at the keyboard can mend: a config, a flag, a file. One line; exit code 2.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A config value is unknown, of the wrong type, out of range or impossible beside another.
struct ConfigError : UserError {
  using UserError::UserError;
};

/// A tensor does not have the shape that its consumer documents.
struct ShapeError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The parts written one after the other, as `<<` writes them.
template <class... Parts>
std::string text_of(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// Throws Error, its message the parts joined, unless the condition holds.
template <class Error, class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) throw Error(text_of(parts...));
}

}  // namespace zoo
