// The summary for programs (docs/reference/schemas/dry-run.schema.json).
#include <nlohmann/json.hpp>

#include "tools/cli/commands/dry_run/dry_run_outcome.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

ordered_json failure_json(const FoundFailure& failure) {
  return {{"event", failure.event},
          {"requested_bytes", failure.requested.count},
          {"place", text_or_null(failure.place)}};
}

ordered_json device_json(const DeviceFindings& device) {
  return {{"device", device.device},
          {"label", fidelity_label_name(device.label)},
          {"metrics", metrics_json(device.metrics)},
          {"failures", device.failures},
          {"first_failure", or_null(device.first_failure, failure_json)},
          {"holder", text_or_null(device.holder)},
          {"held_bytes", device.held.count},
          {"allocated_at_peak_bytes", device.allocated_at_peak.count}};
}

ordered_json place_json(const NotedPlace& place) {
  return {{"place", place.place}, {"count", place.count}};
}

ordered_json note_json(const Note& note) {
  return {{"kind", note.kind},
          {"subject", note.subject},
          {"count", note.count},
          {"places", json_list(note.places, place_json)}};
}

ordered_json python_json(const PythonNotes& python) {
  return {{"torch", text_or_null(python.torch)},
          {"torch_cuda", text_or_null(python.torch_cuda)},
          {"cuda_came_up", python.cuda_came_up},
          {"rank", text_or_null(python.rank)},
          {"steps", python.steps},
          {"ended_after_steps", python.ended_after_steps},
          {"missing_functions", python.missing_functions},
          {"troubles", python.troubles}};
}

ordered_json gpu_json(const NotedGpu& gpu) {
  return {{"index", gpu.index}, {"peak_used_bytes", gpu.peak_used_bytes}};
}

ordered_json pinned_json(const NotedPinned& pinned) {
  const auto call_json = [](const NotedPinnedCall& call) {
    return ordered_json{{"call", call.call}, {"bytes", call.bytes}};
  };
  return {{"peak_bytes", pinned.peak_bytes},
          {"count", pinned.count},
          {"calls", json_list(pinned.calls, call_json)}};
}

ordered_json process_json(const DryRunProcess& process) {
  return {{"process", process.notes.process},
          {"program", process.notes.program},
          {"history", text_or_null(process.history)},
          {"used_driver", process.notes.has_driver_notes},
          {"python", or_null(process.notes.python, python_json)},
          {"devices", json_list(process.findings.devices, device_json)},
          {"driver", json_list(process.notes.gpus, gpu_json)},
          {"pinned", pinned_json(process.notes.pinned)},
          {"notes", json_list(process.notes.notes, note_json)}};
}

ordered_json advice_json(const FoundAdvice& advice) {
  const bool is_exact = advice.trust == replay::Trust::exact;
  return {{"conf", advice.conf},
          {"peak_reserved", advice.peak_reserved.count},
          {"recorded_peak_reserved", advice.recorded_peak_reserved.count},
          {"trust", is_exact                                  ? "exact"
                    : advice.trust == replay::Trust::modelled ? "modelled"
                                                              : "guessed"}};
}

ordered_json rank_json(const RankEnd& end) {
  return {{"rank", end.rank}, {"exit_status", end.status}};
}

ordered_json limit_json(const BrokenLimit& limit) {
  return {{"limit", limit.text}, {"process", limit.process}, {"value", limit.value}};
}

ordered_json smallest_json(const SmallestGpu& smallest) {
  if (smallest.gpu == nullptr) return {{"name", nullptr}, {"available_bytes", nullptr}};
  return {{"name", smallest.gpu->name}, {"available_bytes", smallest.gpu->available().count}};
}

}  // namespace

std::string dry_run_json(const DryRunOutcome& outcome, const DryRunArguments& arguments) {
  return json_text({{"schema_version", 1},
                    {"program", arguments.program},
                    {"exit_status", outcome.status},
                    {"gpu", arguments.gpu.empty() ? usual_gpu : arguments.gpu},
                    {"gpus", arguments.gpu_count},
                    {"device_memory", or_null(arguments.memory())},
                    {"held_by_others", arguments.held_by_others.value_or(0)},
                    {"conf", or_null(arguments.conf)},
                    {"out_of_memory", outcome.ran_out_of_memory()},
                    {"ranks", json_list(outcome.ranks, rank_json)},
                    {"processes", json_list(outcome.processes, process_json)},
                    {"smallest_gpu", or_null(outcome.smallest, smallest_json)},
                    {"advice", or_null(outcome.advice, advice_json)},
                    {"broken_limits", json_list(outcome.broken, limit_json)},
                    {"troubles", outcome.troubles}});
}

}  // namespace vramlab::tools
