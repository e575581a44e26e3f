#include "apps/guarded_stream.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "text/utf8.h"

namespace zoo {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_plain(char c) { return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t'; }

std::string escaped(unsigned code_point) {
  std::array<char, 12> text{};
  std::snprintf(text.data(), text.size(), "\\u%04x", code_point);
  return text.data();
}

/// Whether more bytes can make a character of these, which are none.
bool may_go_on(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  const bool starts = first >= 0xC2 && first <= 0xF4 && text.size() < length;
  return starts && std::all_of(text.begin() + 1, text.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
         });
}

class Guard : public std::streambuf {
 public:
  explicit Guard(std::streambuf& to) : to_(to) {}
  ~Guard() override {
    if (!waiting_.empty()) write(kReplacement);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    return put({text, static_cast<std::size_t>(size)}) ? size : 0;
  }
  int overflow(int c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return put({&one, 1}) ? c : traits_type::eof();
  }
  int sync() override { return to_.pubsync(); }

 private:
  bool put(std::string_view text) {
    if (waiting_.empty() && std::all_of(text.begin(), text.end(), is_plain)) return write(text);
    waiting_ += text;
    std::string shown;
    std::string_view rest = waiting_;
    while (!rest.empty()) {
      const auto whole = valid_utf8_prefix(rest);
      shown += with_escaped_controls(rest.substr(0, whole));
      rest.remove_prefix(whole);
      if (rest.empty() || may_go_on(rest)) break;
      shown += kReplacement;
      rest.remove_prefix(1);
    }
    waiting_ = std::string(rest);
    return write(shown);
  }
  bool write(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    return to_.sputn(text.data(), size) == size;
  }

  std::streambuf& to_;
  std::string waiting_;  // the first bytes of a character
};

}  // namespace

std::string with_escaped_controls(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool one_byte = byte < 0x80;
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (one_byte && !is_plain(text[i])) {
      shown += escaped(byte);
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // U+0080 to U+009F
      shown += escaped(static_cast<unsigned>(next));
      ++i;
    } else {
      shown += text[i];
    }
  }
  return shown;
}

GuardedStream::GuardedStream(std::ostream& stream)
    : stream_(stream),
      unguarded_(stream.rdbuf()),
      guard_(std::make_unique<Guard>(*stream.rdbuf())) {
  stream_.rdbuf(guard_.get());
}

GuardedStream::~GuardedStream() {
  const auto state = stream_.rdstate();
  stream_.rdbuf(unguarded_);
  stream_.setstate(state);
}

}  // namespace zoo
