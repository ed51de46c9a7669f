// The pinned memory of a program that is replayed: what it holds, when frees complete, what the
// system is asked for; and that a replay does what the allocator does by itself.
#include "replay/replayer/pinned_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "replay/conformance/case_run.h"
#include "replay/replayer/program_replay.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/programs/random_host_programs.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"
#include "traces/native/native_text.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using traces::HostCall;
using traces::HostCallKind;
using traces::ProgramEventKind;

std::string request_line(std::uint64_t id, Bytes size) {
  return "{\"host_malloc\":" + std::to_string(id) + ",\"bytes\":" + std::to_string(size.count) +
         "}\n";
}
std::string host_free_line(std::uint64_t id) {
  return "{\"host_free\":" + std::to_string(id) + "}\n";
}
std::string use_line(std::uint64_t id, std::uint64_t stream) {
  return "{\"host_use\":" + std::to_string(id) + ",\"stream\":" + std::to_string(stream) + "}\n";
}

ReplayReport replayed(const std::string& lines, const ReplayConditions& conditions = {}) {
  traces::SnapshotTables tables;
  ProgramReplay replay("program", tables, conditions, {});
  traces::SnapshotSink recorded;
  const auto source = support::make_memory_source(
      "{\"format\":\"vramlab-trace\",\"version\":2,\"reference\":\"2.14\"}\n" + lines);
  read_native_text(*source, "program", tables, {recorded, replay});
  return replay.finish();
}

HostReport host_of(const std::string& lines, const ReplayConditions& conditions = {}) {
  const ReplayReport report = replayed(lines, conditions);
  EXPECT_TRUE(report.host.has_value());
  return report.host.value_or(HostReport{});
}

std::vector<std::string> calls_of(const HostReport& report) {
  std::vector<std::string> calls;
  for (const HostCallAt& made : report.calls)
    calls.push_back(std::string(host_system_action_name(made.call.action)) + " " +
                    std::to_string(made.call.size.count) + " at " + std::to_string(made.event));
  return calls;
}

TEST(HostReplays, a_request_takes_a_power_of_two_and_a_freed_block_serves_again) {
  const HostReport report = host_of(request_line(1, 100_MiB) + host_free_line(1) +
                                    request_line(2, 70_MiB) + host_free_line(2));
  EXPECT_EQ(report.requests, 2U);
  EXPECT_EQ(report.frees, 2U);
  EXPECT_EQ(report.requested, 170_MiB);
  EXPECT_EQ(report.given, 256_MiB);
  EXPECT_EQ(report.peak_requested.bytes, 100_MiB);
  EXPECT_EQ(report.peak_active.bytes, 128_MiB);
  EXPECT_EQ(report.peak_pinned.bytes, 128_MiB);
  EXPECT_EQ(report.end_active, 0_B);
  EXPECT_EQ(report.end_pinned, 128_MiB);
  EXPECT_THAT(calls_of(report), ElementsAre("host_alloc 134217728 at 0"));
}

TEST(HostReplays, a_free_waits_until_the_stream_is_done) {
  const std::string used = request_line(1, 1_MiB) + "{\"work\":7,\"duration_ns\":1000000}\n" +
                           use_line(1, 7) + host_free_line(1);
  ReplayConditions recorded;
  recorded.timing = FreeTiming::recorded;
  EXPECT_EQ(host_of(used + request_line(2, 1_MiB), recorded).peak_pinned.bytes, 2_MiB);
  EXPECT_EQ(
      host_of(used + "{\"stream_done\":7}\n" + request_line(2, 1_MiB), recorded).peak_pinned.bytes,
      1_MiB);
  ReplayConditions eager;
  eager.timing = FreeTiming::eager;
  EXPECT_EQ(host_of(used + request_line(2, 1_MiB), eager).peak_pinned.bytes, 1_MiB);
}

TEST(HostReplays, in_virtual_time_a_free_waits_as_long_as_the_work_takes) {
  const auto with_request_at = [](const std::string& time_ns) {
    return host_of(request_line(1, 1_MiB) + "{\"work\":7,\"duration_ns\":1000000,\"time_ns\":0}\n" +
                   use_line(1, 7) + host_free_line(1) +
                   "{\"host_malloc\":2,\"bytes\":1048576,\"time_ns\":" + time_ns + "}\n")
        .peak_pinned.bytes;
  };
  EXPECT_EQ(with_request_at("500000"), 2_MiB);
  EXPECT_EQ(with_request_at("1500000"), 1_MiB);
}

TEST(HostReplays, a_stream_of_another_device_is_another_stream) {
  ReplayConditions recorded;
  recorded.timing = FreeTiming::recorded;
  const std::string used = request_line(1, 1_MiB) +
                           "{\"work\":7,\"duration_ns\":1,\"device\":1}\n" +
                           "{\"host_use\":1,\"stream\":7,\"device\":1}\n" + host_free_line(1);
  EXPECT_EQ(
      host_of(used + "{\"stream_done\":7}\n" + request_line(2, 1_MiB), recorded).peak_pinned.bytes,
      2_MiB);
  EXPECT_EQ(
      host_of(used + "{\"device_sync\":true,\"device\":1}\n" + request_line(2, 1_MiB), recorded)
          .peak_pinned.bytes,
      1_MiB);
}

TEST(HostReplays, a_release_to_the_system_waits_for_the_devices) {
  ReplayConditions recorded;
  recorded.timing = FreeTiming::recorded;
  const std::string used = request_line(1, 1_MiB) + "{\"work\":7,\"duration_ns\":1}\n" +
                           use_line(1, 7) + host_free_line(1);
  EXPECT_EQ(host_of(used + request_line(2, 1_KiB) + host_free_line(2) +
                        "{\"host_empty_cache\":true}\n" + request_line(3, 1_MiB),
                    recorded)
                .peak_pinned.bytes,
            1_MiB + 1_KiB);
}

TEST(HostReplays, options_change_what_is_pinned) {
  const std::string lines = request_line(1, 100_MiB) + host_free_line(1);
  ReplayConditions conditions;
  conditions.version = allocator::find_reference_version("2.14");
  conditions.options = "pinned_max_round_threshold_mb:64";
  EXPECT_EQ(host_of(lines, conditions).peak_pinned.bytes, 100_MiB);
  conditions.options = "pinned_max_cached_size_mb:64";
  EXPECT_EQ(host_of(lines, conditions).end_pinned, 0_B);
  conditions.options = "pinned_reserve_segment_size_mb:256";
  EXPECT_THAT(calls_of(host_of(lines, conditions)), ElementsAre("host_alloc 268435456 at 0"));
}

TEST(HostReplays, the_program_may_set_options_and_empty_the_cache) {
  const HostReport report =
      host_of(request_line(1, 3_MiB) + host_free_line(1) + "{\"host_empty_cache\":true}\n" +
              "{\"options\":\"pinned_max_round_threshold_mb:1\"}\n" + request_line(2, 3_MiB));
  EXPECT_THAT(calls_of(report), ElementsAre("host_alloc 4194304 at 0", "host_free 4194304 at 2",
                                            "host_alloc 3145728 at 4"));
}

TEST(HostReplays, a_background_thread_is_modelled_and_says_so) {
  ReplayConditions conditions;
  conditions.options = "pinned_use_background_threads:True";
  const ReplayReport report =
      replayed(request_line(1, 1_MiB) + host_free_line(1) + request_line(2, 1_MiB), conditions);
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr("the background thread is modelled")));
  EXPECT_THAT(replayed(request_line(1, 1_MiB)).notes, IsEmpty());
}

TEST(HostReplays, the_capture_of_a_graph_takes_requests_to_a_pool_of_its_own) {
  const std::string freed = request_line(1, 1_MiB) + host_free_line(1);
  const std::string captured =
      "{\"pool_create\":[1,0]}\n{\"pool_begin\":[1,0],\"scope\":\"capturing_streams\"}\n"
      "{\"capture_begin\":7}\n{\"host_malloc\":2,\"bytes\":1048576,\"stream\":7}\n"
      "{\"capture_end\":7}\n{\"pool_end\":[1,0]}\n";
  EXPECT_EQ(host_of(freed + captured).peak_pinned.bytes, 2_MiB);
  ReplayConditions oldest;
  oldest.version = allocator::find_reference_version("2.6");
  EXPECT_EQ(host_of(freed + captured, oldest).peak_pinned.bytes, 1_MiB);
}

TEST(HostReplays, a_program_without_pinned_memory_has_no_report) {
  EXPECT_FALSE(replayed("{\"malloc\":1,\"bytes\":512}\n").host.has_value());
}

TEST(HostReplays, what_nobody_holds_cannot_be_freed) {
  try {
    replayed(request_line(1, 1_MiB) + host_free_line(2));
    FAIL() << "it was taken";
  } catch (const traces::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the id 2 of pinned memory cannot be freed"));
  }
}

// A replay beside the allocator by itself.

bool is_left_out(const std::string& options) {
  return options.find("background") != std::string::npos ||
         options.find("cached") != std::string::npos;
}

/// The calls that a program's events can say, each of what is held then. Nothing is given back to
/// the system, for which a program's devices are waited for and the host of the cases is not.
traces::HostProgram as_events_can_say_it(const traces::HostProgram& program) {
  traces::HostProgram kept = program;
  kept.calls.clear();
  if (is_left_out(kept.config)) kept.config.clear();
  std::set<std::uint64_t> held;
  for (const HostCall& call : program.calls) {
    switch (call.kind) {
      case HostCallKind::malloc:
        held.insert(call.id);
        break;
      case HostCallKind::free:
        if (held.erase(call.id) == 0) continue;
        break;
      case HostCallKind::use:
        if (!held.contains(call.id)) continue;
        break;
      case HostCallKind::options:
        if (is_left_out(call.text)) continue;
        break;
      case HostCallKind::work:
      case HostCallKind::complete:
        break;
      default:
        continue;
    }
    kept.calls.push_back(call);
  }
  return kept;
}

traces::ProgramEvent event_of(const HostCall& call, traces::TextTable& texts) {
  traces::ProgramEvent event;
  event.id = call.id;
  event.bytes = call.bytes;
  event.stream = call.stream;
  switch (call.kind) {
    case HostCallKind::malloc:
      event.kind = ProgramEventKind::host_malloc;
      break;
    case HostCallKind::free:
      event.kind = ProgramEventKind::host_free;
      break;
    case HostCallKind::use:
      event.kind = ProgramEventKind::host_use;
      break;
    case HostCallKind::work:
      event.kind = ProgramEventKind::work;
      break;
    case HostCallKind::complete:
      event.kind = ProgramEventKind::stream_done;
      break;
    default:
      event.kind = ProgramEventKind::options;
      event.text = texts.intern(call.text);
  }
  return event;
}

TEST(HostReplays, do_what_the_allocator_does_by_itself) {
  std::size_t calls = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const traces::HostProgram program = as_events_can_say_it(tests::make_random_host_program(seed));
    HostCaseRun alone(program, make_host_engine_subject);
    alone.run_until(program.calls.size());
    const traces::HostAnswers expected = alone.finish();
    ASSERT_THAT(expected.failures, IsEmpty()) << seed;

    traces::SnapshotTables tables;
    const auto settings = parse_settings({}, program.config, *program.version).settings;
    HostReplay replay({*program.version, settings});
    for (std::size_t i = 0; i < program.calls.size(); ++i)
      replay.apply(event_of(program.calls[i], tables.texts), i, tables.texts);
    const HostReport report = replay.report();
    std::vector<HostSystemCall> made;
    for (const HostCallAt& call : report.calls) made.push_back(call.call);
    ASSERT_EQ(made, expected.system_calls) << seed;
    ASSERT_EQ(report.statistics, expected.final_statistics) << seed;
    calls += made.size();
  }
  EXPECT_GT(calls, 1000U);
}

}  // namespace
}  // namespace vramlab::replay
