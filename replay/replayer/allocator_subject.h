// AllocatorSubject: what a program of calls is run against. The engine stands behind it, and in
// tests the textbook twin, so that both are asked the same things in the same way.
//
// A call that must not be made throws AllocatorError before anything changed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/answers.h"
#include "allocator/types/check.h"
#include "allocator/types/device.h"
#include "allocator/types/reference_version.h"
#include "allocator/types/snapshot.h"

namespace vramlab::replay {

class AllocatorSubject : public Interface {
 public:
  virtual MallocResult malloc(Bytes request, StreamId stream) = 0;
  /// The figures of the last request that failed.
  virtual OutOfMemory last_failure() const = 0;
  virtual void free(Address address) = 0;
  virtual void record_stream(Address address, StreamId stream) = 0;
  /// Calls that name no stream come from where this one is current. Until it is set, that of the
  /// last request is.
  virtual void set_current_stream(StreamId stream) = 0;

  virtual void empty_cache(PoolId pool) = 0;
  virtual std::optional<allocator::SettingsError> set_options(std::string_view text) = 0;
  virtual void set_memory_fraction(double fraction) = 0;

  virtual void begin_scope(PoolId pool, StreamFilter filter) = 0;
  virtual void end_scope(PoolId pool) = 0;
  virtual void release_pool(PoolId pool) = 0;
  /// A pool object is made: use count 1 or one more, and registered for the traits that are set.
  virtual void create_pool(PoolId pool, allocator::PoolTraits traits) = 0;
  /// The pool object goes: no longer lends on out-of-memory, one use less, its cache emptied.
  virtual void destroy_pool(PoolId pool) = 0;

  virtual allocator::Checkpoint take_checkpoint(PoolId pool) = 0;
  virtual allocator::RestoreResult restore_checkpoint(const allocator::Checkpoint& checkpoint) = 0;

  /// Records a `snapshot` entry.
  virtual Snapshot take_snapshot() = 0;
  virtual StatisticValues statistics() const = 0;
  virtual void reset_peak_statistics() = 0;
  virtual void reset_accumulated_statistics() = 0;
  /// All entries so far, oldest first.
  virtual std::vector<AllocatorEvent> history() const = 0;

  /// The first rule that the state breaks, as a sentence; empty where all hold.
  virtual std::string find_broken_rule() const = 0;
};

/// Makes a subject on a device, with an option string in force from the start. Where the string is
/// refused, the error is handed out, and what stands before it has taken effect.
using SubjectFactory = std::function<std::unique_ptr<AllocatorSubject>(
    allocator::Device& device, const ReferenceVersion& version, std::string_view config,
    std::optional<allocator::SettingsError>& config_error)>;

/// The engine, with statistics and history.
std::unique_ptr<AllocatorSubject> make_engine_subject(
    allocator::Device& device, const ReferenceVersion& version, std::string_view config,
    std::optional<allocator::SettingsError>& config_error);

}  // namespace vramlab::replay
