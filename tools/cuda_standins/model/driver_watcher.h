// DriverWatcher: hears each call of the driver and may change it. Tests use it for a race oracle,
// for kernels that compute and for calls that fail; a dry run has none. A function that is not
// overridden does nothing. All of them are called while the driver's lock is held.
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
#include "tools/cuda_standins/model/kernels.h"

namespace vramlab::dry_run {

enum class UseMode : std::uint8_t { reads, writes };

struct MemoryUse {
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
  UseMode mode = UseMode::writes;
};

/// Whether the call that gives memory back waits for the work that may use it.
enum class ReleaseKind : std::uint8_t { waits, at_once };

/// Work for a stream, before it is submitted.
struct WorkOrder {
  streams::Work work;
  std::vector<MemoryUse> uses = {};
  /// Called when it ends, in virtual time.
  std::function<void()> body = {};
  /// All that a kernel writes, if that is known.
  std::optional<KernelWrite> write = {};
  /// Called before each launch of its graph, which any other answer than CUDA_SUCCESS refuses.
  std::function<CUresult()> before_launch = {};
};

struct AnsweredCall {
  const char* name = "";
  std::uint32_t thread = 0;
  std::initializer_list<std::uint64_t> arguments;
  CUresult result = CUDA_SUCCESS;
  /// The value of an output, such as the address of new memory.
  std::optional<std::uint64_t> output;
  /// The name that was asked for; may be empty.
  std::string text;
};

class DriverWatcher : public Interface {
 public:
  /// The virtual time that the call takes beside what it waits for.
  virtual std::uint64_t time_of_call() { return 0; }
  /// The answer that this call is made to give; the driver does not look at it then.
  virtual std::optional<CUresult> forced_answer(const char* /*function*/) { return std::nullopt; }
  virtual void answered(const AnsweredCall& /*call*/) {}

  /// The work that a launch of this kernel puts on its stream. `context` is the number of the
  /// current one.
  virtual WorkOrder plan_launch(const std::string& kernel, void** arguments,
                                std::uint32_t context) = 0;

  // Work, by its number, from when it was put on a stream until it has ended.
  virtual void use_begins(std::uint64_t /*work*/, const std::vector<MemoryUse>& /*uses*/) {}
  virtual void use_ends(std::uint64_t /*work*/) {}
  virtual void used_without_memory(const MemoryUse& /*use*/) {}
  virtual void released(std::uint64_t /*at*/, std::uint64_t /*bytes*/, ReleaseKind /*kind*/) {}
};

}  // namespace vramlab::dry_run
