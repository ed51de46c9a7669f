// HazardChecker: what it makes of two sides that meet.
#include <algorithm>

#include "streams/hazards.h"

namespace vramlab::streams {
namespace {

HazardKind kind_of(const HazardSide& first, const HazardSide& second) {
  if (!first.writes) return HazardKind::write_before_read;
  return second.reads ? HazardKind::read_before_write : HazardKind::write_before_write;
}

/// Nodes of one launch are ordered where they were captured, all else where it was issued.
Mend put_in_order(const HazardSide& first, const HazardSide& second) {
  if (first.launch && first.launch == second.launch)
    return {MendKind::wait_in_capture, second.captured_on, first.captured_on, std::nullopt};
  return {MendKind::wait_for_event, second.stream, first.stream, std::nullopt};
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

void HazardChecker::report_race(const MemoryAccess& first, const MemoryAccess& second) {
  list_.add({.kind = kind_of(first.side, second.side),
             .first = first.side,
             .second = second.side,
             .first_block = first.block,
             .second_block = second.block,
             .range = common_range(first.range, second.range),
             .mend = put_in_order(first.side, second.side)});
}

void HazardChecker::report_reuse(const MemoryAccess& first, const ShadowBlock& block,
                                 const HazardSide& side) {
  // The allocator takes no note of a block's own stream.
  const Mend mend = first.is_on_own_stream
                        ? put_in_order(first.side, side)
                        : Mend{.kind = MendKind::record_stream, .stream = first.side.stream};
  list_.add({.kind = HazardKind::reused_too_early,
             .first = first.side,
             .second = side,
             .first_block = first.block,
             .second_block = block.number,
             .range = common_range(first.range, block.range),
             .mend = mend});
}

void HazardChecker::report_use_after_free(const ShadowBlock& block, const HazardSide& side) {
  list_.add({.kind = HazardKind::use_after_free,
             .first = block.freed,
             .second = side,
             .first_block = block.number,
             .second_block = block.number,
             .range = block.range,
             .mend = {.kind = MendKind::free_later, .stream = side.stream}});
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
             .mend = {.kind = MendKind::destroy_later, .stream = use.stream}});
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
             .mend = {.kind = MendKind::write_flag, .flag = stuck.awaited}});
}

void HazardChecker::waits_for_ever(const StuckThread& stuck, std::uint64_t tag,
                                   std::span<const StuckWork> work) {
  const auto root = std::ranges::find_if(
      work, [](const StuckWork& candidate) { return candidate.awaited.has_value(); });
  list_.add({.kind = HazardKind::waits_for_ever,
             .first = missing_write,
             .second = {.act = HazardAct::wait, .tag = tag, .site = tag, .thread = stuck.thread},
             .mend = {.kind = MendKind::write_flag,
                      .flag = root == work.end() ? std::nullopt : root->awaited}});
}

}  // namespace vramlab::streams
