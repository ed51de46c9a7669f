// The log of the BFC allocator of XLA and TensorFlow: lines by hand, and those of a run of JAX.
#include "traces/logs/bfc_log.h"

#include <gtest/gtest.h>

#include "tests/support/fuzz/log_listing.h"
#include "tests/support/recordings/native_samples.h"

namespace vramlab::traces {
namespace {

using support::LogListing;
using support::read_bfc_bytes;

std::string line(const std::string& time, const std::string& said) {
  return "I1127 " + time + "    4371 bfc_allocator.cc:521] [mem-debug] " + said +
         ",*** Begin stack trace ***\n\tmain\n*** End stack trace ***\n\n";
}

TEST(BfcLog, a_run_of_jax_with_a_request_that_is_too_large) {
  const LogListing listing = read_bfc_bytes(support::sample_bytes("bfc.log"));
  EXPECT_EQ(listing.error, "");
  EXPECT_NE(listing.header.find("\"origin\":\"BFC log\""), std::string::npos);
  EXPECT_EQ(listing.lines.substr(0, listing.lines.find("{\"malloc\":3")),
            "{\"malloc\":1,\"bytes\":4,\"time_ns\":69521135351000}\n"
            "{\"malloc\":2,\"bytes\":4,\"time_ns\":69521141162000}\n"
            "{\"free\":1,\"time_ns\":69521143186000}\n");
  EXPECT_NE(listing.lines.find("{\"marker\":\"out of memory\",\"time_ns\":69531255150000}"),
            std::string::npos);
  LogFacts expected;
  expected.failures = 1;
  expected.of_other_devices = 4;
  EXPECT_EQ(listing.facts, expected);
}

TEST(BfcLog, a_pipe_is_read_as_a_file_is) {
  const std::string log = line("10:00:00.5", "DeallocateRaw,GPU_1_bfc,8,0x7") + "something else\n" +
                          line("09:59:59.5", "AllocateRaw,GPU_1_bfc,16,0x7");
  const LogListing file = read_bfc_bytes(log);
  const LogListing pipe = support::read_piped_bfc_bytes(log, 3);
  EXPECT_EQ(file.lines,
            "{\"malloc\":1,\"bytes\":8,\"device\":1,\"time_ns\":36000500000000}\n"
            "{\"free\":1,\"device\":1,\"time_ns\":36000500000000}\n"
            "{\"malloc\":2,\"bytes\":16,\"device\":1,\"time_ns\":36000500000000}\n");
  EXPECT_EQ(pipe.lines, file.lines);
  EXPECT_EQ(pipe.facts, file.facts);
  EXPECT_EQ(file.facts.mallocs_before_begin, 1U);
}

TEST(BfcLog, requests_of_no_bytes_are_left_out) {
  const LogListing listing = read_bfc_bytes(line("1", "AllocateRaw,GPU_0_bfc,0,0") +
                                            line("1", "DeallocateRaw,GPU_0_bfc,0,0"));
  EXPECT_EQ(listing.lines, "");
  EXPECT_EQ(listing.facts.empty_requests, 2U);
}

TEST(BfcLog, lines_of_another_form_are_refused) {
  const std::pair<const char*, const char*> refused[] = {
      {"Allocate,GPU_0_bfc,1,0x1", "'AllocateRaw' or 'DeallocateRaw'"},
      {"AllocateRaw,GPU_0_bfc,many,0x1", "a size in bytes"},
      {"AllocateRaw,GPU_0_bfc,1,here", "a pointer"},
  };
  for (const auto& [said, expected] : refused)
    EXPECT_NE(read_bfc_bytes(line("1", said)).error.find(expected), std::string::npos) << said;
  EXPECT_NE(read_bfc_bytes("I1127 10:00:00.5  1 x.cc:1] hello\n").error.find("TF_CPP_VMODULE"),
            std::string::npos);
}

TEST(BfcLog, times_have_three_forms) {
  EXPECT_EQ(bfc::time_of_line_ns("I1127 00:00:01.25 7 x.cc:1] "), 1'250'000'000U);
  EXPECT_EQ(bfc::time_of_line_ns("2026-11-27 00:00:01.250000: I x.cc:1] "), 1'250'000'000U);
  EXPECT_EQ(bfc::time_of_line_ns("I0000 00:00:1795807141.5 7 x.cc:1] "),
            1'795'807'141'500'000'000U);
  for (const char* const other :
       {"", "I1127", "I1127 now", "I0000 00:00:999999999999999999.5 7", "I0000 00:00:123.x 7"})
    EXPECT_EQ(bfc::time_of_line_ns(other), std::nullopt) << other;
}

TEST(BfcLog, the_first_bytes_are_those_of_a_log) {
  EXPECT_TRUE(begins_like_bfc_log("I1127 19:17:34.416049    3704 pjrt_api.cc:119] Get"));
  EXPECT_TRUE(
      begins_like_bfc_log("2026-11-27 19:17:34.658879: I external/local_xla/xla/tsl/framew"));
  EXPECT_TRUE(begins_like_bfc_log("WARNING: All log messages before absl::InitializeLog() is"));
  EXPECT_TRUE(begins_like_bfc_log("./xla/tsl/framework/bfc_allocator.cc:521] "));
  for (const char* const other :
       {"", "Thread,Time", "In 10:00:00 hours", "20 nodes: 10:00:00", "I1127 noon"})
    EXPECT_FALSE(begins_like_bfc_log(other)) << other;
}

TEST(BfcLog, allocators_of_gpus_are_told_by_name) {
  EXPECT_EQ(bfc::device_of("GPU_0_bfc"), 0U);
  EXPECT_EQ(bfc::device_of("GPU_12_bfc"), 12U);
  for (const char* const other : {"xla_gpu_host_bfc", "GPU_x_bfc", "GPU_128_bfc", "GPU_"})
    EXPECT_EQ(bfc::device_of(other), std::nullopt) << other;
}

}  // namespace
}  // namespace vramlab::traces
