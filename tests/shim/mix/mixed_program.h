// MixedProgram: one thread's part of a program that mixes all the shim knows of. What it does at
// each step is drawn from its seed and the step's number alone, so that a thread does the same
// whatever other threads do; what comes of it may differ.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tests/shim/mix/mixed_setup.h"

namespace vramlab::tests {

/// Numbers of one step.
class StepDice {
 public:
  explicit StepDice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

class MixedProgram {
 public:
  MixedProgram(MixedSetup& setup, std::uint64_t seed);
  /// Gives everything back.
  ~MixedProgram();
  MixedProgram(const MixedProgram&) = delete;
  MixedProgram& operator=(const MixedProgram&) = delete;

  /// The step in a word.
  const char* step();

 private:
  /// A stream of the program's own.
  struct OwnStream {
    CUstream stream = nullptr;
    const MixedPlace* place = nullptr;
    unsigned flags = 0;
  };
  /// Memory that is not the shim's, and how it is given back.
  struct OtherMemory {
    const MixedPlace* place = nullptr;
    std::function<CUresult()> give_back;
  };
  struct Kind {
    unsigned weight;
    const char* name;
    void (MixedProgram::*run)();
  };
  static const std::vector<Kind>& kinds();

  // Blocks.
  void allocate();
  void use();
  void free();
  void free_on_stream();
  void exchange();
  CUresult take(const MixedPlace& place, std::size_t bytes);
  void give_back(const MixedBlock& block);
  std::size_t some_bytes();
  /// Removes it. Requires: there is one.
  MixedBlock take_out(std::size_t which);

  // Contexts and streams.
  const MixedPlace& some_place();
  std::vector<const MixedPlace*> users_of(const MixedBlock& block) const;
  const MixedPlace& some_user_of(const MixedBlock& block);
  /// One of the place, which is current then.
  CUstream some_stream(const MixedPlace& place);
  void change_streams();
  void add_stream(const MixedPlace& place, unsigned flags);
  void change_contexts();
  void open_own_context();
  void close_own_context();
  void change_peers();
  bool wait_for(const MixedPlace& place);
  /// False where a capture forbids it.
  bool wait_for_users_of(const MixedBlock& block);
  void work_on(const MixedBlock& block, CUstream stream);

  // Captures.
  void capture();
  void capture_on(const OwnStream& began);
  enum class Whole : bool { no, yes };
  Whole in_capture(const OwnStream& began, CUstreamCaptureMode mode,
                   std::vector<CUdeviceptr>& used);
  Whole join(const OwnStream& began, std::vector<CUdeviceptr>& used);
  void end_capture(const OwnStream& began, Whole whole);
  void free_in_capture(const std::vector<CUdeviceptr>& used);

  // Other calls that take memory, ask and fail.
  void take_other_memory();
  void give_other_memory_back();
  void export_block();
  void ask();
  void make_calls_fail();
  void pass_time() { setup_.advance(dice_.below(200000)); }
  /// As the exported functions do: once there is room the driver is asked again.
  CUresult with_room(CUdevice device, const std::function<CUresult()>& call);
  CUresult take_from_pool(const MixedPlace& place, std::size_t bytes);
  CUresult take_physical(const MixedPlace& place, std::size_t bytes);
  CUresult take_array(const MixedPlace& place, std::size_t bytes);
  CUresult take_managed(const MixedPlace& place, std::size_t bytes);
  CUresult take_pitched(const MixedPlace& place, std::size_t bytes);

  MixedSetup& setup_;
  const std::uint64_t seed_;
  std::uint64_t step_ = 0;
  StepDice dice_;
  std::vector<MixedBlock> held_;
  std::vector<OwnStream> streams_;
  std::vector<OtherMemory> others_;
  /// A context that no other thread has; it comes and goes.
  std::unique_ptr<MixedPlace> own_;
};

}  // namespace vramlab::tests
