// Recordings read once and replayed under many settings side by side: what `sweep`, `advise` and
// `capacity` have in common.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "replay/run/recording.h"
#include "replay/whatif/sweep_row.h"
#include "tools/kit/replay_arguments.h"

namespace vramlab::tools {

/// Side by side where there are several. Throws InputError.
std::vector<replay::Recording> load_recordings(const std::vector<std::string>& files,
                                               const ReplayArguments& arguments,
                                               const CommonFlags& flags, std::size_t threads);

replay::Recording load_recording(traces::OpenBytes bytes, const ReplayArguments& arguments);

/// Each setting on each recording, on so many threads at most. In the order of the settings. What
/// the version refuses, or what cannot be replayed, is a refused row.
std::vector<replay::SweepRow> run_settings(const std::vector<replay::Recording>& recordings,
                                           const std::vector<replay::AskedSetting>& settings,
                                           const replay::ReplayConditions& conditions,
                                           std::size_t threads);

/// The conditions in words of the command line; empty where there are none.
std::string conditions_text(const ReplayArguments& arguments);

/// As many as there are cores.
std::size_t usual_thread_count();

/// Calls `run` once with each number below `count`, on so many threads at most. Which thread runs
/// which is left open, so a task keeps its result under its number. The first error is thrown again
/// once all threads have ended; what was not begun by then is left out.
void run_tasks(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& run);

}  // namespace vramlab::tools
