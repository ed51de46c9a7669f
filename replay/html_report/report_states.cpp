#include "replay/html_report/report_states.h"

#include <algorithm>

namespace vramlab::replay {
namespace {

using allocator::Address;
using allocator::Bytes;
using allocator::GivenUse;

/// The first entry that reaches beyond `at`, in a map by address of values with a size.
template <class Map>
auto first_reaching(Map& map, Address at) {
  auto found = map.upper_bound(at);
  if (found != map.begin() && std::prev(found)->first + std::prev(found)->second.size > at) --found;
  return found;
}

/// Extends the range to the ends of blocks that lie partly in it; false where no block does.
template <class Map>
bool widen(const Map& map, Address& begin, Address& end) {
  const auto first = first_reaching(map, begin);
  bool is_wider = false;
  if (first != map.end() && first->first < begin) {
    begin = first->first;
    is_wider = true;
  }
  const auto after = map.lower_bound(end);
  if (after == map.begin()) return is_wider;
  const Address reach = std::prev(after)->first + std::prev(after)->second.size;
  if (reach <= end) return is_wider;
  end = reach;
  return true;
}

}  // namespace

ShownBlock ReportStates::shown(Address at, const PlacedBlock& block,
                               const LiveBlocks& in_use) const {
  ShownBlock shown{block.size, block.life, block.use, {}, 0, {}, 0};
  const LiveBlock* held = in_use.find(at.value);
  if (block.use == GivenUse::free || held == nullptr) return shown;
  shown.requested = held->requested;
  shown.since = held->since();
  shown.stack = held->stack;
  if (kinds_.is_known()) shown.holder = kinds_.holder_of(*held);
  return shown;
}

void ReportStates::touch(Address at, Bytes size) { touched_.emplace_back(at, at + size); }

void ReportStates::add(HistoryStep step, const PlacementBlocks& blocks, const LiveBlocks& in_use) {
  if (steps_.empty()) touched_ = {{Address{0}, Address{~std::uint64_t{0}}}};
  std::ranges::sort(touched_);
  Change change;
  Address done;
  for (auto [begin, end] : touched_) {
    begin = std::max(begin, done);
    if (begin >= end) continue;
    while (widen(shown_, begin, end) || widen(blocks.blocks(), begin, end)) {
    }
    compare(begin, end, blocks, in_use, change);
    done = end;
  }
  touched_.clear();
  for (const Address at : change.removed) shown_.erase(at);
  for (const auto& [at, block] : change.put) shown_[at] = block;
  changes_written_ += change.removed.size() + change.put.size();
  if (steps_.empty() || changes_written_ > std::max<std::size_t>(2000, 2 * shown_.size()))
    write_whole(step);
  else
    write(step, change);
}

void ReportStates::compare(Address begin, Address end, const PlacementBlocks& blocks,
                           const LiveBlocks& in_use, Change& change) {
  auto old_block = shown_.lower_bound(begin);
  for (auto at = blocks.blocks().lower_bound(begin); at != blocks.blocks().end() && at->first < end;
       ++at) {
    for (; old_block != shown_.end() && old_block->first < at->first; ++old_block)
      change.removed.push_back(old_block->first);
    const bool was_there = old_block != shown_.end() && old_block->first == at->first;
    if (at->second.use == GivenUse::unmapped) {
      if (was_there) change.removed.push_back(at->first);
    } else {
      const ShownBlock now = shown(at->first, at->second, in_use);
      if (!was_there || old_block->second != now) change.put.emplace_back(at->first, now);
    }
    if (was_there) ++old_block;
  }
  for (; old_block != shown_.end() && old_block->first < end; ++old_block)
    change.removed.push_back(old_block->first);
}

void ReportStates::write(HistoryStep step, const Change& change) {
  steps_.push_back(step);
  offsets_.push_back(bytes_.size());
  are_whole_.push_back(0);
  std::uint64_t before = 0;
  const auto write_address = [&](Address at) {
    bytes_.add_step(before, at.value);
    before = at.value;
  };
  bytes_.add(change.removed.size());
  for (const Address at : change.removed) write_address(at);
  bytes_.add(change.put.size());
  for (const auto& [at, block] : change.put) {
    write_address(at);
    bytes_.add(block.size.count);
    const std::uint64_t use = block.use == GivenUse::live      ? 0
                              : block.use == GivenUse::waiting ? 1
                                                               : 2;
    bytes_.add(block.life * std::uint64_t{3} + use);
    if (block.use == GivenUse::free) continue;
    bytes_.add_step(block.requested.count, block.size.count);
    bytes_.add_step(block.since, step);
    bytes_.add(texts_.node_of(block.stack));
    if (kinds_.is_known()) bytes_.add(block.holder);
  }
}

void ReportStates::write_whole(HistoryStep step) {
  write(step, {{}, {shown_.begin(), shown_.end()}});
  are_whole_.back() = 1;
  changes_written_ = 0;
}

}  // namespace vramlab::replay
