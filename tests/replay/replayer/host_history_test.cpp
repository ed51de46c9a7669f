// A recorded history of pinned memory as a program: what it asks for, which frees wait, when the
// cache was emptied; and that a replay of it makes the recorded calls.
#include "replay/recording/pinned_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/recording/pinned_history.h"
#include "replay/replayer/pinned_replay.h"
#include "tests/support/kit/memory_source.h"
#include "traces/native/native_text.h"

namespace vramlab::replay {
namespace {

using testing::ElementsAre;

std::string entry(const std::string& action, int address, int size) {
  return "{\"action\":\"" + action + "\",\"addr\":" + std::to_string(address) +
         ",\"size\":" + std::to_string(size) + ",\"stream\":0,\"time_us\":3},";
}

struct Read {
  traces::SnapshotTables tables;
  HostHistory history;
};

std::unique_ptr<Read> read(std::string entries, const std::string& segments = "") {
  entries.pop_back();
  auto result = std::make_unique<Read>();
  HistoryCollector collector;
  traces::ProgramCounter program;
  const auto source = support::make_memory_source(
      "{\"format\":\"vramlab-trace\",\"version\":1}\n{\"unknown_section\":[" + segments +
      "],\"key\":\"host_segments\"}\n{\"unknown_section\":[" + entries +
      "],\"key\":\"host_traces\"}\n");
  read_native_text(*source, "file", result->tables, {collector, program});
  const RecordedHistory host = host_history_in(collector.take(), result->tables);
  result->history = host_history_of(host.devices.at(0));
  return result;
}

std::vector<std::string> names_of(const HostHistory& history) {
  std::vector<std::string> names;
  for (const traces::ProgramEvent& event : history.events)
    names.emplace_back(program_event_name(event.kind));
  return names;
}

std::vector<std::string> replayed_calls(const Read& read, const char* options) {
  const ReferenceVersion& version = *allocator::find_reference_version("2.14");
  Settings settings = parse_settings({}, options, version).settings;
  settings.pinned_max_round_threshold = {};
  HostReplay replay({version, settings});
  for (std::size_t i = 0; i < read.history.events.size(); ++i)
    replay.apply(read.history.events[i], i, read.tables.texts);
  std::vector<std::string> calls;
  for (const HostCallAt& made : replay.report().calls)
    calls.push_back(std::string(host_system_action_name(made.call.action)) + " " +
                    std::to_string(made.call.size.count));
  return calls;
}

TEST(HostHistories, a_free_that_completes_at_once_waits_for_nothing) {
  const auto file = read(entry("segment_alloc", 4096, 1024) + entry("alloc", 4096, 1024) +
                         entry("free_requested", 4096, 1024) + entry("free_completed", 4096, 1024) +
                         entry("alloc", 4096, 1024));
  EXPECT_THAT(names_of(file->history),
              ElementsAre("host_malloc", "host_free", "stream_done", "host_malloc"));
  EXPECT_THAT(replayed_calls(*file, ""), ElementsAre("host_alloc 1024"));
}

TEST(HostHistories, a_free_that_completes_later_waits_until_then) {
  const auto file = read(entry("segment_alloc", 4096, 1024) + entry("alloc", 4096, 1024) +
                         entry("free_requested", 4096, 1024) + entry("segment_alloc", 8192, 1024) +
                         entry("alloc", 8192, 1024) + entry("free_completed", 4096, 1024) +
                         entry("alloc", 4096, 1024));
  EXPECT_THAT(names_of(file->history), ElementsAre("host_malloc", "work", "host_use", "host_free",
                                                   "host_malloc", "stream_done", "host_malloc"));
  EXPECT_THAT(replayed_calls(*file, ""), ElementsAre("host_alloc 1024", "host_alloc 1024"));
}

TEST(HostHistories, releases_tell_of_an_emptied_cache_or_follow_from_the_limit) {
  const std::string freed = entry("segment_alloc", 4096, 3 << 20) + entry("alloc", 4096, 3 << 20) +
                            entry("free_requested", 4096, 3 << 20) +
                            entry("free_completed", 4096, 3 << 20);
  const auto emptied =
      read(entry("segment_alloc", 8192, 512) + entry("alloc", 8192, 512) + freed +
           entry("free_requested", 8192, 512) + entry("free_completed", 8192, 512) +
           entry("segment_free", 4096, 3 << 20) + entry("segment_free", 8192, 512));
  EXPECT_THAT(replayed_calls(*emptied, ""), ElementsAre("host_alloc 512", "host_alloc 3145728",
                                                        "host_free 512", "host_free 3145728"));
  const auto limited = read(freed + entry("segment_free", 4096, 3 << 20));
  EXPECT_THAT(replayed_calls(*limited, "pinned_max_cached_size_mb:2"),
              ElementsAre("host_alloc 3145728", "host_free 3145728"));
  EXPECT_THAT(replayed_calls(*limited, ""), ElementsAre("host_alloc 3145728"));
}

TEST(HostHistories, begin_with_the_blocks_from_before_as_they_were) {
  const auto file = read(entry("alloc", 12288, 256) + entry("free_requested", 4096, 512) +
                         entry("free_completed", 4096, 512) + entry("free_completed", 8192, 1024));
  EXPECT_EQ(file->history.blocks_from_before, 3U);
  EXPECT_THAT(names_of(file->history),
              ElementsAre("host_malloc", "host_malloc", "work", "host_use", "host_free",
                          "host_malloc", "host_free", "stream_done", "host_malloc", "host_free",
                          "stream_done", "stream_done"));
  EXPECT_THAT(replayed_calls(*file, ""),
              ElementsAre("host_alloc 512", "host_alloc 1024", "host_alloc 256"));
}

TEST(HostHistories, count_blocks_without_entries_and_keep_their_stacks) {
  const auto file =
      read(entry("segment_alloc", 4096, 512) + entry("alloc", 4096, 512),
           "{\"address\":4096,\"total_size\":512,\"blocks\":[{\"state\":\"active_allocated\"}]},"
           "{\"address\":8192,\"total_size\":2048,\"blocks\":[{\"state\":\"active_allocated\","
           "\"frames\":[{\"name\":\"pin\",\"filename\":\"a.py\",\"line\":7}]}]}");
  EXPECT_EQ(file->history.blocks_from_before, 1U);
  EXPECT_EQ(file->history.events.at(0).bytes, Bytes{2048});
  EXPECT_NE(file->history.events.at(0).stack, traces::StackId{});
}

}  // namespace
}  // namespace vramlab::replay
