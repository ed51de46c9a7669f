// Errors and progress on standard error: sentences and a progress bar for people, or one JSON
// object a line for a program that started this one and set VRAMLAB_MESSAGES=json. The first key of
// each object is `vramlab_message`, so that it can be told from the output of a user's program.
#pragma once

#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/interrupts.h"
#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {

enum class MessageForm { text, json };

/// The form that VRAMLAB_MESSAGES asks for. Throws InputError for an unknown word.
MessageForm asked_message_form();

/// An option that no command of this name has.
class UnknownOption : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A line with its line break. The JSON of an InputError has file, position, expected and found.
std::string error_message(const std::exception& error, MessageForm form);
std::string error_message(const UnknownOption& error, MessageForm form);
std::string error_message(const traces::InputError& error, MessageForm form);

/// A line of JSON with its line break; `what` is the file that is read.
std::string progress_message(const std::string& what, const traces::ReadProgress& progress);

/// The parts of a step of work, where their number is known.
struct WorkProgress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};
/// A line of JSON with its line break, about work other than reading.
std::string work_message(const std::string& what, const std::string& step,
                         const std::optional<WorkProgress>& progress);

/// A progress bar for work that takes over a second, drawn only on a terminal. A program that asked
/// for JSON gets lines with the progress instead.
class ProgressBar {
 public:
  /// A bar for the reading of a file and the work on it; `-` is standard input.
  ProgressBar(const std::string& file, const CommonFlags& flags);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { remove(); }

  /// The listener for a reader of the file. The bar must outlive it.
  traces::ProgressListener listener();
  /// Shows the current step of work other than reading, and how long the work has taken, until the
  /// bar goes or a file is read again. May be called from several threads.
  void show(const std::string& step);
  /// Shows a table above the step from now on, as far as the terminal has room. Each call replaces
  /// the one before in its place. A program that asked for JSON gets none.
  void show_table(std::string table);
  /// Says how much of the current step is done. May be called from several threads.
  void show(WorkProgress progress);
  /// Clears the bar's line and table, before an answer is printed.
  void remove();

 private:
  using Clock = std::chrono::steady_clock;
  void update(const traces::ReadProgress& progress);
  void draw_step();
  /// Whether it is time for the next drawing. Requires: the lock is held.
  bool is_due();
  /// Requires: the lock is held.
  void draw(const std::string& line);

  std::string what_;
  MessageForm form_ = asked_message_form();
  bool is_shown_;
  std::mutex lock_;
  /// Empty while a file is read.
  std::string step_;
  std::optional<WorkProgress> step_progress_;
  bool has_drawn_ = false;
  std::string table_;
  /// Lines of the table that are on the terminal.
  std::size_t table_lines_drawn_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_drawing_;
  /// Made with the first step. Goes first, as it uses the others.
  std::optional<Ticker> ticker_;
};

}  // namespace vramlab::tools
