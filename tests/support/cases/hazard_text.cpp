#include "tests/support/cases/hazard_text.h"

namespace vramlab::streams {
namespace {

std::string number_text(std::string_view word, std::uint64_t number) {
  return std::string(word) + ' ' + std::to_string(number);
}

std::string stream_text(StreamAt stream) {
  std::string text = number_text("stream", stream.stream.value);
  if (stream.device != 0) text += number_text(" of device", stream.device);
  return text;
}

std::string_view work_kind_name(WorkKind kind) {
  switch (kind) {
    case WorkKind::kernel:
      return "kernel";
    case WorkKind::copy_to_device:
      return "copy to the device";
    case WorkKind::copy_to_host:
      return "copy to the host";
    case WorkKind::copy_on_device:
      return "copy on the device";
    case WorkKind::memset:
      return "memset";
    case WorkKind::host_function:
      return "host function";
    case WorkKind::write_flag:
      return "write of a flag";
    case WorkKind::await_flag:
      return "wait for a flag";
  }
  return "work";
}

std::string_view act_name(HazardAct act) {
  switch (act) {
    case HazardAct::work:
      return "work";
    case HazardAct::free:
      return "free";
    case HazardAct::hand_out:
      return "hand-out";
    case HazardAct::destroy:
      return "destroy";
    case HazardAct::use_of_handle:
      return "use";
    case HazardAct::wait:
      return "wait";
  }
  return "call";
}

std::string work_text(const HazardSide& side) {
  std::string text(work_kind_name(side.kind));
  if (side.number != 0) text += " #" + std::to_string(side.number);
  text += number_text(" (tag", side.tag) + ") on " + stream_text(side.stream);
  if (side.is_node) text += ", captured on " + stream_text(side.captured_on) + ',';
  if (side.reads && side.writes) return text + " reads and writes";
  if (side.reads) return text + " reads";
  return side.writes ? text + " writes" : text;
}

std::string memory_text(const Hazard& hazard) {
  std::string text = number_text("block", hazard.second_block.value);
  if (hazard.first_block != hazard.second_block)
    text += number_text(", which was block", hazard.first_block.value);
  if (hazard.range.is_empty()) return text;
  return text + number_text(", addresses", hazard.range.begin.value) +
         number_text(" to", hazard.range.end.value);
}

std::string handle_text(const Hazard& hazard) {
  return hazard.event ? number_text("event", hazard.event->value)
                      : stream_text(hazard.second.stream);
}

}  // namespace

std::string_view hazard_kind_name(HazardKind kind) {
  switch (kind) {
    case HazardKind::use_after_free:
      return "use after free";
    case HazardKind::reused_too_early:
      return "memory reused too early";
    case HazardKind::read_before_write:
      return "read may come before the write it reads from";
    case HazardKind::write_before_write:
      return "two writes in either order";
    case HazardKind::write_before_read:
      return "write may come before an earlier read";
    case HazardKind::used_after_destroy:
      return "used after destroy";
    case HazardKind::waits_for_ever:
      return "waits for ever";
  }
  return "hazard";
}

std::string side_text(const HazardSide& side) {
  if (!side.is_known) return "unknown " + std::string(act_name(side.act));
  if (side.act == HazardAct::work) return work_text(side);
  return std::string(act_name(side.act)) + number_text(" (tag", side.tag) + ") by " +
         number_text("thread", side.thread.value);
}

std::string hazard_text(const Hazard& hazard) {
  const std::string kind = std::string(hazard_kind_name(hazard.kind)) + ": ";
  if (hazard.kind == HazardKind::waits_for_ever) return kind + side_text(hazard.second);
  std::string text = kind + side_text(hazard.first) + "; " + side_text(hazard.second) + "; ";
  text += hazard.kind == HazardKind::used_after_destroy ? handle_text(hazard) : memory_text(hazard);
  return hazard.count == 1 ? text : text + number_text("; found", hazard.count) + " times";
}

std::string fix_text(const Hazard& hazard) {
  const Fix& fix = hazard.fix;
  switch (fix.kind) {
    case FixKind::record_stream:
      return "record_stream(" + number_text("block", hazard.first_block.value) + ", " +
             stream_text(fix.stream) + ") before it is freed";
    case FixKind::wait_for_event:
    case FixKind::wait_in_capture:
      return stream_text(fix.stream) + " waits for an event recorded on " +
             stream_text(fix.awaited) + number_text(" after work", hazard.first.number) +
             (fix.kind == FixKind::wait_in_capture ? ", in the capture" : "");
    case FixKind::free_later:
      return "free " + number_text("block", hazard.first_block.value) + " only after " +
             number_text("work", hazard.second.number) + " was issued";
    case FixKind::destroy_later:
      return "destroy " + handle_text(hazard) + " only after this use";
    case FixKind::write_flag:
      return fix.flag ? "write " + number_text("flag", fix.flag->value)
                      : "issue what is waited for";
  }
  return "";
}

}  // namespace vramlab::streams
