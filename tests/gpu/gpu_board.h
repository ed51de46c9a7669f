// GpuBoard: the pinned memory on which a program's work notes its begins and ends, and what can be
// read from it.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "tests/gpu/gpu_work.h"
#include "tests/support/cases/device_answers.h"

namespace vramlab::tests {

/// Throws where the call did not succeed.
void require_success(cudaError_t error, const char* what);

class GpuBoard {
 public:
  GpuBoard();
  GpuBoard(const GpuBoard&) = delete;
  GpuBoard& operator=(const GpuBoard&) = delete;
  ~GpuBoard();

  /// For the work with these tags; what was noted before is forgotten. Requires: nothing runs.
  void begin_program(std::vector<std::uint64_t> tags);
  const BoardView& view() const { return view_; }
  /// Requires: the program has such work.
  std::uint32_t work_index(std::uint64_t tag) const { return indices_.at(tag); }

  // On the host, as the device's work does it.
  void note_begin(std::uint32_t work);
  void note_end(std::uint32_t work);

  WorkRuns ended_runs() const;
  /// The answers of all runs that ended.
  std::map<WorkRun, RunAnswer> run_answers() const;

 private:
  std::uint32_t slot_of_next_run(std::uint32_t work) const;
  std::uint32_t words_per_slot() const { return (view_.slot_count + 31) / 32; }
  bool has_ended(std::uint32_t slot) const;
  WorkRun run_at(std::uint32_t slot) const;

  void* memory_ = nullptr;
  BoardView view_;
  std::vector<std::uint64_t> tags_;
  std::map<std::uint64_t, std::uint32_t> indices_;
};

}  // namespace vramlab::tests
