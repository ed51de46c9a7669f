// DriverWatcher: who stands around the driver, hears what it does, and may change it: a test with a
// race oracle, kernels that compute, and calls that fail. Does nothing where a function is not
// overridden; a dry run has none. Everything is said while the driver's lock is held.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/check.h"
#include "streams/cuda_interface/types.h"
#include "streams/stream_model/work.h"
#include "tools/cuda_standins/model/kernel_writes.h"

namespace vramlab::dry_run {

enum class UseMode : std::uint8_t { reads, writes };

struct MemoryUse {
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
  UseMode mode = UseMode::writes;
};

/// Whether the call that gives memory back waits for the work that may use it.
enum class ReleaseKind : std::uint8_t { waits, at_once };

/// Something for a stream.
struct WorkOrder {
  streams::Work work;
  std::vector<MemoryUse> uses = {};
  /// Done when it ends, in virtual time.
  std::function<void()> body = {};
  /// All that a kernel writes, where that is known.
  std::optional<KernelWrite> write = {};
  /// Done before each launch of the graph that it is in. False: there is no memory for it.
  std::function<bool()> before_launch = {};
};

struct AnsweredCall {
  const char* name = "";
  std::uint32_t thread = 0;
  std::initializer_list<std::uint64_t> arguments;
  CUresult result = CUDA_SUCCESS;
  /// What an output got, such as the address of new memory.
  std::optional<std::uint64_t> output;
  /// What was asked for by name; may be empty.
  std::string text;
};

class DriverWatcher : public Interface {
 public:
  /// The virtual time that the call takes beside what it waits for.
  virtual std::uint64_t time_of_call() { return 0; }
  /// What this call is made to answer; it is not looked at then.
  virtual std::optional<CUresult> forced_answer(const char* /*function*/) { return std::nullopt; }
  virtual void answered(const AnsweredCall& /*call*/) {}

  /// What a launch of this kernel puts on its stream. `context` is the number of the current one.
  virtual WorkOrder plan_launch(const std::string& kernel, void** arguments,
                                std::uint32_t context) = 0;

  // Work, by its number, from when it was put on a stream until it has ended.
  virtual void use_begins(std::uint64_t /*work*/, const std::vector<MemoryUse>& /*uses*/) {}
  virtual void use_ends(std::uint64_t /*work*/) {}
  virtual void used_without_memory(const MemoryUse& /*use*/) {}
  virtual void released(std::uint64_t /*at*/, std::uint64_t /*bytes*/, ReleaseKind /*kind*/) {}
};

}  // namespace vramlab::dry_run
