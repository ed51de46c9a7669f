// What compiled code tells of its kernels: the registers and the shared memory that they take,
// which decide how many blocks run at once.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "tools/cuda_standins/code/fat_binary.h"

namespace vramlab::dry_run {

struct KernelFacts {
  int registers = 0;
  std::size_t shared_bytes = 0;
  /// What the program promised; 0 where it promised nothing.
  int most_threads = 0;
  /// Each thread has them in the device's memory, for what did not fit into registers.
  std::size_t stack_bytes = 0;
};
using FactsByName = std::map<std::string, KernelFacts, std::less<>>;

/// Adds what machine code in the form of ELF tells. Code in another form tells nothing.
void add_facts(std::span<const char> code, FactsByName& facts);
/// Machine code in the form of ELF that begins there, with all its parts; empty if it is none.
/// Requires: a driver is told to load it, so that it is whole.
std::span<const char> code_at(const void* image);
/// The same for code as it is stored, after it was unpacked.
FactsByName facts_of(const ChosenCode& chosen);

/// The limits of one multiprocessor.
struct MultiprocessorLimits {
  int capability = 0;
  int threads = 0;
  int blocks = 0;
  int registers = 0;
  std::size_t shared_bytes = 0;
  /// The most of one block, and what the system takes of it.
  std::size_t shared_bytes_of_block = 0;
  std::size_t reserved_shared_bytes = 0;
};
struct BlockOfThreads {
  int threads = 0;
  std::size_t dynamic_shared_bytes = 0;
};

/// The most threads that a block of the kernel can have.
int most_threads(const MultiprocessorLimits& limits, const KernelFacts& kernel);
/// How many blocks run at once: the calculation that NVIDIA documents for its occupancy calculator.
int blocks_at_once(const MultiprocessorLimits& limits, const KernelFacts& kernel,
                   const BlockOfThreads& block);

}  // namespace vramlab::dry_run
