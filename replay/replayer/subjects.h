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
#include <type_traits>
#include <vector>

#include "allocator/caching_allocator.h"
#include "allocator/checks/consistency.h"
#include "allocator/options/settings.h"
#include "allocator/pinned/host_memory.h"
#include "allocator/pinned/host_records.h"
#include "allocator/types/answers.h"
#include "allocator/types/check.h"
#include "allocator/types/device.h"
#include "allocator/types/host_values.h"
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

// EngineSubject: the engine with any listeners as a subject of programs. What it has no listener
// for, statistics or history, is empty.

template <class L>
class EngineSubject final : public AllocatorSubject {
 public:
  EngineSubject(allocator::Device& device, const ReferenceVersion& version,
                const Settings& settings)
      : engine_(device, version, settings) {}

  allocator::CachingAllocator<L>& engine() { return engine_; }

  MallocResult malloc(Bytes request, StreamId stream) override {
    return engine_.malloc(request, stream);
  }
  OutOfMemory last_failure() const override { return engine_.last_failure(); }
  void free(Address address) override { engine_.free(address); }
  void record_stream(Address address, StreamId stream) override {
    engine_.record_stream(address, stream);
  }
  void set_current_stream(StreamId stream) override { engine_.set_current_stream(stream); }
  void empty_cache(PoolId pool) override { engine_.empty_cache(pool); }
  std::optional<allocator::SettingsError> set_options(std::string_view text) override {
    return engine_.set_options(text);
  }
  void set_memory_fraction(double fraction) override { engine_.set_memory_fraction(fraction); }
  void begin_scope(PoolId pool, StreamFilter filter) override { engine_.begin_scope(pool, filter); }
  void end_scope(PoolId pool) override { engine_.end_scope(pool); }
  void release_pool(PoolId pool) override { engine_.release_pool(pool); }
  void create_pool(PoolId pool, allocator::PoolTraits traits) override {
    engine_.create_pool(pool, traits);
  }
  void destroy_pool(PoolId pool) override { engine_.destroy_pool(pool); }
  allocator::Checkpoint take_checkpoint(PoolId pool) override {
    return engine_.take_checkpoint(pool);
  }
  allocator::RestoreResult restore_checkpoint(const allocator::Checkpoint& checkpoint) override {
    return engine_.restore_checkpoint(checkpoint);
  }
  Snapshot take_snapshot() override { return engine_.take_snapshot(); }

  StatisticValues statistics() const override {
    if constexpr (counts) return static_cast<const Statistics&>(engine_.listeners()).values();
    return {};
  }
  void reset_peak_statistics() override {
    if constexpr (counts) static_cast<Statistics&>(engine_.listeners()).reset_peak();
  }
  void reset_accumulated_statistics() override {
    if constexpr (counts) static_cast<Statistics&>(engine_.listeners()).reset_accumulated();
  }
  std::vector<AllocatorEvent> history() const override {
    if constexpr (std::is_base_of_v<History, L>)
      return static_cast<const History&>(engine_.listeners()).entries();
    return {};
  }
  std::string find_broken_rule() const override {
    const std::vector<std::string> broken = find_broken_rules(engine_);
    return broken.empty() ? std::string() : broken.front();
  }

 private:
  using Statistics = allocator::Statistics;
  using History = allocator::History;
  static constexpr bool counts = std::is_base_of_v<Statistics, L>;

  allocator::CachingAllocator<L> engine_;
};

// HostSubject: what a program of calls for pinned memory is run against. The engine stands behind
// it, and in tests the textbook twin.
//
// HostError, DeviceError: as the engine throws them (allocator/pinned).

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
