#pragma once

#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace zoo {

/// UTF-8 text whose control characters, but line breaks and tabs, are as JSON escapes them:
/// "\u001b".
std::string with_escaped_controls(std::string_view text);

/// While it lives, all that a stream writes is UTF-8 without control characters but line breaks and
/// tabs: texts, names of files and words of a vocabulary may hold some, and a terminal would obey
/// them. They come as JSON escapes them, so that JSON stays what it was; bytes that are no UTF-8
/// come as U+FFFD.
class GuardedStream {
 public:
  explicit GuardedStream(std::ostream& stream);
  ~GuardedStream();
  GuardedStream(const GuardedStream&) = delete;
  GuardedStream& operator=(const GuardedStream&) = delete;

 private:
  std::ostream& stream_;
  std::streambuf* unguarded_;
  std::unique_ptr<std::streambuf> guard_;
};

}  // namespace zoo
