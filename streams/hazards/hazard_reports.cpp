// HazardChecker: what it makes of two sides that meet, and the list of them.
#include <algorithm>
#include <utility>

#include "streams/hazards/hazards.h"

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

/// What would end the wait is what isn't there.
constexpr HazardSide missing_write{.kind = WorkKind::write_flag, .is_known = false};

}  // namespace

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

/// Nodes of one launch are put in order where they were captured, all else where it was issued.
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

/// If the wait does not decide it, what its writer waits for may.
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
