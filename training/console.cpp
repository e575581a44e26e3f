#include "training/console.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "core/errors.h"
#include "core/format.h"

namespace zoo {
namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr std::int64_t kStepsBeforeEstimate = 20;
constexpr double kSecondsBeforeEstimate = 3.0;

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

/// One line of a text: line breaks become a mark.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += "⏎";
    } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      line += c;
    }
  }
  return line;
}

/// The first `columns` characters (code points) of UTF-8 text.
std::string cut(const std::string& text, int columns) {
  int seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts && seen++ == columns) return text.substr(0, i);
  }
  return text;
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

Console::Console(std::ostream& out, const ConsoleStyle& style, std::int64_t max_steps,
                 std::string unit)
    : out_(out), style_(style), max_steps_(max_steps), unit_(std::move(unit)) {}

void Console::on_step(const Progress& progress) {
  const auto now = Clock::now();
  if (first_step_ < 0) {
    first_step_ = progress.step;
    started_ = now;
  }
  if (style_.live && now - drawn_ >= kRedrawEvery) draw_bar(progress);
}

void Console::on_report(const Progress& /*progress*/, const Report& report) {
  report_ = report;
  reported_ = true;
}

bool Console::on_evaluation(const Progress& progress, const Evaluation& evaluation) {
  evaluated_ = evaluation.split + " " + fixed_digits(evaluation.loss, 4);
  std::string text =
      text_of("step ", progress.step, "/", max_steps_, "  ", evaluation.split, " loss ",
              fixed_digits(evaluation.loss, 4), " (", fixed_digits(evaluation.bits(), 3), " bits)");
  for (const auto& [name, value] : evaluation.figures)
    text += "  " + name + " " + fixed_digits(value, 4);
  if (reported_) {
    text += text_of("  train loss ", fixed_digits(report_.loss, 4), "  lr ",
                    scientific(report_.learning_rate), "  ",
                    short_number(report_.tokens_per_second()), " ", unit_, "s/s");
  }
  text += "  " + duration_text(progress.seconds);
  line(text);
  return true;
}

void Console::show_samples(const std::vector<std::string>& texts) {
  std::string joined;
  for (const auto& text : texts) joined += (joined.empty() ? "" : "  ") + on_one_line(text);
  const auto text = "  " + cut(joined, std::max(style_.width - 2, 20));
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

std::string Console::time_left(const Progress& progress) const {
  const auto steps = progress.step - first_step_;
  const auto seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  if (steps < kStepsBeforeEstimate || seconds < kSecondsBeforeEstimate) return "";
  const auto rest = static_cast<double>(max_steps_ - progress.step);
  return "  " + duration_text(rest * seconds / static_cast<double>(steps)) + " left";
}

void Console::draw_bar(const Progress& progress) {
  drawn_ = Clock::now();
  const auto share = static_cast<double>(progress.step) / static_cast<double>(max_steps_);
  std::string text = text_of(bar_of(share, 16), " ", progress.step, "/", max_steps_);
  if (reported_) text += "  loss " + fixed_digits(report_.loss, 4);
  if (!evaluated_.empty()) text += "  " + evaluated_;
  if (reported_) {
    text += "  lr " + scientific(report_.learning_rate) + "  " +
            short_number(report_.tokens_per_second()) + " " + unit_ + "s/s";
  }
  text += time_left(progress);
  out_ << '\r' << cut(text, style_.width - 1) << "\033[K" << std::flush;
  bar_is_drawn_ = true;
}

}  // namespace zoo
