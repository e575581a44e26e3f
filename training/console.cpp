#include "training/console.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>
#include <utility>

#include "core/errors.h"
#include "core/format.h"
#include "text/display_columns.h"

namespace zoo {
namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr int kBarColumns = 16;
constexpr int kShortBarColumns = 8;
/// Of a line of samples in a log.
constexpr int kSampleColumns = 80;

/// "912", "48.2k", "1.3M".
std::string short_number(double value) {
  if (value >= 1e6) return fixed_digits(value / 1e6, 1) + "M";
  if (value >= 1e3) return fixed_digits(value / 1e3, 1) + "k";
  return fixed_digits(value, 0);
}

std::string scientific(double value) {
  std::ostringstream text;
  text << std::setprecision(2) << std::scientific << value;
  return text.str();
}

/// One line of a text: line breaks become a mark, other control characters nothing.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F, which some terminals obey.
    const bool second_set =
        byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (second_set) {
      ++i;
    } else if (byte == '\n') {
      line += "⏎";
    } else if (byte >= 0x20 && byte != 0x7f) {
      line += text[i];
    }
  }
  return line;
}

/// The parts with two spaces between them, in lines of so many columns; those after the first are
/// indented. A part is never broken.
std::string in_lines(const std::vector<std::string>& parts, std::int64_t columns) {
  std::string text;
  std::int64_t used = 0;
  for (const auto& part : parts) {
    const auto width = display_columns(part);
    if (used > 0 && used + 2 + width > columns) {
      text += "\n  ";
      used = 2;
    }
    text += (used > 0 ? "  " : "") + part;
    used += (used > 0 ? 2 : 0) + width;
  }
  return text;
}

/// A part of the bar; where there is no room for all, those of the highest rank go first.
struct BarPart {
  std::string text;
  int rank;
};

std::string joined(const std::vector<BarPart>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : "  ") + part.text;
  return text;
}

/// The parts that fit into so many columns, and what still does of the first.
std::string fitting(std::vector<BarPart> parts, std::int64_t columns) {
  while (true) {
    const auto text = joined(parts);
    if (parts.size() == 1 || display_columns(text) <= columns) {
      return std::string(within_columns(text, columns));
    }
    parts.erase(std::max_element(parts.begin(), parts.end(),
                                 [](const auto& a, const auto& b) { return a.rank < b.rank; }));
  }
}

std::string bar_of(double share, int columns) {
  const auto full = static_cast<int>(std::lround(share * columns));
  std::string bar;
  for (int i = 0; i < columns; ++i) bar += i < full ? "█" : "░";
  return bar;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  std::ostringstream text;
  text << std::setfill('0');
  if (whole >= 3600) {
    text << whole / 3600 << "h " << std::setw(2) << whole % 3600 / 60 << "m";
  } else if (whole >= 60) {
    text << whole / 60 << "m " << std::setw(2) << whole % 60 << "s";
  } else {
    text << whole << "s";
  }
  return text.str();
}

Console::Console(std::ostream& out, ConsoleStyle style, const TrainingPlan& plan, std::string unit)
    : out_(out), style_(std::move(style)), plan_(plan), unit_(std::move(unit)), time_left_(plan) {}

void Console::on_step(const Progress& progress) {
  time_left_.on_step(progress.step, progress.seconds);
  if (style_.live && Clock::now() - drawn_ >= kRedrawEvery) draw_bar(progress);
}

void Console::on_report(const Progress& /*progress*/, const Report& report) {
  report_ = report;
  reported_ = true;
}

bool Console::on_evaluation(const Progress& progress, const Evaluation& evaluation) {
  time_left_.on_evaluation(progress.step, progress.seconds);
  evaluated_ = evaluation.split + " " + fixed_digits(evaluation.loss, 4);
  std::vector<std::string> parts = {
      text_of("step ", progress.step, "/", plan_.max_steps),
      text_of(evaluation.split, " loss ", fixed_digits(evaluation.loss, 4), " (",
              fixed_digits(evaluation.bits(), 3), " bits)")};
  for (const auto& [name, value] : evaluation.figures) {
    parts.push_back(name + " " + fixed_digits(value, 4));
  }
  if (reported_) {
    parts.insert(parts.end(), {"train loss " + fixed_digits(report_.loss, 4), learning_rate_text(),
                               speed_text()});
  }
  parts.push_back(duration_text(progress.seconds));
  line(in_lines(parts, style_.width ? style_.width() : std::numeric_limits<std::int64_t>::max()));
  return true;
}

void Console::show_samples(const std::vector<std::string>& texts) {
  std::string joined;
  for (const auto& text : texts) joined += (joined.empty() ? "" : "  ") + on_one_line(text);
  const auto columns = style_.width ? style_.width() : kSampleColumns;
  const auto text = "  " + std::string(within_columns(joined, std::max(columns - 2, 20)));
  line(style_.color ? "\033[2m" + text + "\033[0m" : text);
}

void Console::on_finish(const Progress& progress, StopReason reason) {
  clear_bar();
  if (reason == StopReason::kStoppedEarly) {
    line(text_of("stopped early at step ", progress.step, ": no better loss in ",
                 progress.evaluations_without_gain, " evaluations"));
  }
  out_ << std::flush;
}

void Console::line(const std::string& text) {
  clear_bar();
  out_ << text << '\n' << std::flush;
}

void Console::clear_bar() {
  if (bar_is_drawn_) out_ << "\r\033[K";
  bar_is_drawn_ = false;
}

std::string Console::learning_rate_text() const {
  return "lr " + scientific(report_.learning_rate);
}

std::string Console::speed_text() const {
  return short_number(report_.tokens_per_second()) + " " + unit_ + "s/s";
}

void Console::draw_bar(const Progress& progress) {
  drawn_ = Clock::now();
  const auto share = static_cast<double>(progress.step) / static_cast<double>(plan_.max_steps);
  const auto steps = [&](int bar_columns) {
    return text_of(bar_of(share, bar_columns), " ", progress.step, "/", plan_.max_steps);
  };
  std::vector<BarPart> parts = {{steps(kBarColumns), 0}};
  if (reported_) parts.push_back({"loss " + fixed_digits(report_.loss, 4), 2});
  if (!evaluated_.empty()) parts.push_back({evaluated_, 3});
  if (reported_) parts.insert(parts.end(), {{learning_rate_text(), 5}, {speed_text(), 4}});
  if (const auto seconds = time_left_.seconds()) {
    parts.push_back({duration_text(*seconds) + " left", 1});
  }
  // A character in the last column would make some terminals go on in the next row.
  const auto columns = style_.width() - 1;
  if (display_columns(joined(parts)) > columns) parts.front().text = steps(kShortBarColumns);
  out_ << '\r' << fitting(std::move(parts), columns) << "\033[K" << std::flush;
  bar_is_drawn_ = true;
}

}  // namespace zoo
