// What a replay of a recorded history assumes, as sentences.
#include "replay/replayer/history_program.h"

namespace vramlab::replay {
namespace {

/// Collected garbage shows that there was a limit, and mostly which.
bool has_garbage(const DeviceFidelity& fidelity) {
  const Inferences& inferred = fidelity.inferred;
  return inferred.garbage_collections + inferred.garbage_shaped > 0;
}

}  // namespace

std::vector<std::string> notes_on(const HistoryProgram& history, const ReplayConditions& conditions,
                                  const allocator::Settings& settings) {
  std::vector<std::string> notes;
  const std::string device = "device " + std::to_string(history.device.value) + ": ";
  const DeviceFidelity& fidelity = history.fidelity;
  if (fidelity.label != FidelityLabel::exact)
    notes.push_back(device + "following the recording was " +
                    std::string(fidelity_label_name(fidelity.label)) +
                    " (vramlab verify says where), so this replay is guessed");
  if (!conditions.options)
    for (const std::string& change : fidelity.settings_changes) notes.push_back(device + change);
  const bool is_native = settings.backend == allocator::Backend::native;
  if (!history.part.start.empty())
    notes.push_back(device + (is_native
                                  ? "memory from before the recording keeps its recorded layout"
                                  : "memory from before the recording is requested first"));
  if (history.unmatched_frees > 0)
    notes.push_back(device + std::to_string(history.unmatched_frees) +
                    " frees of unknown blocks are left out");
  if (history.failed_requests > 0)
    notes.push_back(device + std::to_string(history.failed_requests) +
                    " requests failed in the recorded run: they are tried, and freed at once if "
                    "they succeed");
  const bool was_short = fidelity.inferred.oversize_releases +
                             fidelity.inferred.release_all_or_empty_cache +
                             fidelity.inferred.out_of_memory >
                         0;
  if (was_short && !conditions.memory && !is_as_recorded(conditions))
    notes.push_back(device +
                    "memory may have been short in the recorded run: --device-memory sets how "
                    "much the device has");
  if (history.emptied_in_vain > 0 && !is_as_recorded(conditions))
    notes.push_back(device + std::to_string(history.emptied_in_vain) +
                    " calls of empty_cache that released nothing are guessed from the rhythm of "
                    "the others");
  if (history.has_threads && !is_as_recorded(conditions))
    notes.push_back(device +
                    "requests come from threads of the program, in the order of the recorded run: "
                    "under other conditions the threads may take other turns (guessed)");
  if (conditions.memory_fraction) return notes;
  if (fidelity.allowed && conditions.memory)
    notes.push_back(device +
                    "garbage was collected in the recorded run, under a memory fraction: give it "
                    "with --memory-fraction, as its share of another device is not known");
  else if (fidelity.allowed)
    notes.push_back(device +
                    "a memory fraction is guessed: the garbage collected in the recorded run "
                    "shows that it allowed between " +
                    format_bytes(fidelity.allowed->at_least) + " and " +
                    format_bytes(fidelity.allowed->at_most));
  else if (has_garbage(fidelity))
    notes.push_back(device +
                    "garbage was collected in the recorded run, under a memory fraction that the "
                    "file does not contain: without --memory-fraction and --device-memory, more "
                    "memory stays cached here, and more requests may fail");
  return notes;
}

}  // namespace vramlab::replay
