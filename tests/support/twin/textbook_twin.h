// TextbookTwin: the allocator written a second time, from the specification alone and in the
// obvious way, to be run beside the engine. It promises the same answers and nothing about speed.
//
// textbook_twin.cpp: requests, frees, options. _search: finding, splitting, merging. _expandable,
// _reclaim, _events, _pools, _checkpoints: those chapters. _views: snapshots and figures.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/device.h"
#include "allocator/types/reference_version.h"
#include "replay/replayer/subjects.h"
#include "tests/support/twin/textbook_shapes.h"

namespace vramlab::tests {

class TextbookTwin final : public replay::AllocatorSubject {
 public:
  TextbookTwin(allocator::Device& device, const allocator::ReferenceVersion& version,
               std::string_view options);

  /// The error in the options it started with.
  const std::optional<allocator::SettingsError>& start_error() const { return start_error_; }

  allocator::MallocResult malloc(Bytes request, StreamId stream) override;
  allocator::OutOfMemory last_failure() const override { return failure_; }
  void free(Address address) override;
  void record_stream(Address address, StreamId stream) override;
  void set_current_stream(StreamId stream) override { current_ = stream; }

  void empty_cache(PoolId pool) override;
  std::optional<allocator::SettingsError> set_options(std::string_view text) override;
  void set_memory_fraction(double fraction) override;

  void begin_scope(PoolId pool, allocator::StreamFilter filter) override;
  void end_scope(PoolId pool) override;
  void release_pool(PoolId pool) override;
  void create_pool(PoolId pool, allocator::PoolTraits traits) override;
  void destroy_pool(PoolId pool) override;

  allocator::Checkpoint take_checkpoint(PoolId pool) override;
  allocator::RestoreResult restore_checkpoint(const allocator::Checkpoint& checkpoint) override;

  allocator::Snapshot take_snapshot() override;
  allocator::StatisticValues statistics() const override { return values_; }
  void reset_peak_statistics() override;
  void reset_accumulated_statistics() override;
  std::vector<allocator::AllocatorEvent> history() const override { return history_; }

  /// The twin is the measure itself: no rules check it.
  std::string find_broken_rule() const override { return {}; }

 private:
  struct Request {
    Bytes asked;
    Bytes rounded;
    Bytes device_size;
    StreamId stream;
    Pool* pool = nullptr;
    bool expandable = false;
    allocator::MallocOutcome outcome = allocator::MallocOutcome::out_of_memory;
  };
  enum class Attempt : std::uint8_t { first, retry };

  // textbook_twin.cpp
  void before_request(StreamId stream);
  Request describe(Bytes asked, StreamId stream);
  Block* find_memory(Request& request);
  Block* get_segment(Request& request, Attempt attempt);
  Block* get_classic_segment(const Request& request);
  bool limits_refuse(Request& request);
  allocator::MallocResult fail(const Request& request);
  void request_free(Block& block);
  Block& allocated_block(Address address);
  bool is_capturing() const;
  bool collects_garbage() const;
  void record(allocator::Action action, Address address, Bytes size, StreamId stream, PoolId pool);

  // textbook_twin_search.cpp
  using FreePlace = std::tuple<StreamId, Bytes, std::uint64_t, Address>;
  FreePlace place_of(const Block& block) const;
  Block* take_best_fit(const Request& request);
  Block* best_expandable(const Request& request, Block* block);
  Block* first_classic(const Request& request);
  bool fits_oversize_rules(const Request& request, const Block& block) const;
  bool should_split(const Request& request, const Block& block) const;
  Block& hand_out(Block& block, Bytes size, Bytes asked);
  Block& split_off(Block& block, Bytes size);
  void count_handed_out(const Block& block);
  void complete_free(Block& block);
  Bytes merge_with_neighbours(Block& block, int& merged_count);
  bool try_merge(Block& block, Block* neighbour);
  void enter_free_set(Block& block);
  void leave_free_set(Block& block);

  // textbook_twin_expandable.cpp
  Block* grow_expandable(const Request& request);
  Block* find_expandable_run(const Request& request);
  Block* reserve_segment(const Request& request);
  bool map_front(Block& block, Bytes size);
  void unmap_whole_units(Block& block);
  void leave_rest_free(Block& block, Address at, Bytes size);
  void enter_unmapped_set(Block& block);
  void leave_unmapped_set(Block& block);

  // textbook_twin_reclaim.cpp
  void collect_garbage();
  struct Ages {
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
  };
  Bytes collect_older_than_average(Ages& ages);
  bool release_oversize(const Request& request);
  bool is_releasable(const Block& block) const;
  Bytes release_segment(Block& block);
  void release_cached_blocks(PoolId only);
  void release_private_pool(PoolId id);
  void release_unused(PoolId id);
  void release_free_blocks(Pool& pool);

  // textbook_twin_events.cpp
  void process_events();
  void synchronize_events(const PrivatePool* only);
  void record_events(Block& block);
  void handle_deferred();
  void handle_deferred_block(Block& block);
  void finish_event(allocator::EventId event, Block& block);
  void remember_reuse_point(Block& block);
  void reuse_deferred(StreamId stream);
  void handle_deferred_of(PoolId pool);

  // textbook_twin_pools.cpp
  PoolPair& pools_for(StreamId stream);
  PrivatePool& usable_pool(PoolId pool);
  bool is_open(PoolId pool) const;
  Block* borrow(Request& request);
  void add_use(PoolId pool);

  // textbook_twin_checkpoints.cpp
  std::vector<Segment*> segments_of(const PrivatePool& pool) const;
  void check_nothing_will_wait(const PrivatePool& pool) const;
  void check_fits(const PrivatePool& pool, const allocator::CheckpointSegment& noted) const;
  Block* free_to_be_at(const PrivatePool& pool, Address address) const;
  void cut_like(PrivatePool& pool, const allocator::CheckpointSegment& noted,
                allocator::RestoreResult& result);

  // textbook_twin_views.cpp
  allocator::OutOfMemory figures(const Request& request);
  Bytes free_in_private_pools() const;

  allocator::Device& device_;
  const allocator::ReferenceVersion& version_;
  allocator::Settings settings_;
  std::optional<allocator::SettingsError> start_error_;
  /// Empty if no fraction was set.
  std::optional<Bytes> allowed_;

  PoolPair own_{allocator::default_pool};
  std::map<PoolId, PrivatePool> private_pools_;
  std::set<PoolId> lenders_;
  std::set<PoolId> never_split_;
  /// In the order they began.
  std::vector<CaptureScope> scopes_;
  /// The stream of calls that name none.
  StreamId current_;

  std::map<Address, std::unique_ptr<Segment>> segments_;
  std::map<Address, Block*> allocated_;
  std::list<Block*> deferred_;
  std::map<StreamId, std::deque<std::pair<allocator::EventId, Block*>>> events_;
  /// The graph nodes that each stream of a capture has behind it.
  std::map<std::pair<allocator::CaptureId, StreamId>, std::set<GraphNode>> behind_;

  Bytes reserved_;
  allocator::StatisticValues values_;
  std::vector<allocator::AllocatorEvent> history_;
  allocator::OutOfMemory failure_;
};

/// The twin as a subject of programs.
std::unique_ptr<replay::AllocatorSubject> make_twin_subject(
    allocator::Device& device, const allocator::ReferenceVersion& version, std::string_view config,
    std::optional<allocator::SettingsError>& config_error);

}  // namespace vramlab::tests
