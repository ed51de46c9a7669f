// The rooms of the house: which there are, and what each may include. A room is a folder; a new one
// gets a row here and a README of its own.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string_view>

namespace vramlab::tests {

/// From each room to the rooms of its own folder that it may include besides itself; what a folder
/// may include of others is said in layout_tables.h. A folder below a room has the room's row,
/// unless it has one of its own.
using RoomArrows = std::map<std::string_view, std::set<std::string_view>>;

inline const RoomArrows allowed_rooms = {
    {"allocator/words", {}},
    {"allocator/options", {"allocator/words"}},
    {"allocator/shapes", {"allocator/options", "allocator/words"}},
    {"allocator/listeners", {"allocator/shapes", "allocator/words"}},
    {"allocator/policy",
     {"allocator/listeners", "allocator/shapes", "allocator/options", "allocator/words"}},
    {"allocator/door",
     {"allocator/policy", "allocator/listeners", "allocator/shapes", "allocator/options",
      "allocator/words"}},
    {"allocator/readonly",
     {"allocator/door", "allocator/policy", "allocator/listeners", "allocator/shapes",
      "allocator/options", "allocator/words"}},
    {"allocator/host", {"allocator/options", "allocator/words"}},

    {"streams/cuda_interface", {}},
    {"streams/memory", {}},
    {"streams/time", {}},
    {"streams/order", {"streams/time"}},
    {"streams/device", {"streams/memory", "streams/time"}},
    {"streams/ordered_pool", {"streams/memory", "streams/order", "streams/time"}},
    {"streams/hazards", {"streams/memory", "streams/order", "streams/time"}},
    {"streams/live", {"streams/cuda_interface", "streams/device", "streams/time"}},

    {"traces/files", {}},
    {"traces/calls", {"traces/values"}},
    {"traces/values", {"traces/files"}},
    {"traces/json", {"traces/values", "traces/files"}},
    {"traces/pickle", {"traces/values", "traces/files"}},
    {"traces/native", {"traces/json", "traces/values", "traces/files"}},
    {"traces/logs", {"traces/json", "traces/values", "traces/files"}},
    {"traces/cases", {"traces/json", "traces/values", "traces/files", "traces/calls"}},
    {"traces/filters", {"traces/values", "traces/files"}},
    {"traces/workloads", {"traces/values", "traces/files"}},
    {"traces/formats",
     {"traces/filters", "traces/logs", "traces/native", "traces/pickle", "traces/json",
      "traces/values", "traces/files"}},

    {"replay/figures", {}},
    {"replay/history", {"replay/figures"}},
    {"replay/runner", {}},
    {"replay/devices", {}},
    {"replay/bench", {}},
    {"replay/state", {"replay/figures"}},
    {"replay/follow", {"replay/history"}},
    {"replay/holders", {"replay/history", "replay/figures"}},
    {"replay/cases", {"replay/devices", "replay/runner"}},
    {"replay/host", {"replay/devices", "replay/runner", "replay/history", "replay/figures"}},
    {"replay/run",
     {"replay/host", "replay/devices", "replay/runner", "replay/follow", "replay/history",
      "replay/state", "replay/figures"}},
    {"replay/moments",
     {"replay/run", "replay/host", "replay/state", "replay/follow", "replay/history",
      "replay/figures"}},
    {"replay/steps", {"replay/run", "replay/history", "replay/state", "replay/figures"}},
    {"replay/waiting", {"replay/run", "replay/follow", "replay/history", "replay/figures"}},
    {"replay/timeline", {"replay/run", "replay/follow", "replay/history", "replay/figures"}},
    {"replay/hazards", {"replay/waiting", "replay/run", "replay/devices", "replay/figures"}},
    {"replay/live",
     {"replay/cases", "replay/run", "replay/devices", "replay/runner", "replay/figures"}},
    {"replay/compare",
     {"replay/holders", "replay/moments", "replay/run", "replay/host", "replay/follow",
      "replay/history", "replay/figures"}},
    {"replay/whatif", {"replay/run", "replay/host", "replay/figures"}},
    {"replay/packing", {"replay/holders", "replay/run", "replay/history", "replay/figures"}},
    {"replay/page",
     {"replay/packing", "replay/timeline", "replay/state", "replay/follow", "replay/history",
      "replay/figures"}},
    {"replay/policies", {"replay/packing", "replay/figures"}},

    {"tools/names", {}},
    {"tools/printers", {}},
    {"tools/kit/messages", {"tools/printers"}},
    {"tools/kit", {"tools/kit/messages", "tools/printers"}},
    {"tools/page", {"tools/kit"}},
    {"tools/commands", {"tools/kit", "tools/names", "tools/printers"}},
    {"tools/commands/advise",
     {"tools/commands/pack", "tools/commands/sweep", "tools/kit", "tools/printers"}},
    {"tools/commands/capacity", {"tools/commands/pack", "tools/kit", "tools/printers"}},
    {"tools/commands/dry_run",
     {"tools/commands/report", "tools/kit", "tools/names", "tools/printers"}},
    {"tools/commands/pack", {"tools/kit", "tools/printers"}},
    {"tools/commands/policies", {"tools/commands/pack", "tools/kit", "tools/printers"}},
    {"tools/commands/record", {"tools/kit", "tools/names"}},
    {"tools/commands/report", {"tools/kit", "tools/printers"}},
    {"tools/commands/sweep", {"tools/kit", "tools/printers"}},
    {"tools/completions", {}},
    {"tools/packaging", {}},
    {"tools/old_libc", {}},
    {"tools/old_libc/functions", {"tools/old_libc"}},
    {"tools/old_libc/dlsym", {"tools/old_libc"}},
    {"tools/old_libc/start", {}},
    {"tools/preload/ground", {"tools/names"}},
    {"tools/preload/driver", {"tools/preload/ground"}},
    {"tools/preload/recorder", {"tools/preload/driver", "tools/preload/ground"}},
    {"tools/preload/segments", {}},
    {"tools/preload/shim", {"tools/names", "tools/preload/segments", "tools/preload/ground"}},
    {"tools/preload/exports",
     {"tools/preload/shim", "tools/preload/recorder", "tools/preload/driver",
      "tools/preload/ground"}},
    {"tools/pytorch", {}},
    {"tools/dry_run", {"tools/kit", "tools/printers"}},
    {"tools/dry_run/code", {}},
    {"tools/dry_run/model", {"tools/dry_run/code"}},
    {"tools/dry_run/notes", {}},
    {"tools/dry_run/driver", {"tools/dry_run/model", "tools/dry_run/notes", "tools/dry_run/code"}},
    {"tools/dry_run/process",
     {"tools/dry_run/driver", "tools/dry_run/model", "tools/dry_run/notes", "tools/dry_run/code"}},
    {"tools/dry_run/libraries", {"tools/dry_run/libraries/kit"}},
    {"tools/dry_run/libraries/kit", {}},
    {"tools/dry_run/runtime", {"tools/dry_run/code"}},
    {"tools/dry_run/runtime/v12", {"tools/dry_run/runtime"}},
    {"tools/dry_run/runtime/v13", {"tools/dry_run/runtime"}},
    {"tools/dry_run/smi", {}},
    {"tools/python", {}},
    {"tools", {"tools/kit", "tools/kit/messages"}},

    {"tests/support/processes", {}},
    {"tests/support/kit", {"tests/support/processes"}},
    {"tests/support/devices", {"tests/support/kit"}},
    {"tests/support/programs", {"tests/support/kit"}},
    {"tests/support/twin", {"tests/support/programs", "tests/support/kit"}},
    {"tests/support/naive",
     {"tests/support/programs", "tests/support/devices", "tests/support/kit"}},
    {"tests/support/cases", {"tests/support/programs", "tests/support/kit"}},
    {"tests/support/recordings", {"tests/support/kit", "tests/support/processes"}},
    {"tests/support/fuzz", {"tests/support/kit"}},
};

/// The part of allocator/ that traces/ may see: values without behaviour of their own. Of these
/// rooms all headers but some.
inline const std::set<std::string_view> allocator_value_rooms = {"allocator/words",
                                                                 "allocator/options"};
inline const std::set<std::string_view> no_value_headers = {"allocator/words/device.h"};

inline constexpr std::size_t most_files_of_a_room = 40;

/// Sources that CMake names: programs of one file each that are linked differently, and what is
/// compiled in another way.
inline const std::map<std::string_view, std::set<std::string_view>> sources_named_in_cmake = {
    {"tests/CMakeLists.txt", {"test_headers.cpp"}},
    {"tests/dry_run/model/CMakeLists.txt",
     {"kernel_answers.cpp", "kernel_writes.cpp", "remembered_bytes.cpp"}},
    {"tests/dry_run/runtime/CMakeLists.txt", {"calls.cpp"}},
    {"tests/gpu/CMakeLists.txt", {"gpu_program_run.cpp", "stand_in_cuda.cpp", "gpu_work.cu"}},
    {"tests/preload/CMakeLists.txt",
     {"direct.cpp", "taking.cpp", "meeting.cpp", "rows.cpp", "sanitized.cpp", "recorded.cpp",
      "reporting.cpp", "loading.cpp", "scene_library.cpp", "allocating_library.cpp",
      "wrapping_preload.cpp", "asking_preload.cpp", "entry_points.cpp", "runtime.cpp"}},
    {"tools/dry_run/CMakeLists.txt", {"driver_functions.cpp"}},
};

}  // namespace vramlab::tests
