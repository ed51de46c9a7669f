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
    {"allocator/types", {}},
    {"allocator/options", {"allocator/types"}},
    {"allocator/blocks", {"allocator/options", "allocator/types"}},
    {"allocator/listeners", {"allocator/blocks", "allocator/types"}},
    {"allocator/policy",
     {"allocator/listeners", "allocator/blocks", "allocator/options", "allocator/types"}},
    {"allocator",
     {"allocator/policy", "allocator/listeners", "allocator/blocks", "allocator/options",
      "allocator/types"}},
    {"allocator/checks",
     {"allocator", "allocator/policy", "allocator/listeners", "allocator/blocks",
      "allocator/options", "allocator/types"}},
    {"allocator/pinned", {"allocator/options", "allocator/types"}},

    {"streams/cuda_interface", {}},
    {"streams/memory", {}},
    {"streams/stream_model", {}},
    {"streams/happens_before", {"streams/stream_model"}},
    {"streams/device", {"streams/memory", "streams/stream_model"}},
    {"streams/ordered_pool", {"streams/memory", "streams/happens_before", "streams/stream_model"}},
    {"streams/hazards", {"streams/memory", "streams/happens_before", "streams/stream_model"}},
    {"streams/live", {"streams/cuda_interface", "streams/device", "streams/stream_model"}},

    {"traces/io", {}},
    {"traces/model", {"traces/model"}},
    {"traces/model", {"traces/io"}},
    {"traces/json", {"traces/model", "traces/io"}},
    {"traces/pickle", {"traces/model", "traces/io"}},
    {"traces/native", {"traces/json", "traces/model", "traces/io"}},
    {"traces/logs", {"traces/json", "traces/model", "traces/io"}},
    {"traces/cases", {"traces/json", "traces/model", "traces/io", "traces/model"}},
    {"traces/filters", {"traces/model", "traces/io"}},
    {"traces/workloads", {"traces/model", "traces/io"}},
    {"traces/formats",
     {"traces/filters", "traces/logs", "traces/native", "traces/pickle", "traces/json",
      "traces/model", "traces/io"}},

    {"replay/metrics", {}},
    {"replay/recording", {"replay/metrics"}},
    {"replay/replayer", {}},
    {"replay/replayer", {}},
    {"replay/bench", {}},
    {"replay/metrics", {"replay/metrics"}},
    {"replay/recording", {"replay/recording"}},
    {"replay/call_sites", {"replay/recording", "replay/metrics"}},
    {"replay/conformance", {"replay/replayer", "replay/replayer"}},
    {"replay/replayer",
     {"replay/replayer", "replay/replayer", "replay/recording", "replay/metrics"}},
    {"replay/replayer",
     {"replay/replayer", "replay/replayer", "replay/replayer", "replay/recording",
      "replay/recording", "replay/metrics", "replay/metrics"}},
    {"replay/recording",
     {"replay/replayer", "replay/replayer", "replay/metrics", "replay/recording",
      "replay/recording", "replay/metrics"}},
    {"replay/replayer",
     {"replay/replayer", "replay/recording", "replay/metrics", "replay/metrics"}},
    {"replay/stream_waits",
     {"replay/replayer", "replay/recording", "replay/recording", "replay/metrics"}},
    {"replay/timeline",
     {"replay/replayer", "replay/recording", "replay/recording", "replay/metrics"}},
    {"replay/stream_waits",
     {"replay/stream_waits", "replay/replayer", "replay/replayer", "replay/metrics"}},
    {"replay/conformance",
     {"replay/conformance", "replay/replayer", "replay/replayer", "replay/replayer",
      "replay/metrics"}},
    {"replay/compare",
     {"replay/call_sites", "replay/recording", "replay/replayer", "replay/replayer",
      "replay/recording", "replay/recording", "replay/metrics"}},
    {"replay/settings_search", {"replay/replayer", "replay/replayer", "replay/metrics"}},
    {"replay/packing",
     {"replay/call_sites", "replay/replayer", "replay/recording", "replay/metrics"}},
    {"replay/html_report",
     {"replay/packing", "replay/timeline", "replay/metrics", "replay/recording", "replay/recording",
      "replay/metrics"}},
    {"replay/packing", {"replay/packing", "replay/metrics"}},

    {"tools/preload/names", {}},
    {"tools/cli/printers", {}},
    {"tools/cli/kit/messages", {"tools/cli/printers"}},
    {"tools/cli/kit", {"tools/cli/kit/messages", "tools/cli/printers"}},
    {"tools/web/page", {"tools/cli/kit"}},
    {"tools/cli/commands", {"tools/cli/kit", "tools/preload/names", "tools/cli/printers"}},
    {"tools/cli/commands/advise",
     {"tools/cli/commands/pack", "tools/cli/commands/sweep", "tools/cli/kit",
      "tools/cli/printers"}},
    {"tools/cli/commands/capacity",
     {"tools/cli/commands/pack", "tools/cli/kit", "tools/cli/printers"}},
    {"tools/cli/commands/dry_run",
     {"tools/cli/commands/report", "tools/cli/kit", "tools/preload/names", "tools/cli/printers"}},
    {"tools/cli/commands/pack", {"tools/cli/kit", "tools/cli/printers"}},
    {"tools/cli/commands/policies",
     {"tools/cli/commands/pack", "tools/cli/kit", "tools/cli/printers"}},
    {"tools/cli/commands/record", {"tools/cli/kit", "tools/preload/names"}},
    {"tools/cli/commands/report", {"tools/cli/kit", "tools/cli/printers"}},
    {"tools/cli/commands/sweep", {"tools/cli/kit", "tools/cli/printers"}},
    {"tools/packaging/completions", {}},
    {"tools/packaging", {}},
    {"tools/packaging/old_libc", {}},
    {"tools/packaging/old_libc/functions", {"tools/packaging/old_libc"}},
    {"tools/packaging/old_libc/dlsym", {"tools/packaging/old_libc"}},
    {"tools/packaging/old_libc/start", {}},
    {"tools/preload/ground", {"tools/preload/names"}},
    {"tools/preload/driver", {"tools/preload/ground"}},
    {"tools/preload/recorder", {"tools/preload/driver", "tools/preload/ground"}},
    {"tools/preload/segments", {}},
    {"tools/preload/shim",
     {"tools/preload/names", "tools/preload/segments", "tools/preload/ground"}},
    {"tools/preload/exports",
     {"tools/preload/shim", "tools/preload/recorder", "tools/preload/driver",
      "tools/preload/ground"}},
    {"tools/pytorch", {}},
    {"tools/cuda_standins", {"tools/cli/kit", "tools/cli/printers"}},
    {"tools/cuda_standins/code", {}},
    {"tools/cuda_standins/model", {"tools/cuda_standins/code"}},
    {"tools/cuda_standins/notes", {}},
    {"tools/cuda_standins/driver",
     {"tools/cuda_standins/model", "tools/cuda_standins/notes", "tools/cuda_standins/code"}},
    {"tools/cuda_standins/process",
     {"tools/cuda_standins/driver", "tools/cuda_standins/model", "tools/cuda_standins/notes",
      "tools/cuda_standins/code"}},
    {"tools/cuda_standins/libraries", {"tools/cuda_standins/libraries/kit"}},
    {"tools/cuda_standins/libraries/kit", {}},
    {"tools/cuda_standins/runtime", {"tools/cuda_standins/code"}},
    {"tools/cuda_standins/runtime/v12", {"tools/cuda_standins/runtime"}},
    {"tools/cuda_standins/runtime/v13", {"tools/cuda_standins/runtime"}},
    {"tools/cuda_standins/smi", {}},
    {"tools/python", {}},
    {"tools", {"tools/cli/kit", "tools/cli/kit/messages"}},

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
inline const std::set<std::string_view> allocator_value_rooms = {"allocator/types",
                                                                 "allocator/options"};
inline const std::set<std::string_view> no_value_headers = {"allocator/types/device.h"};

inline constexpr std::size_t most_files_of_a_room = 40;

/// Sources that CMake names: programs of one file each that are linked differently, and what is
/// compiled in another way.
inline const std::map<std::string_view, std::set<std::string_view>> sources_named_in_cmake = {
    {"tests/CMakeLists.txt", {"test_headers.cpp"}},
    {"tests/cuda_standins/model/CMakeLists.txt",
     {"kernel_answers.cpp", "kernel_writes.cpp", "remembered_bytes.cpp"}},
    {"tests/cuda_standins/runtime/CMakeLists.txt", {"calls.cpp"}},
    {"tests/gpu/CMakeLists.txt", {"gpu_program_run.cpp", "stand_in_cuda.cpp", "gpu_work.cu"}},
    {"tests/preload/CMakeLists.txt",
     {"direct.cpp", "taking.cpp", "meeting.cpp", "rows.cpp", "sanitized.cpp", "recorded.cpp",
      "reporting.cpp", "loading.cpp", "scene_library.cpp", "allocating_library.cpp",
      "wrapping_preload.cpp", "asking_preload.cpp", "entry_points.cpp", "runtime.cpp"}},
    {"tools/cuda_standins/CMakeLists.txt", {"driver_functions.cpp"}},
};

}  // namespace vramlab::tests
