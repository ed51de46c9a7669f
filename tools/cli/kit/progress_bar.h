// A progress bar on standard error, for work that takes over a second, and only on a terminal. For
// a program that asked for JSON, lines with the progress instead.
#pragma once

#include <chrono>
#include <string>

#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/messages/messages.h"
#include "traces/io/byte_source.h"

namespace vramlab::tools {

class ProgressBar {
 public:
  /// For the reading of a file, `-` for standard input.
  ProgressBar(const std::string& file, const CommonFlags& flags);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Removes the bar.
  ~ProgressBar();

  /// For whoever reads. The bar must live as long.
  traces::ProgressListener listener();
  /// What is done now, for work that is no reading. Not for a program that asked for JSON.
  void show(const std::string& state);

 private:
  using Clock = std::chrono::steady_clock;
  void update(const traces::ReadProgress& progress);

  std::string what_;
  MessageForm form_ = asked_message_form();
  bool is_shown_;
  bool has_drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_drawing_;
};

}  // namespace vramlab::tools
