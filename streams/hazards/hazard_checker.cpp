#include "streams/hazards/hazard_checker.h"

#include <algorithm>
#include <utility>

#include "allocator/types/check.h"

namespace vramlab::streams {
namespace {

HazardKind kind_of(const MemoryAccess& first, const MemoryAccess& second) {
  if (!first.writes) return HazardKind::write_before_read;
  return second.reads ? HazardKind::read_before_write : HazardKind::write_before_write;
}

HazardSide handle_side(HazardAct act, const HandleUse& use) {
  return {.act = act,
          .tag = use.tag,
          .site = use.tag,
          .stream = use.event ? StreamAt{} : use.stream,
          .thread = use.thread};
}

/// The side that would end a wait, and is missing.
constexpr HazardSide missing_write{.kind = WorkKind::write_flag, .is_known = false};

}  // namespace

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
      // A block that is read as well is reported already.
      if (std::ranges::count(accesses.read, number) == 0)
        report_use_after_free(number, accesses, access);
    } else if (block->writer != access.number) {
      block->writer = access.number;
      if (block->reader != access.number) touched_.push_back(block);
    }
  }
}

/// Null where the block was freed. Launches go on using blocks of their graph.
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

/// Reports earlier accesses that the new one is not in order with, and drops those that it stands
/// for from now on: work that is in order with it is in order with them.
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

/// Work behind an open wait may never run, so it stands only for accesses behind the same wait.
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
  // Work that the thread knows to have ended, and work that the allocator will have waited for.
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

// Two sides that meet, and the list of them.

void HazardList::add(const Hazard& hazard) {
  const Sites sites{hazard.kind, hazard.first.act, hazard.first.site, hazard.second.act,
                    hazard.second.site};
  const auto found = places_.find(sites);
  if (found != places_.end()) {
    ++hazards_[found->second].count;
  } else if (hazards_.size() == most_listed) {
    ++unlisted_count_;
  } else {
    places_.emplace(sites, hazards_.size());
    hazards_.push_back(hazard);
  }
}

HazardSide HazardChecker::side_of(const MemoryAccess& access) const {
  return {.act = HazardAct::work,
          .kind = access.kind,
          .reads = access.reads,
          .writes = access.writes,
          .tag = access.tag,
          .site = access.site,
          .stream = stream_of(access.epoch.line),
          .thread = access.thread,
          .number = access.number,
          .is_node = access.is_node,
          .captured_on = access.captured_on};
}

/// Nodes of one launch are put in order where they were captured, all other work where it was
/// issued.
Fix HazardChecker::put_in_order(const MemoryAccess& first, const MemoryAccess& second) const {
  // The launch of the second is the one that is being told.
  if (first.is_node && second.is_node && first.number > launch_number())
    return {.kind = FixKind::wait_in_capture,
            .stream = second.captured_on,
            .awaited = first.captured_on};
  return {.kind = FixKind::wait_for_event,
          .stream = stream_of(second.epoch.line),
          .awaited = stream_of(first.epoch.line)};
}

void HazardChecker::report_race(const MemoryAccess& first, const MemoryAccess& second) {
  add_or_doubt({.hazard = {.kind = kind_of(first, second),
                           .first = side_of(first),
                           .second = side_of(second),
                           .first_block = first.block,
                           .second_block = second.block,
                           .range = common_range(first.range, second.range),
                           .fix = put_in_order(first, second)},
                .first = first.epoch,
                .second = second.epoch,
                .open_before_first = flags().open_before(first.epoch),
                .open_before_second = flags().open_before(second.epoch)});
}

void HazardChecker::report_reuse(const MemoryAccess& first, const ShadowBlock& block,
                                 const HazardSide& side) {
  const StreamAt used_on = stream_of(first.epoch.line);
  // The allocator takes no note of a block's own stream.
  const Fix fix = first.is_on_own_stream ? Fix{.stream = block.stream, .awaited = used_on}
                                         : Fix{.kind = FixKind::record_stream, .stream = used_on};
  Doubt doubt{.hazard = {.kind = HazardKind::reused_too_early,
                         .first = side_of(first),
                         .second = side,
                         .first_block = first.block,
                         .second_block = block.number,
                         .range = common_range(first.range, block.range),
                         .fix = fix},
              .first = first.epoch,
              .second = std::nullopt,
              .open_before_first = flags().open_before(first.epoch),
              .open_before_second = {}};
  for (const VectorClock* clock : clocks_)
    for (const Epoch token : flags().open_in(*clock)) doubt.open_before_second.push_back(token);
  add_or_doubt(std::move(doubt));
}

void HazardChecker::add_or_doubt(Doubt doubt) {
  if (doubt.open_before_first.empty() && doubt.open_before_second.empty())
    list_.add(doubt.hazard);
  else
    doubts_.push_back(std::move(doubt));
}

void HazardChecker::settle(const ClosedWait& wait) {
  std::erase_if(doubts_, [&](Doubt& doubt) {
    if (is_put_in_order(doubt, wait)) return true;
    if (!doubt.open_before_first.empty() || !doubt.open_before_second.empty()) return false;
    list_.add(doubt.hazard);
    return true;
  });
}

/// If the wait does not decide it, waits of its writer may.
bool HazardChecker::is_put_in_order(Doubt& doubt, const ClosedWait& wait) {
  if (std::erase(doubt.open_before_second, wait.token) > 0) {
    if (wait.writer.covers(doubt.first)) return true;
    doubt.open_before_second.insert(doubt.open_before_second.end(), wait.open.begin(),
                                    wait.open.end());
  }
  if (std::erase(doubt.open_before_first, wait.token) > 0) {
    if (doubt.second && wait.writer.covers(*doubt.second)) return true;
    doubt.open_before_first.insert(doubt.open_before_first.end(), wait.open.begin(),
                                   wait.open.end());
  }
  return false;
}

void HazardChecker::report_use_after_free(BlockNumber block, const WorkAccesses& accesses,
                                          MemoryAccess access) {
  access.reads = std::ranges::count(accesses.read, block) > 0;
  access.writes = std::ranges::count(accesses.written, block) > 0;
  const FreedBlock* freed = memory_.find_freed(block);
  const HazardSide long_ago{.act = HazardAct::free, .is_known = false};
  list_.add({.kind = HazardKind::use_after_free,
             .first = freed == nullptr ? long_ago : freed->free,
             .second = side_of(access),
             .first_block = block,
             .second_block = block,
             .range = freed == nullptr ? AddressRange{} : freed->range,
             .fix = {.kind = FixKind::free_later, .stream = stream_of(access.epoch.line)}});
}

void HazardChecker::destroyed(const HandleUse& destroyed) {
  destroyed_.add(destroyed.event, handle_side(HazardAct::destroy, destroyed));
}

void HazardChecker::used_after_destroy(const HandleUse& use) {
  const HazardSide* known = destroyed_.find(use.event, use.stream);
  HazardSide second = handle_side(HazardAct::use_of_handle, use);
  second.stream = use.stream;
  list_.add({.kind = HazardKind::used_after_destroy,
             .first = known != nullptr ? *known
                                       : HazardSide{.act = HazardAct::destroy, .is_known = false},
             .second = second,
             .event = use.event,
             .fix = {.kind = FixKind::destroy_later, .stream = use.stream}});
}

void HazardChecker::waits_for_ever(const StuckWork& stuck) {
  if (!stuck.awaited) return;
  list_.add({.kind = HazardKind::waits_for_ever,
             .first = missing_write,
             .second = {.act = HazardAct::work,
                        .kind = WorkKind::await_flag,
                        .tag = stuck.tag,
                        .site = stuck.tag,
                        .stream = stuck.stream},
             .fix = {.kind = FixKind::write_flag, .flag = stuck.awaited}});
}

void HazardChecker::waits_for_ever(const StuckThread& stuck, std::uint64_t tag,
                                   std::span<const StuckWork> work) {
  const auto root = std::ranges::find_if(
      work, [](const StuckWork& candidate) { return candidate.awaited.has_value(); });
  list_.add({.kind = HazardKind::waits_for_ever,
             .first = missing_write,
             .second = {.act = HazardAct::wait, .tag = tag, .site = tag, .thread = stuck.thread},
             .fix = {.kind = FixKind::write_flag,
                     .flag = root == work.end() ? std::nullopt : root->awaited}});
}

}  // namespace vramlab::streams
