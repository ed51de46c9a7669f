// KernelFacts: the registers, the shared memory and the parameters that kernels take, as their
// compiled code says, and how many of their blocks run at once.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/cuda_standins/code/fat_binary.h"

namespace vramlab::dry_run {

struct KernelFacts {
  int registers = 0;
  std::size_t shared_bytes = 0;
  /// The promise of the program; 0 without one.
  int most_threads = 0;
  /// Each thread has them in the device's memory, for what did not fit into registers.
  std::size_t stack_bytes = 0;
  /// In their order; empty where nothing is known of them.
  std::vector<std::size_t> parameter_bytes{};
  /// The program's own constants, all that its code has.
  std::size_t constant_bytes = 0;
};
using FactsByName = std::map<std::string, KernelFacts, std::less<>>;

/// Adds the facts of machine code in the form of ELF. Code in another form tells nothing.
void add_facts(std::span<const char> code, FactsByName& facts);
/// The machine code in the form of ELF that begins at this address, with all its parts; empty if it
/// is none. Requires: a driver is told to load it, so that it is whole.
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
  /// The most of one block, and the part that the system takes.
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
