// ProgramWriter: writes a random program. It keeps a rough picture of what the program has done
// (which ids may be live, which scopes are open) so that the calls are allowed where they stand.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/programs/random_families.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::tests {

class ProgramWriter {
 public:
  ProgramWriter(RandomNumbers& numbers, const RandomFamily& family,
                traces::RecordedProgram& program);

  void write(std::size_t call_count);

 private:
  using Step = void (ProgramWriter::*)();

  void take_step();
  void finish();

  void write_malloc();
  void write_free();
  void write_record_stream();
  void write_work();
  void write_complete();
  void write_external();
  void write_empty_cache();
  void write_empty_pool_cache();
  void write_snapshot();
  void write_reset();
  void write_set_config();
  void write_set_fraction();
  void write_begin_pool();
  void write_end_pool();
  void write_release_pool();
  void write_create_pool();
  void write_destroy_pool();
  void write_checkpoint();
  void write_restore();
  void write_begin_capture();
  void write_end_capture();
  void write_wait();
  void write_pass();
  void write_misuse();

  traces::ProgramEvent& add(traces::ProgramEventKind kind);
  void add_pool_call(traces::ProgramEventKind kind, std::uint64_t pool);
  void free_at(std::size_t index);
  void end_capture_of(std::uint64_t pool);

  std::uint64_t pick_bytes();
  std::uint64_t mixed_bytes();
  std::uint64_t tiny_bytes();
  std::uint64_t border_bytes();
  std::uint64_t large_bytes();
  allocator::StreamId pick_stream();
  std::uint64_t pick_pool_to_use();
  std::uint64_t pick_known_pool();
  bool is_capturing(allocator::StreamId stream) const;

  struct PoolPicture {
    std::uint64_t uses = 0;
    bool open = false;
    /// Made by create_pool and not destroyed since.
    std::uint64_t objects = 0;
    /// Begun again after its last use: whether that was refused is not known here.
    bool is_doubtful = false;
  };
  struct CapturePicture {
    allocator::StreamId origin;
    std::set<allocator::StreamId> streams;
  };

  RandomNumbers& numbers_;
  const RandomFamily& family_;
  traces::RecordedProgram& program_;
  std::vector<std::pair<std::uint32_t, Step>> steps_;
  std::uint64_t weight_sum_ = 0;

  std::vector<std::uint64_t> favourite_sizes_;
  std::vector<allocator::StreamId> streams_;
  std::vector<std::uint64_t> live_;
  std::size_t most_live_ = 0;
  std::uint64_t next_id_ = 1;
  std::uint64_t next_restored_id_ = 1'000'000;
  std::map<std::uint64_t, PoolPicture> pools_;
  /// By the pool of its scope.
  std::map<std::uint64_t, CapturePicture> captures_;
  std::vector<std::string> checkpoints_;
};

}  // namespace vramlab::tests
