#include "streams/happens_before/flag_order.h"

#include <algorithm>
#include <limits>

namespace vramlab::streams {
namespace {

constexpr std::uint64_t still_going = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::optional<VectorClock> FlagOrder::writes_before(FlagId flag, std::uint64_t value) const {
  std::optional<VectorClock> common;
  const auto found = writes_.find(flag);
  if (found == writes_.end()) return common;
  for (const Write& write : found->second) {
    if (write.value < value) continue;
    if (common)
      common->meet(write.clock);
    else
      common = write.clock;
  }
  return common;
}

std::vector<ClosedWait> FlagOrder::written(FlagId flag, std::uint64_t value,
                                           const VectorClock& writer) {
  std::deque<Write>& writes = writes_[flag];
  writes.push_back({value, writer});
  if (writes.size() > most_writes) writes.pop_front();
  const auto first_closed =
      std::stable_partition(open_.begin(), open_.end(), [&](const OpenWait& wait) {
        return wait.flag != flag || wait.value > value || writer.covers(wait.token);
      });
  const std::vector<OpenWait> ended(first_closed, open_.end());
  open_.erase(first_closed, open_.end());
  std::vector<ClosedWait> closed;
  for (const OpenWait& wait : ended) {
    closed.push_back({wait.token, writer, open_in(writer)});
    // What is behind the wait is behind the writer, and so behind what the writer waits for.
    for (OpenWait& other : open_) {
      if (!writer.covers(other.token)) continue;
      for (const auto& [line, span] : wait.behind) {
        const auto [behind, is_new] = other.behind.try_emplace(line, span);
        behind->second.first = std::min(behind->second.first, span.first);
      }
    }
  }
  return closed;
}

void FlagOrder::note(const Strand& strand) {
  const Epoch now = strand.now();
  for (OpenWait& wait : open_) {
    if (!strand.clock.covers(wait.token)) continue;
    const auto [behind, is_new] = wait.behind.try_emplace(now.line.value, Span{});
    // Else it is known, or another had the line before.
    if (is_new || behind->second.last != still_going) behind->second = {now.tick, still_going};
  }
}

void FlagOrder::line_ended(Epoch last) {
  for (OpenWait& wait : open_)
    if (const auto found = wait.behind.find(last.line.value); found != wait.behind.end())
      found->second.last = std::min(found->second.last, last.tick);
}

std::vector<Epoch> FlagOrder::open_before(Epoch epoch) const {
  std::vector<Epoch> tokens;
  for (const OpenWait& wait : open_)
    if (const auto found = wait.behind.find(epoch.line.value); found != wait.behind.end() &&
                                                               found->second.first <= epoch.tick &&
                                                               epoch.tick <= found->second.last)
      tokens.push_back(wait.token);
  return tokens;
}

std::vector<Epoch> FlagOrder::open_in(const VectorClock& clock) const {
  std::vector<Epoch> tokens;
  for (const OpenWait& wait : open_)
    if (clock.covers(wait.token)) tokens.push_back(wait.token);
  return tokens;
}

}  // namespace vramlab::streams
