#include <algorithm>

#include "allocator/checks/out_of_memory.h"
#include "tools/cli/commands/steps/rule_texts.h"
#include "tools/cli/commands/steps/steps_report.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::Step;

constexpr std::size_t action_width = 15;
constexpr std::size_t rule_width = 6;

std::string entry_line(const AllocatorEvent& entry) {
  const std::string place = entry.action == Action::oom
                                ? ", " + format_bytes(Bytes{entry.address.value}) + " free"
                                : " at " + name_of(entry.address);
  return "  " + padded(std::string(action_name(entry.action)), action_width) +
         format_bytes(entry.size) + place + ", stream " + std::to_string(entry.stream.value) + "\n";
}

std::string block_text(const SnapshotBlock& block, const Step& step) {
  const auto named = step.ids.find(block.address);
  std::string text = "[";
  if (block.state == BlockState::inactive)
    text += "free ";
  else if (named != step.ids.end())
    text += std::to_string(named->second) + ": ";
  text += format_bytes(block.size);
  return text + (block.state == BlockState::active_pending_free ? " waits]" : "]");
}

std::string segment_line(const SnapshotSegment& segment, const Step& step) {
  std::string line = "  " + padded("segment", action_width) + format_bytes(segment.total_size) +
                     " at " + name_of(segment.address) + ", " +
                     std::string(pool_kind_name(segment.kind)) +
                     (segment.is_expandable ? ", expandable" : "") + ", stream " +
                     std::to_string(segment.stream.value);
  if (segment.pool != allocator::default_pool) line += ", pool " + name_of(segment.pool);
  line += ":";
  for (const SnapshotBlock& block : segment.blocks) line += " " + block_text(block, step);
  return line + "\n";
}

std::string step_text(const Step& step, const traces::SnapshotTables& tables) {
  std::string text =
      "event " + std::to_string(step.number) + ": " + record_text(step.event, tables) + "\n";
  for (const AllocatorEvent& entry : step.entries) text += entry_line(entry);
  if (step.failure) text += "  " + out_of_memory_message(*step.failure) + "\n";
  for (const allocator::Rule rule : step.rules)
    text += "  " + padded("rule " + rule_name(rule), action_width) + rule_text(rule) + "\n";
  for (const SnapshotSegment& segment : step.state.segments) text += segment_line(segment, step);
  return text + "  " + padded("memory", action_width) + format_bytes(step.allocated) +
         " allocated, " + format_bytes(step.reserved) + " reserved\n";
}

std::string conditions_text(const replay::ReplayReport& report) {
  std::string text = "version " + std::string(report.reference) + ", " +
                     (report.options.empty() ? "no options" : report.options);
  for (const replay::DeviceReport& device : report.devices)
    if (!device.memory_origin.empty())
      text +=
          "; device " + std::to_string(device.device.value) + ": " + format_bytes(device.memory);
  return text;
}

}  // namespace

std::string rule_name(allocator::Rule rule) {
  return std::to_string(rule.section) + "." + std::to_string(rule.number);
}

std::string rule_text(allocator::Rule rule) {
  const auto row = std::ranges::find(rule_texts(), rule, &RuleText::rule);
  if (row == rule_texts().end()) return "";
  std::string text(row->text);
  std::erase(text, '`');
  return text;
}

std::string steps_text(const StepsOutcome& outcome, const traces::SnapshotTables& tables) {
  std::string text = outcome.file + "; " + conditions_text(outcome.report) + "\n";
  for (const Step& step : outcome.steps) text += "\n" + step_text(step, tables);
  if (outcome.report.stopped_at && outcome.range.contains(*outcome.report.stopped_at))
    text += "\nThe program ends here: a request failed (--on-oom skip goes on).\n";
  const std::uint64_t end = outcome.range.first + outcome.range.count;
  if (outcome.report.events > end)
    text += "\nThe next events: --from " + std::to_string(end) + "\n";
  for (const std::string& note : outcome.report.notes) text += "\nnote: " + note + "\n";
  return text;
}

}  // namespace vramlab::tools
