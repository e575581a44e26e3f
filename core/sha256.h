#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace zoo {

/// SHA-256 of bytes that come in parts.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  /// 64 lower-case hexadecimal digits; nothing can be added afterwards.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 of the bytes, as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

/// Two lower-case hexadecimal digits a byte.
std::string to_hex(std::string_view bytes);

/// The inverse of to_hex. Throws UserError when `text` is not pairs of hexadecimal digits.
std::string from_hex(std::string_view text);

}  // namespace zoo
