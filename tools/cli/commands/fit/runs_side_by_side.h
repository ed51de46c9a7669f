// RunsSideBySide: dry runs in processes of their own, as many at a time as the cores and the memory
// of the host allow. A run that takes too much processor time, or none for as long, is ended. No
// process of a run is left when this goes.
#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "tools/cli/commands/fit/fit_run.h"

namespace vramlab::tools {

struct SideBySideOptions {
  std::size_t jobs = 1;
  /// For each run, over all of its processes.
  double most_processor_s = 600;
};

struct EndedRun {
  /// As it was given to start().
  std::size_t number = 0;
  FitFigures figures;
};

class RunsSideBySide {
 public:
  /// `is_stopped` is asked again and again while runs are waited for.
  RunsSideBySide(const SideBySideOptions& options, std::function<bool()> is_stopped);
  RunsSideBySide(const RunsSideBySide&) = delete;
  RunsSideBySide& operator=(const RunsSideBySide&) = delete;
  ~RunsSideBySide() { end_all(); }

  std::size_t count() const { return runs_.size(); }
  /// Whether a core is free, and the memory that the largest run took so far. The first run is
  /// alone, as nobody knows yet what it takes.
  bool has_room() const;
  /// Throws if no process can be made.
  void start(std::size_t number, const FitRun& run);
  /// Waits until at least one run has ended. Once it is stopped, all runs are ended, and those that
  /// ended before are returned.
  std::vector<EndedRun> wait();

 private:
  using Clock = std::chrono::steady_clock;
  struct Run {
    std::size_t number = 0;
    pid_t process = 0;
    /// A file in memory for the process that minds a forked program, and for the figures.
    int file = -1;
    FitStop stopped = FitStop::none;
    Clock::time_point asked_to_end;
    double processor_s = 0;
    std::uint64_t host_bytes = 0;
    /// When it last used processor time.
    Clock::time_point last_active;
    double active_at_s = 0;
  };

  void look_at(Run& run);
  static void ask_to_end(Run& run, FitStop reason);
  EndedRun finished(const Run& run) const;
  std::vector<EndedRun> take_ended();
  void end_all();

  SideBySideOptions options_;
  std::function<bool()> is_stopped_;
  std::vector<Run> runs_;
  std::uint64_t largest_host_bytes_ = 0;
  bool has_ended_one_ = false;
  Clock::time_point next_look_;
};

}  // namespace vramlab::tools
