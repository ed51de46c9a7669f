#include "streams/hazards.h"

#include <algorithm>

#include "allocator/check.h"

namespace vramlab::streams {

using allocator::EventId;

// Work.

void HazardChecker::issued(const IssuedItem& item) {
  const Strand& strand = order_.issued(item);
  if (item.work == nullptr) return;
  const WorkAccesses accesses = source_.accesses_of(item.tag);
  if (accesses.read.empty() && accesses.written.empty()) return;
  HazardSide side = side_of(item, accesses.site);
  collect_touched(accesses, side);
  for (ShadowBlock* block : touched_) {
    side.reads = block->reader == item.number;
    side.writes = block->writer == item.number;
    touch(*block, side, strand);
  }
}

HazardSide HazardChecker::side_of(const IssuedItem& item, std::uint64_t site) const {
  HazardSide side{.act = HazardAct::work,
                  .kind = item.work->kind,
                  .tag = item.tag,
                  .site = site,
                  .stream = item.stream,
                  .thread = item.thread,
                  .number = item.number};
  if (item.kind == ItemKind::graph_node) {
    side.launch = order_.launch_number();
    side.captured_on = order_.node().stream;
  }
  return side;
}

/// Each block once, however often it is named.
void HazardChecker::collect_touched(const WorkAccesses& accesses, const HazardSide& side) {
  touched_.clear();
  for (const BlockNumber number : accesses.read) {
    ShadowBlock* block = find_used(number, side);
    if (block == nullptr || block->reader == side.number) continue;
    block->reader = side.number;
    touched_.push_back(block);
  }
  for (const BlockNumber number : accesses.written) {
    ShadowBlock* block = find_used(number, side);
    if (block == nullptr || block->writer == side.number) continue;
    block->writer = side.number;
    if (block->reader != side.number) touched_.push_back(block);
  }
}

ShadowBlock* HazardChecker::find_used(BlockNumber number, const HazardSide& side) {
  ShadowBlock* block = memory_.find(number);
  if (block != nullptr) return block;
  report_use_after_free({.number = number, .freed = {.act = HazardAct::free, .is_known = false}},
                        side);
  return nullptr;
}

void HazardChecker::touch(ShadowBlock& block, const HazardSide& side, const Strand& strand) {
  const bool is_kept_for_graphs = block.is_of_graph && side.launch.has_value();
  if (block.is_freed && !is_kept_for_graphs) {
    report_use_after_free(block, side);
    return;
  }
  const MemoryAccess access{strand.now(), side, block.number, block.range,
                            side.stream == block.stream};
  meet(block.accesses, access, strand.clock);
  for (const BlockNumber other : block.overlapping)
    meet(memory_.find(other)->accesses, access, strand.clock);
  block.accesses.push_back(access);
}

/// Reports the earlier accesses that the new one is not in order with, and drops those that it
/// stands for from now on: whoever is in order with it is so with them.
void HazardChecker::meet(std::vector<MemoryAccess>& earlier, const MemoryAccess& now,
                         const VectorClock& clock) {
  std::erase_if(earlier, [&](const MemoryAccess& access) {
    const AddressRange common = common_range(access.range, now.range);
    if (!clock.covers(access.epoch)) {
      const bool is_conflict = access.side.writes || now.side.writes;
      if (is_conflict && !common.is_empty()) report_race(access, now);
      return false;
    }
    return common == access.range && (now.side.writes || !access.side.writes);
  });
}

// Memory.

void HazardChecker::handed_out(const HandedOut& block) {
  const HazardSide side{.act = HazardAct::hand_out,
                        .tag = block.tag,
                        .site = block.tag,
                        .stream = block.stream,
                        .thread = block.thread};
  ShadowBlock& made = memory_.hand_out({.number = block.block,
                                        .range = block.range,
                                        .stream = block.stream,
                                        .is_of_graph = block.is_of_graph});
  if (made.accesses.empty()) return;
  const VectorClock& of_thread = order_.thread(block.thread).clock;
  clocks_.clear();
  order_.add_clocks_of_next(block.stream, clocks_);
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
  // The allocator ignores the stream that a block belongs to: its order is the stream's own.
  if (stream != used->stream && std::ranges::count(used->uses, stream) == 0)
    used->uses.push_back(stream);
}

void HazardChecker::freed(BlockNumber block, ThreadId thread, std::uint64_t tag) {
  ShadowBlock* freed = memory_.find(block);
  check(freed != nullptr && !freed->is_freed, "only live memory can be freed");
  // What the thread knows to have ended, and what the allocator will have waited for.
  clocks_.assign(1, &order_.thread(thread).clock);
  for (const StreamAt stream : freed->uses) order_.add_clocks_of_next(stream, clocks_);
  memory_.free(
      *freed,
      {.act = HazardAct::free, .tag = tag, .site = tag, .stream = freed->stream, .thread = thread},
      clocks_);
}

void HazardChecker::released(std::uint32_t device, AddressRange range) {
  memory_.release(device, range);
}

// What follows what.

void HazardChecker::stream_follows(StreamAt stream, StreamAt before) {
  order_.stream_follows(stream, before);
}

void HazardChecker::event_recorded(EventId event, StreamAt stream) {
  order_.event_recorded(event, stream);
}

void HazardChecker::stream_follows_event(StreamAt stream, EventId event) {
  order_.stream_follows_event(stream, event);
}

void HazardChecker::thread_follows_stream(ThreadId thread, StreamAt stream) {
  order_.thread_follows_stream(thread, stream);
}

void HazardChecker::thread_follows_event(ThreadId thread, EventId event) {
  order_.thread_follows_event(thread, event);
}

void HazardChecker::graph_launched(const CapturedGraph& graph, GraphId name, StreamAt stream) {
  order_.graph_launched(graph, name, stream);
}

void HazardChecker::stream_created(StreamAt stream, StreamKind kind) {
  order_.stream_created(stream, kind);
}

void HazardChecker::stream_destroyed(StreamAt stream) {
  order_.stream_destroyed(stream);
  if (LineBook& lines = order_.lines(); lines.has_many_retired())
    lines.free_retired(memory_.used_lines(lines.line_count()));
}

void HazardChecker::event_destroyed(EventId event) { order_.event_destroyed(event); }

void HazardChecker::graph_destroyed(GraphId graph) { order_.graph_destroyed(graph); }

}  // namespace vramlab::streams
