// HostTwin: the allocator of pinned memory written a second time, from the specification alone and
// in the obvious way, to be run beside the engine. It promises the same answers and nothing about
// speed.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "allocator/options/settings.h"
#include "replay/replayer/subjects.h"

namespace vramlab::tests {

class HostTwin final : public replay::HostSubject {
 public:
  HostTwin(allocator::HostSystem& system, const ReferenceVersion& version)
      : system_(system), version_(version) {
    pools_[default_pool];
  }

  std::optional<allocator::SettingsError> set_options(std::string_view text) override;
  HostMallocResult malloc(Bytes size, StreamId current, HostStack stack) override;
  void free(Address at, HostStack stack) override;
  bool use(Address at, StreamId stream) override;
  void empty_cache() override;
  void run_background_thread() override;

  void begin_pool(PoolId pool, StreamFilter filter) override;
  void end_pool(PoolId pool) override;
  void release_pool(PoolId pool) override;

  void record_history(const allocator::HostRecording& recording) override;
  void register_external(Address at, Bytes size, HostStack stack) override;
  void unregister_external(Address at, HostStack stack) override;

  std::vector<HostEvent> history() const override;
  HostSnapshot snapshot() const override;
  HostStatisticValues statistics() const override;
  void reset_peak_statistics() override;
  void reset_accumulated_statistics() override;
  /// The twin is the measure itself: no rules check it.
  std::string find_broken_rule() const override { return {}; }

 private:
  struct Block {
    Bytes size;
    PoolId pool;
    bool allocated = false;
    bool captured = false;
    bool registered = false;
    std::set<StreamId> streams;
    std::size_t events = 0;
    MaybeHostStack stack;
  };
  using Queue = std::deque<std::pair<EventId, Address>>;
  struct Pool {
    std::map<int, std::list<Address>> free_lists;
    Queue queue;
    int uses = 0;
  };

  // host_twin.cpp
  PoolId choose_pool(StreamId current) const;
  Bytes round(Bytes size) const;
  std::optional<Address> search(Pool& pool, Bytes size);
  std::optional<Address> obtain(Bytes size, bool& registered);
  std::optional<Address> ask_system(Bytes size);
  void release(Address at, const Block& block);
  void handle(PoolId pool, MaybeHostStack stack);
  void handle_of_size(PoolId pool, Bytes size, MaybeHostStack stack);
  void complete(Address at, MaybeHostStack stack);
  std::pair<PoolId, int> counter_of(const Block& block) const;
  void release_free(PoolId pool);
  bool holds_blocks(PoolId pool) const;

  // host_twin_views.cpp
  void record(allocator::Action action, Address at, const Block& block, MaybeHostStack stack);
  void insert(HostEvent entry);
  static void raise(StatisticValue& value, Bytes amount);
  static void lower(StatisticValue& value, Bytes amount);
  static void book(allocator::HostTimes& times, std::uint64_t us);

  allocator::HostSystem& system_;
  const ReferenceVersion& version_;
  Settings settings_;
  std::map<Address, Block> blocks_;
  std::map<PoolId, Pool> pools_;
  std::list<std::pair<PoolId, StreamFilter>> scopes_;
  bool thread_started_ = false;

  bool reserve_decided_ = false;
  Address reserve_begin_;
  Address reserve_mark_;
  Address reserve_end_;

  bool recording_ = false;
  HostStackLevel level_ = HostStackLevel::never;
  std::vector<HostEvent> ring_;
  std::size_t ring_position_ = 0;
  std::size_t ring_limit_ = 1;
  std::map<Address, std::pair<Bytes, MaybeHostStack>> registrations_;

  HostStatisticValues values_;
  /// By pool and bucket.
  std::map<std::pair<PoolId, int>, StatisticValue> active_requests_;
  std::map<std::pair<PoolId, int>, StatisticValue> active_bytes_;
};

std::unique_ptr<replay::HostSubject> make_host_twin(allocator::HostSystem& system,
                                                    const ReferenceVersion& version);

}  // namespace vramlab::tests
