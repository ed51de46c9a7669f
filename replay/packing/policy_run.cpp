#include "replay/packing/policy_run.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_set>

#include "allocator/types/check.h"
#include "streams/device/simulated_device.h"

namespace vramlab::replay {

using streams::AddressRange;

std::optional<std::string> PolicyChecker::fault_of(std::uint64_t id, AddressRange range) const {
  const auto shares = [&](const auto& at) {
    return at->first < range.end.value && range.begin.value < at->second.end;
  };
  const auto next = taken_.lower_bound(range.begin.value);
  auto other = taken_.end();
  if (next != taken_.end() && shares(next)) other = next;
  if (next != taken_.begin() && shares(std::prev(next))) other = std::prev(next);
  if (other == taken_.end()) return std::nullopt;
  return "block " + std::to_string(id) + " shares memory with block " +
         std::to_string(other->second.id) + ", which is live";
}

std::optional<std::string> PolicyChecker::served(const PolicyRequest& request,
                                                 const std::vector<AddressRange>& memory,
                                                 Bytes taken_of_device) {
  if (blocks_.contains(request.id))
    return "block " + std::to_string(request.id) + " is live already";
  Bytes size;
  for (const AddressRange& range : memory) {
    if (auto fault = fault_of(request.id, range)) return fault;
    taken_[range.begin.value] = {range.end.value, request.id};
    size += range.size();
  }
  blocks_[request.id] = memory;
  taken_bytes_ += size.count;
  if (size < request.bytes)
    return "block " + std::to_string(request.id) + " has " + std::to_string(size.count) +
           " bytes, fewer than the " + std::to_string(request.bytes.count) + " asked for";
  if (taken_bytes_ > taken_of_device.count)
    return "live blocks have more memory than the device gave";
  return std::nullopt;
}

std::optional<std::string> PolicyChecker::freed(std::uint64_t id) {
  const auto at = blocks_.find(id);
  if (at == blocks_.end()) return "block " + std::to_string(id) + " is not live";
  for (const AddressRange& range : at->second) {
    taken_bytes_ -= range.size().count;
    taken_.erase(range.begin.value);
  }
  blocks_.erase(at);
  return std::nullopt;
}

namespace {

void check_rule(const std::optional<std::string>& fault) {
  check(!fault, fault ? fault->c_str() : "a policy keeps the rules");
}

class PolicyWalk {
 public:
  PolicyWalk(const PolicyRow& row, const PolicyTask& task, const PolicyConditions& conditions)
      : row_(row), task_(task), device_(task.memory), policy_(row.make(device_, conditions)) {}

  PolicyRun run() {
    const auto& blocks = task_.lifetimes.blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      pass_until(blocks[i].begin);
      if (blocks[i].begin > 0) pass_iteration_ends();
      request(i);
    }
    pass_until(task_.lifetimes.steps - 1);
    while (noticed_ < task_.lifetimes.notices.size()) tell(task_.lifetimes.notices[noticed_++]);
    return finish();
  }

 private:
  /// Passes on frees up to this step, and the notices before it.
  void pass_until(std::uint64_t step) {
    const auto& blocks = task_.lifetimes.blocks;
    const auto& notices = task_.lifetimes.notices;
    for (;;) {
      const bool has_end = ended_ < ends_.size() && blocks[ends_[ended_]].end <= step;
      const bool has_notice = noticed_ < notices.size() && notices[noticed_].step < step;
      if (!has_end && !has_notice) return;
      if (has_notice && (!has_end || notices[noticed_].step < blocks[ends_[ended_]].end))
        tell(notices[noticed_++]);
      else
        free(ends_[ended_++]);
    }
  }

  void tell(const AllocatorNotice& notice) {
    switch (notice.kind) {
      case AllocatorNotice::Kind::empty_cache:
        return policy_->cache_emptied(notice.pool);
      case AllocatorNotice::Kind::pool_given_up:
        return policy_->pool_given_up(notice.pool);
      case AllocatorNotice::Kind::options:
        if (task_.tells_options) policy_->options_changed(notice.options);
    }
  }

  std::vector<std::size_t> by_end() const {
    std::vector<std::size_t> ends(task_.lifetimes.blocks.size());
    std::iota(ends.begin(), ends.end(), 0);
    std::ranges::stable_sort(ends, {},
                             [&](std::size_t i) { return task_.lifetimes.blocks[i].end; });
    return ends;
  }

  /// Passes on the iteration ends between the last request and the next one.
  void pass_iteration_ends() {
    for (; next_end_ < task_.iteration_ends.size() && task_.iteration_ends[next_end_] <= counted_;
         ++next_end_)
      policy_->iteration_ended();
    ++counted_;
  }

  void request(std::size_t index) {
    const Lifetime& block = task_.lifetimes.blocks[index];
    const PolicyRequest request{index, block.requested, {block.pool, block.stream}, block.stack};
    ++requests_;
    if (request.bytes.count == 0) return;
    if (!policy_->malloc(request)) {
      ++failures_;
      failed_.insert(index);
      return;
    }
    check_rule(checker_.served(request, policy_->memory_of(index), device_.used_memory()));
    live_ += block.requested;
    peak_live_ = std::max(peak_live_, live_);
    if (device_.used_memory() <= peak_reserved_) return;
    peak_reserved_ = device_.used_memory();
    live_at_peak_ = live_;
  }

  void free(std::size_t index) {
    const Lifetime& block = task_.lifetimes.blocks[index];
    if (block.requested.count == 0 || failed_.contains(index)) return;
    check_rule(checker_.freed(index));
    policy_->free(index);
    live_ -= block.requested;
    ++frees_;
  }

  PolicyRun finish() {
    PolicyRun run;
    run.policy = row_.name;
    run.is_in_pytorch = row_.is_in_pytorch;
    const streams::DeviceCallCounts& calls = device_.call_counts();
    const auto add = [&](std::string_view name, std::uint64_t value) {
      run.metrics.push_back({name, static_cast<std::int64_t>(value)});
    };
    add("requests", requests_);
    add("frees", frees_);
    add("peak_requested", peak_live_.count);
    add("peak_reserved", peak_reserved_.count);
    add("end_reserved", device_.used_memory().count);
    add("device_allocs", calls.allocations);
    add("device_frees", calls.releases);
    add("units_mapped", calls.units_created);
    add("out_of_memory", failures_);
    const Bytes unused = peak_reserved_ - std::min(peak_reserved_, live_at_peak_);
    run.unused_at_peak = ratio_of(unused.count, peak_reserved_.count);
    run.report = policy_->report();
    return run;
  }

  const PolicyRow& row_;
  const PolicyTask& task_;
  streams::SimulatedDevice device_;
  std::unique_ptr<Policy> policy_;
  PolicyChecker checker_;
  /// Indices of blocks by their end; `ended_` of them have passed.
  std::vector<std::size_t> ends_ = by_end();
  std::size_t ended_ = 0;
  std::size_t noticed_ = 0;
  /// Looked up only.
  std::unordered_set<std::size_t> failed_;
  std::size_t next_end_ = 0;
  std::uint64_t counted_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t frees_ = 0;
  std::uint64_t failures_ = 0;
  Bytes live_;
  Bytes peak_live_;
  Bytes peak_reserved_;
  Bytes live_at_peak_;
};

}  // namespace

PolicyRun run_policy(const PolicyRow& row, const PolicyTask& task,
                     const PolicyConditions& conditions) {
  return PolicyWalk(row, task, conditions).run();
}

}  // namespace vramlab::replay
