#include "streams/hazards/hazards.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::streams {

// Work.

void HazardChecker::issued(const IssuedItem& item) {
  const Strand& strand = place_of(item);
  if (item.work == nullptr) return;
  if (item.work->kind == WorkKind::write_flag)
    for (const ClosedWait& wait : take_closed_waits()) settle(wait);
  const WorkAccesses accesses = source_.accesses_of(item.tag);
  if (accesses.read.empty() && accesses.written.empty()) return;
  MemoryAccess access = access_by(item, strand.now(), accesses.site);
  collect_touched(accesses, access);
  open_ = flags().open_before(access.epoch);
  for (ShadowBlock* block : touched_) touch(*block, access, strand.clock);
}

MemoryAccess HazardChecker::access_by(const IssuedItem& item, Epoch epoch,
                                      std::uint64_t site) const {
  const bool is_node = item.kind == ItemKind::graph_node;
  return {.epoch = epoch,
          .tag = item.tag,
          .site = site,
          .number = item.number,
          .captured_on = is_node ? node().stream : item.stream,
          .thread = item.thread,
          .kind = item.work->kind,
          .is_node = is_node};
}

/// Each block once, however often it is named.
void HazardChecker::collect_touched(const WorkAccesses& accesses, const MemoryAccess& access) {
  touched_.clear();
  for (const BlockNumber number : accesses.read) {
    ShadowBlock* block = find_usable(number, access);
    if (block == nullptr) {
      report_use_after_free(number, accesses, access);
    } else if (block->reader != access.number) {
      block->reader = access.number;
      touched_.push_back(block);
    }
  }
  for (const BlockNumber number : accesses.written) {
    ShadowBlock* block = find_usable(number, access);
    if (block == nullptr) {
      // What is read as well is reported already.
      if (std::ranges::count(accesses.read, number) == 0)
        report_use_after_free(number, accesses, access);
    } else if (block->writer != access.number) {
      block->writer = access.number;
      if (block->reader != access.number) touched_.push_back(block);
    }
  }
}

/// Null where it was freed. Launches go on using what belongs to their graph.
ShadowBlock* HazardChecker::find_usable(BlockNumber number, const MemoryAccess& access) {
  ShadowBlock* block = memory_.find(number);
  return block != nullptr && (!block->is_freed || access.is_node) ? block : nullptr;
}

void HazardChecker::touch(ShadowBlock& block, MemoryAccess& access, const VectorClock& clock) {
  access.block = block.number;
  access.range = block.range;
  access.reads = block.reader == access.number;
  access.writes = block.writer == access.number;
  access.is_on_own_stream = stream_of(access.epoch.line) == block.stream;
  meet(block.accesses, access, clock);
  for (const BlockNumber other : memory_.overlapping(block))
    meet(memory_.find(other)->accesses, access, clock);
  block.accesses.push_back(access);
}

/// Reports the earlier accesses that the new one is not in order with, and drops those that it
/// stands for from now on: whoever is in order with it is so with them.
void HazardChecker::meet(std::vector<MemoryAccess>& earlier, const MemoryAccess& now,
                         const VectorClock& clock) {
  std::erase_if(earlier, [&](const MemoryAccess& access) {
    if (!clock.covers(access.epoch)) {
      const bool is_conflict = access.writes || now.writes;
      if (is_conflict && !common_range(access.range, now.range).is_empty())
        report_race(access, now);
      return false;
    }
    return (now.writes || !access.writes) && now.range.begin <= access.range.begin &&
           access.range.end <= now.range.end && is_sure_to_run_after(access);
  });
}

/// What is behind an open wait may never run; then it stands for nothing that is not behind it.
bool HazardChecker::is_sure_to_run_after(const MemoryAccess& earlier) const {
  if (open_.empty()) return true;
  const std::vector<Epoch> open = flags().open_before(earlier.epoch);
  return std::ranges::all_of(open_,
                             [&](Epoch token) { return std::ranges::count(open, token) > 0; });
}

// Memory.

void HazardChecker::handed_out(const HandedOut& block) {
  const HazardSide side{.act = HazardAct::hand_out,
                        .tag = block.tag,
                        .site = block.site.value_or(block.tag),
                        .stream = block.stream,
                        .thread = block.thread};
  ShadowBlock& made = memory_.hand_out({.number = block.block,
                                        .range = block.range,
                                        .stream = block.stream,
                                        .is_of_graph = block.is_of_graph});
  if (made.accesses.empty()) return;
  const VectorClock& of_thread = strand_of(block.thread).clock;
  clocks_.assign(1, &of_thread);
  add_clocks_of_next(block.stream, clocks_);
  std::erase_if(made.accesses, [&](const MemoryAccess& access) {
    if (of_thread.covers(access.epoch)) return true;
    if (is_covered(access.epoch, clocks_)) return false;
    report_reuse(access, made, side);
    return true;
  });
}

void HazardChecker::stream_uses(BlockNumber block, StreamAt stream) {
  ShadowBlock* used = memory_.find(block);
  check(used != nullptr && !used->is_freed, "only live memory can be recorded on a stream");
  // The allocator takes no note of the stream that a block belongs to.
  if (stream == used->stream) return;
  std::vector<StreamAt>& uses = uses_[block];
  if (std::ranges::count(uses, stream) == 0) uses.push_back(stream);
}

void HazardChecker::freed(BlockNumber block, ThreadId thread, std::uint64_t tag) {
  ShadowBlock* freed = memory_.find(block);
  check(freed != nullptr && !freed->is_freed, "only live memory can be freed");
  // What the thread knows to have ended, and what the allocator will have waited for.
  clocks_.assign(1, &strand_of(thread).clock);
  if (const auto found = uses_.find(block); found != uses_.end()) {
    for (const StreamAt stream : found->second) add_clocks_of_next(stream, clocks_);
    uses_.erase(found);
  }
  memory_.free(
      *freed,
      {.act = HazardAct::free, .tag = tag, .site = tag, .stream = freed->stream, .thread = thread},
      clocks_);
}

void HazardChecker::released(std::uint32_t device, AddressRange range) {
  memory_.release(device, range);
}

void HazardChecker::stream_destroyed(StreamAt stream) {
  ProgramOrder::stream_destroyed(stream);
  if (lines().has_many_retired()) lines().free_retired(memory_.used_lines(lines().line_count()));
}

}  // namespace vramlab::streams
