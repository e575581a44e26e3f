#include "apps/wrapped_text.h"

#include <string_view>

#include "text/display_columns.h"

namespace zoo {
namespace {

/// Where the word that starts at `at` ends; in a command, a space in quotes is part of it.
std::size_t end_of_word(std::string_view text, std::size_t at, bool quotes) {
  for (bool quoted = false; at < text.size(); ++at) {
    if (quotes && text[at] == '"') quoted = !quoted;
    if (!quoted && (text[at] == ' ' || text[at] == '\n')) break;
  }
  return at;
}

std::vector<std::string> words_of(const std::string& text, bool quotes) {
  std::vector<std::string> words;
  bool after_option = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = end_of_word(text, at, quotes);
    auto word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    const bool option = word.starts_with("--");
    if (after_option && !option) {
      words.back() += " " + word;
    } else {
      words.push_back(std::move(word));
    }
    after_option = option;
  }
  return words;
}

/// Lines that are filled one after the other.
class Lines {
 public:
  explicit Lines(std::int64_t columns) : columns_(columns), lines_(1) {}

  void add(const std::string& text, const std::string& separator) {
    auto& last = lines_.back();
    if (last.empty()) {
      last = text;
    } else if (display_columns(last + separator + text) <= columns_) {
      last += separator + text;
    } else {
      lines_.push_back(text);
    }
    break_last();
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  void break_last() {
    while (true) {
      const auto head = within_columns(lines_.back(), columns_).size();
      if (head == 0 || head == lines_.back().size()) return;
      auto rest = lines_.back().substr(head);
      lines_.back().erase(head);
      lines_.push_back(std::move(rest));
    }
  }

  std::int64_t columns_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> words_of(const std::string& text) {
  return words_of(text, /*quotes=*/false);
}

std::vector<std::string> lines_within(const std::string& text, std::int64_t columns) {
  constexpr std::string_view kGap = "  ";
  Lines lines(columns);
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(kGap, at), text.size());
    const auto piece = text.substr(at, end - at);
    at = end + kGap.size();
    std::string separator(kGap);
    if (display_columns(piece) <= columns) {
      lines.add(piece, separator);
      continue;
    }
    for (const auto& word : words_of(piece)) {
      lines.add(word, separator);
      separator = " ";
    }
  }
  return lines.take();
}

std::string in_lines(const std::vector<std::string>& words, std::int64_t columns,
                     const Indents& indents) {
  std::string text = indents.first;
  auto used = display_columns(text);
  bool starts = true;
  for (const auto& word : words) {
    const auto width = display_columns(word);
    if (!starts && used + 1 + width > columns) {
      text += "\n" + indents.others;
      used = display_columns(indents.others);
      starts = true;
    }
    text += (starts ? "" : " ") + word;
    used += width + (starts ? 0 : 1);
    starts = false;
  }
  return text;
}

std::string command_in_lines(const std::string& command, std::int64_t columns) {
  if (display_columns(command) <= columns) return command;
  constexpr std::string_view kGoesOn = " \\";
  auto text = in_lines(words_of(command, /*quotes=*/true),
                       columns - static_cast<std::int64_t>(kGoesOn.size()), {"", "      "});
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += kGoesOn.size() + 1) {
    text.insert(at, kGoesOn);
  }
  return text;
}

}  // namespace zoo
