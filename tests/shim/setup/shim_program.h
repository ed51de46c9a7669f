// Random programs over the shim: blocks are taken, used on streams in turn or at once, and freed
// while work is pending. Every program is a seed; the race oracle judges it.
#pragma once

#include <random>
#include <vector>

#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {

/// One thread's part of a program; others may run beside it.
class ShimProgram {
 public:
  enum class Streams : bool { come_and_go, fixed };
  /// Requires: the context is current on the calling thread for each step.
  ShimProgram(ShimSetup& setup, std::uint64_t seed, Streams streams = Streams::come_and_go);
  ~ShimProgram();
  ShimProgram(const ShimProgram&) = delete;
  ShimProgram& operator=(const ShimProgram&) = delete;

  void step();
  void run(std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps; ++i) step();
  }
  std::uint64_t refusals() const { return refusals_; }

 private:
  struct Held {
    CUdeviceptr at;
    std::size_t bytes;
  };

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  CUstream some_stream();
  void allocate();
  void use();
  void free();
  void change_streams();

  ShimSetup& setup_;
  std::mt19937_64 random_;
  std::vector<Held> held_;
  std::vector<CUstream> streams_;
  /// Fixed: what a program does beside captures, where not every call may be made.
  const Streams how_streams_;
  std::uint64_t refusals_ = 0;
};

}  // namespace vramlab::tests
