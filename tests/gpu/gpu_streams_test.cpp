// Random stream programs on the GPU: what the simulator says must be ordered is ordered there, and
// every error, query and elapsed time agrees with that. VRAMLAB_RANDOM_SEED=<seed> begins there.
#include <cstdlib>
#include <map>

#include "tests/gpu/gpu_test.h"
#include "tests/support/cases/device_answers_check.h"
#include "tests/support/cases/device_programs.h"

namespace vramlab::tests {
namespace {

constexpr std::uint64_t program_count = 500;
constexpr std::size_t most_failures = 3;

std::uint64_t first_seed() {
  const char* wanted = std::getenv("VRAMLAB_RANDOM_SEED");
  return wanted == nullptr ? 1 : std::strtoull(wanted, nullptr, 10);
}

class GpuStreams : public GpuTest {
 protected:
  /// Programs with captures and without; each nanosecond of theirs takes so long.
  static void expect_order(std::uint64_t ns_per_step) {
    GpuExecutor gpu(ns_per_step);
    std::size_t failures = 0;
    const std::uint64_t first = first_seed();
    for (std::uint64_t seed = first; seed < first + program_count; ++seed) {
      const StreamProgram program = make_device_program(seed);
      const std::vector<std::string> broken = broken_stream_rules(program, gpu.run(program));
      if (broken.empty()) continue;
      ADD_FAILURE() << "seed " << seed << ":\n" << lines_of(broken) << stream_program_text(program);
      if (++failures == most_failures) return;
    }
  }
};

TEST_F(GpuStreams, keep_the_order_of_random_programs_of_short_work) { expect_order(100); }

TEST_F(GpuStreams, keep_the_order_of_random_programs_of_long_work) { expect_order(5'000); }

using GpuMisuse = GpuTest;

/// Differences by what differs, with a seed that shows each. From a program's first one on, both
/// are in different states.
TEST_F(GpuMisuse, of_captures_in_random_programs_is_refused_alike) {
  GpuExecutor gpu(100);
  std::map<std::string, std::vector<std::uint64_t>> seeds;
  const std::uint64_t first = first_seed();
  for (std::uint64_t seed = first; seed < first + program_count; ++seed) {
    const StreamProgram program = make_capture_misuse_program(seed);
    const auto other = first_other_error(program, gpu.run(program));
    if (!other) continue;
    const std::string call = stream_call_text(program.calls[other->call]);
    const std::string name = call.substr(call.find(": ") + 2);
    seeds[name.substr(0, name.find(' ')) + ": expected " + other->expected + ", found " +
          other->found]
        .push_back(seed);
  }
  for (const auto& [difference, where] : seeds)
    ADD_FAILURE() << difference << " (" << where.size() << " of " << program_count
                  << " programs, first seed " << where.front() << ")";
}

}  // namespace
}  // namespace vramlab::tests
