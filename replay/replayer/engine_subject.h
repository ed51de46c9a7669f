// EngineSubject: the engine with any listeners as a subject of programs. What it has no listener
// for, statistics or history, is empty.
#pragma once

#include <type_traits>

#include "allocator/caching_allocator.h"
#include "allocator/checks/consistency.h"
#include "replay/replayer/allocator_subject.h"

namespace vramlab::replay {

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

}  // namespace vramlab::replay
