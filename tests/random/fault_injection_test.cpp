// Device calls that fail in the middle of random programs: whichever call it is, the checker finds
// nothing broken afterwards, the program goes on, and at the end all memory is accounted for. A
// failure names program, call and style; the seed shows it again.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "allocator/types/answers.h"
#include "replay/replayer/program_runner.h"
#include "replay/replayer/subjects.h"
#include "streams/device/simulated_device.h"
#include "tests/support/devices/fault_injecting_device.h"
#include "tests/support/programs/family_rows.h"
#include "traces/model/call_forms.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using traces::RecordedProgram;

/// The ways to go on after a call whose device call threw.
enum class Afterwards : std::uint8_t { skipped, repeated };

struct Plan {
  Fault fault;
  Afterwards afterwards = Afterwards::skipped;
};

class FaultyRun {
 public:
  explicit FaultyRun(const RecordedProgram& program)
      : program_(program),
        device_(program.device_total),
        faulty_(device_),
        subject_(
            replay::make_engine_subject(faulty_, *program.version, program.config, config_error_)) {
    if (program.memory_fraction) subject_->set_memory_fraction(*program.memory_fraction);
  }

  /// The number of device calls that the program makes.
  std::uint64_t count_calls() {
    faulty_.set_fault(std::nullopt);
    run({});
    return faulty_.call_count();
  }

  /// The first mistake at the end or on the way; empty without one.
  std::string run_with(const Plan& plan) {
    faulty_.set_fault(plan.fault);
    run(plan);
    faulty_.set_fault(std::nullopt);
    if (wrong_.empty()) give_everything_back();
    return wrong_;
  }

 private:
  void run(const Plan& plan) {
    replay::ProgramRunner runner(program_.calls, program_.texts, {*subject_, device_});
    bool had_failed = false;
    for (std::size_t call = 0; call < program_.calls.size() && wrong_.empty(); ++call) {
      step(runner, call, plan);
      if (faulty_.has_failed() && !had_failed) look_after(text_of(program_.calls[call]));
      had_failed = faulty_.has_failed();
      if (call % 32 == 31) look_after(text_of(program_.calls[call]));
    }
  }

  void step(replay::ProgramRunner& runner, std::size_t call, const Plan& plan) {
    try {
      runner.step(call);
    } catch (const AllocatorError&) {
      // This call is refused in this state.
    } catch (const DeviceError&) {
      if (plan.afterwards == Afterwards::repeated) repeat(program_.calls[call]);
    }
  }

  std::string text_of(const traces::ProgramEvent& call) const {
    return call_text(call, program_.text_of(call));
  }

  /// Makes the call once more, if it needs no ids, by a runner of its own that knows none.
  void repeat(const traces::ProgramEvent& call) {
    try {
      replay::ProgramRunner({&call, 1}, program_.texts, {*subject_, device_}).step(0);
    } catch (const AllocatorError&) {
    }
  }

  void look_after(const std::string& what) {
    if (const std::string broken = subject_->find_broken_rule(); !broken.empty())
      wrong_ = "after " + what + ": " + broken;
    else if (device_.used_memory() != held_memory())
      wrong_ = "after " + what + ": the device counts " +
               std::to_string(device_.used_memory().count) + " bytes, the allocator " +
               std::to_string(held_memory().count);
  }

  /// The bytes that the device must count for the memory that the allocator holds.
  Bytes held_memory() {
    Bytes held;
    for (const SnapshotSegment& segment : subject_->take_snapshot().segments)
      held += segment.is_expandable ? segment.total_size : round_up(segment.total_size, 2_MiB);
    return held;
  }

  void give_everything_back() {
    for (const SnapshotSegment& segment : subject_->take_snapshot().segments)
      for (const SnapshotBlock& block : segment.blocks)
        if (block.state == BlockState::active_allocated) subject_->free(block.address);
    for (std::uint64_t pool = 1; pool < 20; ++pool) {
      try {
        subject_->end_scope({0, pool});
      } catch (const AllocatorError&) {
      }
    }
    for (std::uint64_t pool = 1; pool < 20; ++pool) release_all_uses({0, pool});
    subject_->empty_cache(default_pool);
    look_after("giving everything back");
    if (wrong_.empty() && device_.used_memory() != 0_B)
      wrong_ = std::to_string(device_.used_memory().count) + " bytes were never given back";
    if (wrong_.empty() && device_.event_count() != 0)
      wrong_ = std::to_string(device_.event_count()) + " events were never forgotten";
  }

  void release_all_uses(PoolId pool) {
    try {
      while (true) subject_->release_pool(pool);
    } catch (const AllocatorError&) {
      // The pool has no users any more.
    }
  }

  const RecordedProgram& program_;
  streams::SimulatedDevice device_;
  FaultInjectingDevice faulty_;
  std::optional<SettingsError> config_error_;
  std::unique_ptr<replay::AllocatorSubject> subject_;
  std::string wrong_;
};

class FaultInjection : public testing::TestWithParam<FamilyRow> {};

void sweep(const RecordedProgram& program) {
  constexpr std::uint64_t faults_per_program = 40;
  const std::uint64_t calls = FaultyRun(program).count_calls();
  const std::uint64_t step = 1 + calls / faults_per_program;
  for (std::uint64_t call = 1 + program.calls.size() % step; call <= calls; call += step) {
    for (const FaultStyle style :
         {FaultStyle::out_of_memory_where_possible, FaultStyle::always_an_error}) {
      for (const Afterwards afterwards : {Afterwards::skipped, Afterwards::repeated}) {
        const std::string wrong = FaultyRun(program).run_with({{call, style}, afterwards});
        ASSERT_EQ(wrong, "") << describe(program) << "\ndevice call " << call << " of " << calls
                             << ", style " << static_cast<int>(style) << ", "
                             << (afterwards == Afterwards::repeated ? "repeated" : "skipped");
      }
    }
  }
}

TEST_P(FaultInjection, leaves_an_allocator_that_is_whole_and_loses_no_memory) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    sweep(make_random_program({GetParam().version, GetParam().family, seed}));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, FaultInjection, testing::ValuesIn(family_rows()), name_of_row);

}  // namespace
}  // namespace vramlab::tests
