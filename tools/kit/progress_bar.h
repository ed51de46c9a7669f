// A progress bar on standard error, for work that takes over a second, and only on a terminal.
#pragma once

#include <chrono>
#include <string>

#include "tools/kit/arguments.h"
#include "traces/files/byte_source.h"

namespace vramlab::tools {

enum class ProgressDisplay { automatic, off };

class ProgressBar {
 public:
  ProgressBar(std::string what, ProgressDisplay display);
  /// For the reading of a file, `-` for standard input.
  ProgressBar(const std::string& file, const CommonFlags& flags);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Removes the bar.
  ~ProgressBar();

  /// For whoever reads. The bar must live as long.
  traces::ProgressListener listener();

 private:
  using Clock = std::chrono::steady_clock;
  void update(const traces::ReadProgress& progress);

  std::string what_;
  bool is_shown_;
  bool has_drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_drawing_ = start_ + std::chrono::seconds(1);
};

/// The bar's line, such as `big.pickle  1.20 GiB of 4.70 GiB (25 %), 0.52 GiB/s, 7 s left`.
std::string progress_text(const std::string& what, const traces::ReadProgress& progress,
                          std::chrono::duration<double> passed);

}  // namespace vramlab::tools
