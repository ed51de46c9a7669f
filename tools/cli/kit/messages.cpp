#include "tools/cli/kit/messages.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"

namespace vramlab::tools {
namespace {

constexpr const char* variable = "VRAMLAB_MESSAGES";
constexpr std::chrono::milliseconds between_drawings{200};

std::string text_line(const std::exception& error) {
  return "vramlab: " + shown_name(error.what()) + "\n";
}

/// The bar's line, such as `big.pickle  1.20 GiB of 4.70 GiB (25 %), 0.52 GiB/s, 7 s left`.
std::string progress_text(const std::string& what, const traces::ReadProgress& progress,
                          std::chrono::duration<double> passed) {
  const auto done = static_cast<double>(progress.bytes_read);
  const double bytes_per_second = passed.count() > 0 ? done / passed.count() : 0;
  const std::string speed = format_bytes({static_cast<std::uint64_t>(bytes_per_second)}) + "/s";
  std::string text = shown_name(what) + "  " + format_bytes({progress.bytes_read});
  if (!progress.bytes_total || *progress.bytes_total == 0) return text + ", " + speed;
  const auto total = static_cast<double>(*progress.bytes_total);
  text += " of " + format_bytes({*progress.bytes_total}) + " (" +
          std::to_string(std::lround(100 * done / total)) + " %), " + speed;
  if (bytes_per_second > 0 && done <= total)
    text += ", " + std::to_string(std::lround((total - done) / bytes_per_second)) + " s left";
  return text;
}

/// The size of the terminal on standard error; the usual one if it does not say.
winsize terminal_size() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    size = {24, 80, 0, 0};
  return size;
}

constexpr const char* clear_to_line_end = "\033[K";
constexpr const char* clear_to_end = "\033[J";

/// To the first of so many lines above the current one.
std::string to_line_above(std::size_t lines) {
  return lines == 0 ? "\r" : "\r\033[" + std::to_string(lines) + "A";
}

/// Letters of a line that is not wrapped.
std::size_t columns_of(const winsize& terminal) {
  return std::max<std::size_t>(8, terminal.ws_col - 1U);
}

/// The lines of the table that have room above a line for the step. Longer ones would be wrapped,
/// and then the place of the table would not be known.
std::vector<std::string> lines_with_room(const std::string& table, const winsize& terminal) {
  std::vector<std::string> lines;
  std::istringstream text(table);
  for (std::string line; std::getline(text, line);)
    lines.push_back(shortened(line, columns_of(terminal)));
  const std::size_t most = std::max<std::size_t>(4, terminal.ws_row) - 2;
  if (lines.size() <= most) return lines;
  const std::size_t left_out = lines.size() - most + 1;
  lines.resize(most - 1);
  lines.push_back("  and " + std::to_string(left_out) + " more");
  return lines;
}

}  // namespace

MessageForm asked_message_form() {
  const char* value = std::getenv(variable);
  const std::string_view word = value == nullptr ? "" : value;
  if (word == "json") return MessageForm::json;
  if (word.empty() || word == "text") return MessageForm::text;
  throw traces::InputError({variable, "", "text or json", std::string(word)});
}

std::string error_message(const std::exception& error, MessageForm form) {
  if (form == MessageForm::text) return text_line(error);
  return compact_json_text({{"vramlab_message", "error"}, {"text", shown_name(error.what())}}) +
         "\n";
}

std::string error_message(const UnknownOption& error, MessageForm form) {
  if (form == MessageForm::text) return text_line(error);
  return compact_json_text({{"vramlab_message", "error"},
                            {"text", shown_name(error.what())},
                            {"unknown_option", true}}) +
         "\n";
}

std::string error_message(const traces::InputError& error, MessageForm form) {
  if (form == MessageForm::text) return text_line(error);
  const traces::InputFault& fault = error.fault();
  return compact_json_text({{"vramlab_message", "input_error"},
                            {"text", shown_name(error.what())},
                            {"file", fault.file},
                            {"position", text_or_null(fault.position)},
                            {"expected", fault.expected},
                            {"found", fault.found}}) +
         "\n";
}

std::string progress_message(const std::string& what, const traces::ReadProgress& progress) {
  return compact_json_text({{"vramlab_message", "progress"},
                            {"what", what},
                            {"bytes_read", progress.bytes_read},
                            {"bytes_total", or_null(progress.bytes_total)}}) +
         "\n";
}

std::string work_message(const std::string& what, const std::string& step,
                         const std::optional<WorkProgress>& progress) {
  std::optional<std::uint64_t> done;
  std::optional<std::uint64_t> total;
  if (progress) {
    done = progress->done;
    total = progress->total;
  }
  return compact_json_text({{"vramlab_message", "work"},
                            {"what", what},
                            {"step", step},
                            {"done", or_null(done)},
                            {"total", or_null(total)}}) +
         "\n";
}

ProgressBar::ProgressBar(const std::string& file, const CommonFlags& flags)
    : what_(traces::input_name(file)),
      is_shown_(!flags.quiet && (form_ == MessageForm::json || isatty(STDERR_FILENO) != 0)),
      next_drawing_(form_ == MessageForm::json ? start_ : start_ + std::chrono::seconds(1)) {}

void ProgressBar::remove() {
  ticker_.reset();
  if (!std::exchange(has_drawn_, false)) return;
  const std::size_t lines = std::exchange(table_lines_drawn_, 0);
  const std::string text = to_line_above(lines) + (lines == 0 ? clear_to_line_end : clear_to_end);
  std::fputs(text.c_str(), stderr);
}

traces::ProgressListener ProgressBar::listener() {
  if (!is_shown_) return nullptr;
  return [this](const traces::ReadProgress& progress) { update(progress); };
}

void ProgressBar::show(const std::string& step) {
  if (!is_shown_) return;
  const std::lock_guard<std::mutex> lock(lock_);
  step_ = step;
  step_progress_.reset();
  if (form_ == MessageForm::json)
    std::fputs(work_message(what_, step_, {}).c_str(), stderr);
  else if (!ticker_)
    ticker_.emplace(between_drawings, [this] { draw_step(); });
}

void ProgressBar::show_table(std::string table) {
  if (!is_shown_ || form_ == MessageForm::json) return;
  const std::lock_guard<std::mutex> lock(lock_);
  table_ = std::move(table);
}

void ProgressBar::show(WorkProgress progress) {
  if (!is_shown_) return;
  const std::lock_guard<std::mutex> lock(lock_);
  step_progress_ = progress;
  if (form_ == MessageForm::json && is_due())
    std::fputs(work_message(what_, step_, progress).c_str(), stderr);
}

void ProgressBar::draw_step() {
  const std::lock_guard<std::mutex> lock(lock_);
  const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start_);
  if (step_.empty() || passed < std::chrono::seconds(1)) return;
  std::string line = what_ + "  " + step_;
  if (step_progress_ && step_progress_->total > 0)
    line += " (" + std::to_string(100 * step_progress_->done / step_progress_->total) + " %)";
  draw(shown_name(line) + ", " + std::to_string(passed.count()) + " s");
}

bool ProgressBar::is_due() {
  const Clock::time_point now = Clock::now();
  if (now < next_drawing_) return false;
  next_drawing_ = now + between_drawings;
  return true;
}

void ProgressBar::update(const traces::ReadProgress& progress) {
  const std::lock_guard<std::mutex> lock(lock_);
  if (!is_due()) return;
  if (form_ == MessageForm::json) {
    std::fputs(progress_message(what_, progress).c_str(), stderr);
    return;
  }
  step_.clear();
  draw(progress_text(what_, progress, Clock::now() - start_));
}

/// Everything is written at once over what was drawn before, so nothing flickers.
void ProgressBar::draw(const std::string& line) {
  std::string text = to_line_above(table_lines_drawn_);
  if (table_.empty()) {
    text += line;
  } else {
    const winsize terminal = terminal_size();
    const std::vector<std::string> lines = lines_with_room(table_, terminal);
    for (const std::string& above : lines) text += above + clear_to_line_end + "\n";
    text += shortened(line, columns_of(terminal));
    table_lines_drawn_ = lines.size();
  }
  std::fputs((text + clear_to_line_end).c_str(), stderr);
  std::fflush(stderr);
  has_drawn_ = true;
}

}  // namespace vramlab::tools
