// The tables of the layout test; those of rooms are in room_tables.h.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>

namespace vramlab::tests {

/// What each folder may include besides itself. tests/ may include everything.
inline const std::map<std::string_view, std::set<std::string_view>> allowed_arrows = {
    {"allocator", {}},
    {"streams", {"allocator"}},
    {"traces", {"allocator"}},
    {"replay", {"streams", "traces", "allocator"}},
    {"tools", {"replay", "streams", "traces", "allocator"}},
};

/// Headers outside the standard library that allocator/ may include.
inline const std::set<std::string_view> allocator_foreign_headers = {};

/// Sources that start threads. The thread sanitizer runs tests/threads and the tests of the
/// program, so a library that starts one needs a test there; check.sh names what else it runs. What
/// runs on a GPU has no sanitizer.
inline const std::set<std::string_view> sources_with_threads = {
    "tests/cuda_standins/runtime/threads_test.cpp",
    "tests/fake_cuda/programs/threads.cpp",
    "tests/fake_cuda/tests/fake_threads_test.cpp",
    "tests/gpu/host_threads.h",
    "tests/gpu/watchdog.h",
    "tests/live/torch/torch_threads_test.cpp",
    "tests/preload/programs/direct.cpp",
    "tests/preload/programs/reporting.cpp",
    "tests/shim/mix/mixed_contexts.cpp",
    "tests/shim/mix/mixed_round.cpp",
    "tests/shim/programs/shim_bench.cpp",
    "tests/preload/programs/allocating_library.cpp",
    "tests/shim/shim_expandable_threads_test.cpp",
    "tests/shim/programs/shim_soak.cpp",
    "tests/shim/shim_history_stacks_test.cpp",
    "tests/shim/shim_running_ahead_test.cpp",
    "tests/shim/shim_threads_test.cpp",
    "tools/cli/kit/interrupts.h",
    "tools/cli/kit/what_if_runs.cpp",
};
/// Tests may start them there.
inline constexpr std::string_view threaded_tests = "tests/threads/";

/// Tests get a folder of their own here: what runs at once must not meet in one file.
inline constexpr std::string_view home_of_test_files = "tests/support/kit/own_folder.h";

/// What gives a std::ranges::subrange: clang 14, which lint and fuzzing use, can't compile that of
/// this library (GCC 12's).
inline constexpr std::array<std::string_view, 11> clang_refuses = {
    "ranges::subrange",         "ranges::equal_range", "ranges::search(",   "ranges::find_end",
    "ranges::unique(",          "ranges::remove(",     "ranges::remove_if", "ranges::partition(",
    "ranges::stable_partition", "ranges::rotate(",     "std::views",
};

inline constexpr std::size_t most_lines_of_a_file = 400;
inline constexpr std::size_t most_lines_of_a_readme = 30;

}  // namespace vramlab::tests
