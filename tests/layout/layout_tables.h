// The tables of the layout test: the only lines to touch when a file or an arrow is added.
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

/// The part of allocator/ that traces/ may see: values without behaviour of their own.
inline const std::set<std::string_view> allocator_value_headers = {
    "allocator_error", "allocator_event", "bytes",
    "check",           "checkpoint",      "ids",
    "malloc_result",   "pool_traits",     "reference_version",
    "settings",        "snapshot",        "statistic_values",
};

/// Headers outside the standard library that allocator/ may include.
inline const std::set<std::string_view> allocator_foreign_headers = {};

enum class Level { words, shapes, policy, door };

/// The levels of allocator/, by file name without ending: a file includes its own level or a lower
/// one. The read-only side (statistics, snapshots, the checker) stands beside the door.
inline const std::map<std::string_view, Level> allocator_levels = {
    {"allocator_error", Level::words},
    {"allocator_event", Level::words},
    {"bytes", Level::words},
    {"check", Level::words},
    {"checkpoint", Level::words},
    {"device", Level::words},
    {"directed", Level::words},
    {"id_names", Level::words},
    {"ids", Level::words},
    {"malloc_result", Level::words},
    {"option_reader", Level::words},
    {"option_table", Level::words},
    {"option_tokens", Level::words},
    {"pool_traits", Level::words},
    {"reference_version", Level::words},
    {"rounding_list", Level::words},
    {"settings", Level::words},
    {"settings_passes", Level::words},
    {"settings_single_pass", Level::words},
    {"settings_three_passes", Level::words},
    {"size_margin", Level::words},
    {"size_rules", Level::words},
    {"snapshot", Level::words},
    {"statistic_values", Level::words},
    {"address_map", Level::shapes},
    {"block", Level::shapes},
    {"block_arena", Level::shapes},
    {"block_chain", Level::shapes},
    {"capture_scopes", Level::shapes},
    {"core", Level::shapes},
    {"entry_run", Level::shapes},
    {"free_blocks", Level::shapes},
    {"lane", Level::shapes},
    {"listeners", Level::shapes},
    {"pool", Level::shapes},
    {"segment", Level::shapes},
    {"stream_uses", Level::shapes},
    {"complete_free", Level::policy},
    {"cross_stream_frees", Level::policy},
    {"expandable_segments", Level::policy},
    {"reclaim", Level::policy},
    {"segment_source", Level::policy},
    {"caching_allocator", Level::door},
    {"caching_allocator_checkpoints", Level::door},
    {"caching_allocator_pools", Level::door},
    {"caching_allocator_replay", Level::door},
    {"caching_allocator_requests", Level::door},
    {"caching_allocator_snapshot", Level::door},
    {"consistency", Level::door},
    {"history", Level::door},
    {"out_of_memory", Level::door},
    {"statistics", Level::door},
};

/// Sources that start threads. The thread sanitizer runs tests/threads and the tests of the
/// program, so a library that starts one needs a test there; check.sh names what else it runs. What
/// runs on a GPU has no sanitizer.
inline const std::set<std::string_view> sources_with_threads = {
    "tests/fake_cuda/programs/threads.cpp",
    "tests/fake_cuda/tests/fake_threads_test.cpp",
    "tests/gpu/host_threads.h",
    "tests/gpu/watchdog.h",
    "tests/live/torch/torch_threads_test.cpp",
    "tests/preload/programs/direct.cpp",
    "tests/shim/programs/shim_bench.cpp",
    "tests/shim/shim_expandable_threads_test.cpp",
    "tests/shim/programs/shim_soak.cpp",
    "tests/shim/shim_threads_test.cpp",
    "tools/commands/conform/conform_command.cpp",
    "tools/kit/parallel_tasks.cpp",
    "tools/kit/removal_on_interrupt.h",
};
/// Tests may start them there.
inline constexpr std::string_view threaded_tests = "tests/threads/";

/// Where tests get a folder of their own: what runs at once must not meet in one file.
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
