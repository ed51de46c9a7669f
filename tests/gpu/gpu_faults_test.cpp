// Faults lose the context of the process, so each is tried in a process of its own.
#include <cstdio>
#include <cstdlib>

#include "tests/gpu/gpu_test.h"
#include "tests/support/cases/device_answers_check.h"
#include "tests/support/cases/stream_script.h"

namespace vramlab::tests {
namespace {

using streams::CudaStatus;
using Kind = StreamCallKind;

/// Rules 6.1 and 6.2: the launch succeeds, the next wait finds out, and from then on every call.
StreamProgram program_with(CudaStatus fault) {
  StreamScript script;
  script.work(1).on_stream(Kind::synchronize_stream, 1).faulty_kernel(1, fault);
  script.on_stream(Kind::synchronize_stream, 1).work(2).record(1, 2);
  script.on_event(Kind::query_event, 1).on_stream(Kind::query_stream, 2);
  script.call(Kind::synchronize_device).call(Kind::check_unsafe_call);
  return script.program();
}

[[noreturn]] void try_in_this_process(CudaStatus fault) {
  GpuExecutor gpu(1'000);
  const StreamProgram program = program_with(fault);
  const auto other = first_other_error(program, gpu.run(program));
  if (other)
    std::fprintf(stderr, "%s: expected %s, found %s\n",
                 stream_call_text(program.calls[other->call]).c_str(), other->expected.c_str(),
                 other->found.c_str());
  std::_Exit(other ? 1 : 0);
}

class GpuFaults : public GpuTest {
 protected:
  GpuFaults() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(GpuFaults, an_illegal_address_is_answered_by_every_call_after_it) {
  EXPECT_EXIT(try_in_this_process(CudaStatus::illegal_address), testing::ExitedWithCode(0), "");
}

TEST_F(GpuFaults, a_kernel_that_traps_is_answered_by_every_call_after_it) {
  EXPECT_EXIT(try_in_this_process(CudaStatus::launch_failure), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vramlab::tests
