#include "tools/commands/streams/hazard_words.h"

#include "allocator/words/ids.h"
#include "traces/values/user_frame.h"

namespace vramlab::tools {
using streams::FixKind;
using streams::Hazard;
using streams::HazardAct;
using streams::HazardKind;
using streams::HazardSide;

std::string_view hazard_name(HazardKind kind) {
  switch (kind) {
    case HazardKind::use_after_free:
      return "use_after_free";
    case HazardKind::reused_too_early:
      return "reused_too_early";
    case HazardKind::read_before_write:
      return "read_before_write";
    case HazardKind::write_before_write:
      return "write_before_write";
    case HazardKind::write_before_read:
      return "write_before_read";
    case HazardKind::used_after_destroy:
      return "used_after_destroy";
    case HazardKind::waits_for_ever:
      return "waits_for_ever";
  }
  return "";
}

std::string_view hazard_title(HazardKind kind) {
  switch (kind) {
    case HazardKind::use_after_free:
      return "memory is used after it was freed";
    case HazardKind::reused_too_early:
      return "memory is reused while work may still use it";
    case HazardKind::read_before_write:
      return "a read may come before the write whose result it wants";
    case HazardKind::write_before_write:
      return "two writes may come in either order";
    case HazardKind::write_before_read:
      return "a write may come before a read of what was there";
    case HazardKind::used_after_destroy:
      return "a stream or event is used after it was destroyed";
    case HazardKind::waits_for_ever:
      return "a wait never ends";
  }
  return "";
}

std::string event_place(std::uint64_t event, const HazardContext& context) {
  std::string text = "event " + std::to_string(event);
  if (event >= context.report.stacks.size()) return text;
  const auto frame = traces::innermost_user_frame(context.report.stacks[event], context.tables);
  return frame ? text + " (" + traces::frame_text(*frame, context.tables) + ")" : text;
}

std::string stream_text(streams::StreamAt stream) {
  std::string text = "stream " + std::to_string(stream.stream.value);
  if (stream.device != 0) text += " of device " + std::to_string(stream.device);
  return text;
}

std::string side_text(const HazardSide& side, const HazardContext& context) {
  std::string place = event_place(side.tag, context);
  if (!side.is_known) return "something long before";
  switch (side.act) {
    case HazardAct::work: {
      std::string text = std::string(work_name(side.kind)) + " of " + place;
      if (side.is_node) text += ", captured on " + stream_text(side.captured_on) + " and launched";
      text += " on " + stream_text(side.stream);
      if (side.reads && side.writes) return text + " reads and writes it";
      if (side.reads) return text + " reads it";
      return side.writes ? text + " writes it" : text;
    }
    case HazardAct::free:
      return place + " frees it";
    case HazardAct::hand_out:
      return place + " gets the memory for " + stream_text(side.stream);
    case HazardAct::destroy:
      return place + " destroys it";
    case HazardAct::use_of_handle:
      return place + " uses it";
    case HazardAct::wait:
      return place + " waits";
  }
  return place;
}

std::string object_text(const Hazard& hazard, const HazardContext& context) {
  if (hazard.event) return "event " + std::to_string(hazard.event->value);
  if (hazard.kind == HazardKind::used_after_destroy) return stream_text(hazard.second.stream);
  if (hazard.range.is_empty()) return {};
  const auto block_text = [&](streams::BlockNumber block) {
    const auto& events = context.report.block_events;
    if (block.value == 0 || block.value > events.size()) return std::string("a block");
    return "the block of " + event_place(events[block.value - 1], context);
  };
  std::string text = format_bytes(hazard.range.size()) + " at " +
                     allocator::name_of(hazard.range.begin) + ": " + block_text(hazard.first_block);
  if (hazard.second_block != hazard.first_block && hazard.second_block.value != 0)
    text += ", then " + block_text(hazard.second_block);
  return text;
}

std::string fix_text(const Hazard& hazard, const HazardContext& context) {
  const streams::Fix& fix = hazard.fix;
  const auto wait = [&] {
    return stream_text(fix.stream) + " waits for an event recorded on " + stream_text(fix.awaited) +
           " after " + event_place(hazard.first.tag, context);
  };
  switch (fix.kind) {
    case FixKind::record_stream:
      return "record_stream(" + stream_text(fix.stream) +
             ") on the earlier block before it is freed";
    case FixKind::wait_for_event:
      return wait();
    case FixKind::wait_in_capture:
      return "while the graph is captured, " + wait();
    case FixKind::free_later:
      return "the block is freed after " + event_place(hazard.second.tag, context);
    case FixKind::destroy_later:
      return "it is destroyed after " + event_place(hazard.second.tag, context);
    case FixKind::write_flag:
      return fix.flag ? "something writes flag " + std::to_string(fix.flag->value)
                      : "something ends the wait";
  }
  return {};
}

}  // namespace vramlab::tools
