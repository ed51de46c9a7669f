#include "tools/cli/commands/streams/hazard_text.h"

#include <algorithm>
#include <array>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "traces/model/user_frame.h"

namespace vramlab::tools {
using streams::FixKind;
using streams::Hazard;
using streams::HazardAct;
using streams::HazardKind;
using streams::HazardSide;

namespace {

struct HazardText {
  HazardKind kind;
  std::string_view name;
  std::string_view title;
};

constexpr HazardText hazard_texts[] = {
    {HazardKind::use_after_free, "use_after_free", "memory is used after it was freed"},
    {HazardKind::reused_too_early, "reused_too_early",
     "memory is reused while work may still use it"},
    {HazardKind::read_before_write, "read_before_write",
     "a read may come before the write whose result it wants"},
    {HazardKind::write_before_write, "write_before_write", "two writes may come in either order"},
    {HazardKind::write_before_read, "write_before_read",
     "a write may come before a read of what was there"},
    {HazardKind::used_after_destroy, "used_after_destroy",
     "a stream or event is used after it was destroyed"},
    {HazardKind::waits_for_ever, "waits_for_ever", "a wait never ends"},
};

const HazardText& text_of(HazardKind kind) {
  const auto* const found = std::ranges::find(hazard_texts, kind, &HazardText::kind);
  check(found != std::end(hazard_texts), "every kind of hazard has a text");
  return *found;
}

}  // namespace

std::string_view hazard_name(HazardKind kind) { return text_of(kind).name; }

std::string_view hazard_title(HazardKind kind) { return text_of(kind).title; }

std::string_view work_name(streams::WorkKind kind) {
  constexpr std::array<std::string_view, 8> names = {
      "kernel", "copy to device", "copy to host", "copy on device",
      "memset", "host function",  "flag write",   "flag wait"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view item_name(streams::ItemKind kind, streams::WorkKind work) {
  constexpr std::array<std::string_view, 7> names = {
      "", "event record", "event wait", "graph begin", "", "graph end", "allocator's mark"};
  const std::string_view name = names.at(static_cast<std::size_t>(kind));
  return name.empty() ? work_name(work) : name;
}

std::string event_place(std::uint64_t event, const HazardContext& context) {
  std::string text = "event " + std::to_string(event);
  if (event >= context.report.stacks.size()) return text;
  const auto frame =
      traces::innermost_user_frame(context.report.stacks[as_index(event)], context.tables);
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
    return "the block of " + event_place(events[as_index(block.value - 1)], context);
  };
  std::string text = format_bytes(hazard.range.size()) + " at " + name_of(hazard.range.begin) +
                     ": " + block_text(hazard.first_block);
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
