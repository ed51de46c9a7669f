#include "tools/cli/commands/live/live_report.h"

#include <algorithm>

#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::DecisionComparison;
using streams::DriverCallRow;

Bytes difference(Bytes more, Bytes less) { return more < less ? Bytes{} : more - less; }

std::string gpu_text(const streams::GpuFacts& gpu) {
  return gpu.name + ", compute capability " + std::to_string(gpu.compute_major) + "." +
         std::to_string(gpu.compute_minor) + ", " + format_bytes(gpu.memory) +
         ", driver for CUDA " + std::to_string(gpu.driver_version / 1000) + "." +
         std::to_string(gpu.driver_version % 1000 / 10);
}

std::string comparison_text(const DecisionComparison& compared) {
  std::string text;
  const std::string events = std::to_string(compared.events) + " events and " +
                             std::to_string(compared.device_actions) + " calls for memory";
  if (!compared.difference) {
    add_line(text, "decisions", "the same as simulated: " + events);
    return text;
  }
  const replay::DecisionDifference& found = *compared.difference;
  add_line(text, "decisions", "DIFFERENT from the simulation, after " + events);
  add_line(
      text, "first difference",
      (found.event ? "event " + std::to_string(*found.event) + ": " : std::string("at the end: ")) +
          found.what);
  add_line(text, "simulated", found.simulated);
  add_line(text, "live", found.live);
  return text;
}

std::string device_text(const LiveOutcome& outcome, const replay::DeviceReport& device) {
  std::string text = "\ndevice " + std::to_string(device.device.value) + " of the file\n";
  for (const DecisionComparison& compared : outcome.comparisons)
    if (compared.device == device.device) text += comparison_text(compared);
  add_line(text, "requests", std::to_string(device.requests));
  add_line(text, "frees", std::to_string(device.frees));
  add_line(text, "peak allocated", format_bytes(device.peak_allocated.bytes));
  add_line(text, "peak reserved", format_bytes(device.peak_reserved.bytes));
  add_line(text, "out of memory", std::to_string(device.failures.size()) + " requests");
  return text;
}

std::string memory_text(const DriverMemory& memory) {
  std::string text = "\nmemory by the driver's own count\n";
  add_line(text, "peak used", format_bytes(difference(memory.free_at_start, memory.least_free)));
  add_line(text, "free at the start",
           format_bytes(memory.free_at_start) + " of " + format_bytes(memory.total));
  add_line(text, "free at the end", format_bytes(memory.free_at_end));
  const Bytes gone = difference(memory.free_at_start, memory.free_at_end);
  const Bytes come = difference(memory.free_at_end, memory.free_at_start);
  if (gone.count + come.count > 0)
    add_line(text, "noise",
             "other programs or the driver itself " +
                 std::string(gone.count > 0 ? "took " : "released ") + format_bytes(gone + come) +
                 " meanwhile: the peak is off by as much");
  return text;
}

std::string bytes_cell(Bytes bytes) { return bytes.count == 0 ? "-" : format_bytes(bytes); }

std::string calls_text(const std::vector<DriverCallRow>& rows) {
  Table table({left("call", 28),
               {"up to", 10},
               {"count", 10},
               {"median", 10},
               {"p95", 10},
               {"max", 10},
               left("")});
  for (const DriverCallRow& row : rows)
    table.add({std::string(driver_call_name(row.kind)), bytes_cell(row.up_to),
               std::to_string(row.count), nanoseconds_text(row.median_ns),
               nanoseconds_text(row.p95_ns), nanoseconds_text(row.max_ns),
               row.failed > 0 ? std::to_string(row.failed) + " refused" : ""});
  return table.text("");
}

}  // namespace

bool LiveOutcome::is_same() const {
  return std::none_of(comparisons.begin(), comparisons.end(),
                      [](const DecisionComparison& one) { return one.difference.has_value(); });
}

std::string live_text(const LiveOutcome& outcome) {
  std::string text = outcome.file + "\n";
  add_line(text, "GPU", gpu_text(outcome.gpu));
  add_line(text, "reference", outcome.report.reference);
  add_line(text, "options", outcome.report.options.empty() ? "none" : outcome.report.options);
  add_line(text, "events", std::to_string(outcome.report.events));
  if (outcome.report.stopped_at)
    add_line(text, "stopped", "at event " + std::to_string(*outcome.report.stopped_at));
  for (const std::string& note : outcome.report.notes) add_line(text, "note", note);
  for (const replay::DeviceReport& device : outcome.report.devices)
    text += device_text(outcome, device);
  text += memory_text(outcome.memory);
  return text + "\n" + calls_text(outcome.calls);
}

std::string calibration_text(const Calibration& calibration) {
  return gpu_text(calibration.gpu) + ", " + calibration.date + "\n" + calls_text(calibration.calls);
}

}  // namespace vramlab::tools
