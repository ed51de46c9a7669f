// Plan, then reuse: the second iteration is watched, its blocks are packed with foresight, and each
// later iteration gets the same places for the same requests, by call site and size. Requests that
// are not in the plan, or whose place is taken, go to first fit, as do all requests before the plan
// is made. Not in PyTorch.
#include <map>
#include <unordered_map>

#include "allocator/options/size_rules.h"
#include "replay/packing/best_packing.h"
#include "replay/packing/policies.h"
#include "replay/packing/segment_policies.h"

namespace vramlab::replay {
namespace {

class PlannedPolicy final : public Policy {
 public:
  explicit PlannedPolicy(streams::MemoryDevice& device)
      : device_(device), rest_(make_first_fit(device)) {}

  std::optional<Address> malloc(const PolicyRequest& request) override {
    const Wish wish = wish_of(request);
    if (const FreeRange* place = planned_place(wish)) {
      free_places_.take(*place);
      placed_[request.id] = *place;
      ++placed_count_;
      return Address{place->begin};
    }
    if (phase_ == Phase::planned) ++other_count_;
    const auto address = rest_->malloc(request);
    if (address && phase_ == Phase::watching) watch(request, wish);
    if (phase_ == Phase::planned) peak_since_ = std::max(peak_since_, device_.used_memory());
    return address;
  }

  void free(std::uint64_t id) override {
    ++step_;
    if (const auto at = placed_.find(id); at != placed_.end()) {
      const auto borders = std::prev(plans_.upper_bound(at->second.begin));
      free_places_.give_back(at->second, {borders->first, borders->second});
      placed_.erase(at);
      return;
    }
    rest_->free(id);
    if (const auto at = watched_.find(id); at != watched_.end()) {
      seen_[at->second].buffer.end = step_;
      watched_.erase(at);
    }
  }

  std::vector<streams::AddressRange> memory_of(std::uint64_t id) const override {
    const auto at = placed_.find(id);
    if (at == placed_.end()) return rest_->memory_of(id);
    return {{{at->second.begin}, {at->second.end}}};
  }

  void cache_emptied(PoolId pool) override { rest_->cache_emptied(pool); }

  void iteration_ended() override {
    counts_.clear();
    if (phase_ == Phase::watching) make_plan();
    if (phase_ == Phase::warming_up) phase_ = Phase::watching;
  }

  PolicyReport report() const override {
    PolicyReport report;
    if (phase_ != Phase::planned) {
      report.notes.emplace_back(
          "planned: fewer than two iterations were found, so it is first_fit");
      return report;
    }
    report.notes.push_back(
        "planned: " + std::to_string(places_.size()) + " blocks in " +
        format_bytes(planned_bytes_) + "; after that " + std::to_string(placed_count_) + " of " +
        std::to_string(placed_count_ + other_count_) +
        " requests got their planned place; the peak reserved was " + format_bytes(peak_since_));
    return report;
  }

 private:
  enum class Phase : std::uint8_t { warming_up, watching, planned };
  /// The requests that count as the same.
  struct Kind {
    ArenaName arena;
    traces::StackId site;
    Bytes bytes;
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  /// A request as the n-th of its kind in an iteration.
  struct Wish {
    Kind kind;
    std::uint64_t number = 0;
    friend auto operator<=>(const Wish&, const Wish&) = default;
  };
  struct Seen {
    Wish wish;
    Buffer buffer;
  };

  Wish wish_of(const PolicyRequest& request) {
    const Kind kind{request.arena, request.site, request.bytes};
    return {kind, counts_[kind]++};
  }

  /// The planned place of a request; null where none is planned or the place is taken.
  const FreeRange* planned_place(const Wish& wish) const {
    const auto found = places_.find(wish);
    if (found == places_.end() || !free_places_.is_free(found->second)) return nullptr;
    return &found->second;
  }

  void watch(const PolicyRequest& request, const Wish& wish) {
    watched_[request.id] = seen_.size();
    seen_.push_back({wish, {++step_, 0, {block_size_of(request.bytes)}}});
  }

  /// Packs the blocks that the iteration freed again, for each arena.
  void make_plan() {
    phase_ = Phase::planned;
    rest_->release_free_segments();
    std::map<ArenaName, std::vector<const Seen*>> by_arena;
    for (const Seen& seen : seen_)
      if (seen.buffer.end != 0) by_arena[seen.wish.kind.arena].push_back(&seen);
    for (const auto& [arena, blocks] : by_arena) plan(arena, blocks);
    watched_.clear();
    seen_.clear();
    peak_since_ = device_.used_memory();
  }

  void plan(const ArenaName& arena, const std::vector<const Seen*>& blocks) {
    std::vector<Buffer> buffers;
    for (const Seen* seen : blocks) buffers.push_back(seen->buffer);
    PackingLimits limits;
    limits.skyline_work = 200'000;
    limits.floor_states = 0;
    const Packing packing = best_packing(buffers, limits).packing;
    const Bytes size = round_up(packing.height, allocator::large_segment_step);
    const auto base = device_.allocate(size, arena.stream);
    if (!base) return;
    const FreeRange whole{base->value, (*base + size).value};
    plans_[whole.begin] = whole.end;
    free_places_.give_back(whole, whole);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::uint64_t begin = (*base + packing.offsets[i]).value;
      places_[blocks[i]->wish] = {begin, begin + buffers[i].size.count};
    }
    planned_bytes_ += size;
  }

  streams::MemoryDevice& device_;
  std::unique_ptr<SegmentPolicy> rest_;
  Phase phase_ = Phase::warming_up;
  std::uint64_t step_ = 0;
  /// How many requests of each kind this iteration made.
  std::map<Kind, std::uint64_t> counts_;
  std::vector<Seen> seen_;
  /// From a live block to its index in `seen_`. Looked up only.
  std::unordered_map<std::uint64_t, std::size_t> watched_;
  std::map<Wish, FreeRange> places_;
  /// The memory of each plan, from begin to end.
  std::map<std::uint64_t, std::uint64_t> plans_;
  FreeRanges free_places_;
  /// Looked up only.
  std::unordered_map<std::uint64_t, FreeRange> placed_;
  Bytes planned_bytes_;
  Bytes peak_since_;
  std::uint64_t placed_count_ = 0;
  std::uint64_t other_count_ = 0;
};

}  // namespace

std::unique_ptr<Policy> make_planned_policy(streams::MemoryDevice& device,
                                            const PolicyConditions&) {
  return std::make_unique<PlannedPolicy>(device);
}

}  // namespace vramlab::replay
