// HostSubject: what a program of calls for pinned memory is run against. The engine stands behind
// it, and in tests the textbook twin.
//
// HostError, DeviceError: as the engine throws them (allocator/pinned).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/pinned/host_memory.h"
#include "allocator/pinned/host_records.h"
#include "allocator/types/check.h"
#include "allocator/types/host_values.h"
#include "allocator/types/reference_version.h"

namespace vramlab::replay {

class HostSubject : public Interface {
 public:
  virtual std::optional<allocator::SettingsError> set_options(std::string_view text) = 0;
  /// `current`: the stream that scopes and captures are asked about.
  virtual HostMallocResult malloc(Bytes size, StreamId current, HostStack stack) = 0;
  virtual void free(Address at, HostStack stack) = 0;
  virtual bool use(Address at, StreamId stream) = 0;
  virtual void empty_cache() = 0;
  virtual void run_background_thread() = 0;

  virtual void begin_pool(PoolId pool, StreamFilter filter) = 0;
  virtual void end_pool(PoolId pool) = 0;
  virtual void release_pool(PoolId pool) = 0;

  virtual void record_history(const allocator::HostRecording& recording) = 0;
  virtual void register_external(Address at, Bytes size, HostStack stack) = 0;
  virtual void unregister_external(Address at, HostStack stack) = 0;

  virtual std::vector<HostEvent> history() const = 0;
  virtual HostSnapshot snapshot() const = 0;
  virtual HostStatisticValues statistics() const = 0;
  virtual void reset_peak_statistics() = 0;
  virtual void reset_accumulated_statistics() = 0;

  /// The first rule that the state breaks, as a sentence; empty where all hold.
  virtual std::string find_broken_rule() const = 0;
};

/// Makes a subject with default settings on a system that outlives it.
using HostSubjectFactory = std::function<std::unique_ptr<HostSubject>(
    allocator::HostSystem& system, const ReferenceVersion& version)>;

std::unique_ptr<HostSubject> make_host_engine_subject(allocator::HostSystem& system,
                                                      const ReferenceVersion& version);

}  // namespace vramlab::replay
