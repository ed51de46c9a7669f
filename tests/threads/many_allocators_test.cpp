// Allocators share nothing: many of them in one process, in turns or in threads, answer as each
// does alone. And who listens changes nothing: with and without statistics and history the same
// program gives the same addresses.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "allocator/types/answers.h"
#include "replay/replayer/program_runner.h"
#include "replay/replayer/subjects.h"
#include "streams/device/simulated_device.h"
#include "tests/support/programs/random_programs.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using traces::RecordedProgram;

/// A program on an allocator and a device of its own.
class OwnRun {
 public:
  explicit OwnRun(const RecordedProgram& program) : OwnRun(program, replay::make_engine_subject) {}
  OwnRun(const RecordedProgram& program, const replay::SubjectFactory& make)
      : program_(program),
        device_(program.device_total),
        subject_(make(device_, *program.version, program.config, config_error_)),
        runner_(program.calls, program.texts, {*subject_, device_}) {
    if (program.memory_fraction) subject_->set_memory_fraction(*program.memory_fraction);
  }

  bool is_over() const { return next_ == program_.calls.size(); }
  void step() {
    try {
      runner_.step(next_++);
    } catch (const AllocatorError&) {
      ++refusals_;
    }
  }
  void run_all() {
    while (!is_over()) step();
  }
  const std::vector<MallocResult>& results() const { return runner_.answers().results; }

  void expect_same_as(const OwnRun& other) const {
    expect_same_results_as(other);
    EXPECT_EQ(subject_->history(), other.subject_->history());
    EXPECT_EQ(subject_->statistics(), other.subject_->statistics());
    EXPECT_EQ(subject_->take_snapshot(), other.subject_->take_snapshot());
  }
  void expect_same_results_as(const OwnRun& other) const {
    ASSERT_EQ(results().size(), other.results().size());
    for (std::size_t i = 0; i < results().size(); ++i) {
      ASSERT_EQ(results()[i].outcome, other.results()[i].outcome) << "request " << i;
      ASSERT_EQ(results()[i].address, other.results()[i].address) << "request " << i;
    }
    EXPECT_EQ(refusals_, other.refusals_);
    EXPECT_EQ(device_.call_counts(), other.device_.call_counts());
  }

 private:
  const RecordedProgram& program_;
  streams::SimulatedDevice device_;
  std::optional<SettingsError> config_error_;
  std::unique_ptr<replay::AllocatorSubject> subject_;
  replay::ProgramRunner runner_;
  std::size_t next_ = 0;
  int refusals_ = 0;
};

std::vector<RecordedProgram> programs(std::uint64_t count) {
  std::vector<RecordedProgram> all;
  for (std::uint64_t seed = 1; seed <= count; ++seed) all.push_back(make_random_program(seed));
  return all;
}

std::vector<std::unique_ptr<OwnRun>> runs_of(const std::vector<RecordedProgram>& programs) {
  std::vector<std::unique_ptr<OwnRun>> runs;
  for (const RecordedProgram& program : programs) runs.push_back(std::make_unique<OwnRun>(program));
  return runs;
}

TEST(ManyAllocators, in_turns_answer_as_each_does_alone) {
  const auto all = programs(40);
  const auto alone = runs_of(all);
  for (const auto& run : alone) run->run_all();
  const auto in_turns = runs_of(all);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const auto& run : in_turns) {
      if (run->is_over()) continue;
      run->step();
      goes_on = true;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(describe(all[i]));
    in_turns[i]->expect_same_as(*alone[i]);
  }
}

TEST(ManyAllocators, in_threads_answer_as_each_does_alone) {
  const auto all = programs(16);
  const auto alone = runs_of(all);
  for (const auto& run : alone) run->run_all();
  const auto in_threads = runs_of(all);
  std::vector<std::thread> threads;
  for (const auto& run : in_threads) threads.emplace_back([&run] { run->run_all(); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(describe(all[i]));
    in_threads[i]->expect_same_as(*alone[i]);
  }
}

TEST(ManyAllocators, a_second_run_of_a_program_gives_the_same_answers) {
  for (const RecordedProgram& program : programs(40)) {
    SCOPED_TRACE(describe(program));
    OwnRun first(program);
    OwnRun second(program);
    first.run_all();
    second.run_all();
    second.expect_same_as(first);
  }
}

template <class L>
std::unique_ptr<replay::AllocatorSubject> make_with(Device& device, const ReferenceVersion& version,
                                                    std::string_view config,
                                                    std::optional<SettingsError>&) {
  Settings settings;
  if (!config.empty()) settings = parse_settings({}, config, version).settings;
  return std::make_unique<replay::EngineSubject<L>>(device, version, settings);
}

TEST(Listeners, change_no_answer) {
  for (const RecordedProgram& program : programs(120)) {
    SCOPED_TRACE(describe(program));
    OwnRun recording(program);
    OwnRun counting(program, make_with<Listeners<Statistics>>);
    OwnRun bare(program, make_with<Listeners<>>);
    for (OwnRun* run : {&recording, &counting, &bare}) run->run_all();
    counting.expect_same_results_as(recording);
    bare.expect_same_results_as(recording);
  }
}

}  // namespace
}  // namespace vramlab::tests
