#include "replay/replayer/program_runner.h"

#include <gtest/gtest.h>

#include "streams/device/simulated_device.h"
#include "tests/support/devices/scripted_subject.h"
#include "tests/support/kit/calls.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using allocator::Address;
using allocator::MallocOutcome;
using allocator::StreamId;
using tests::begin_pool_call;
using tests::call_of;
using tests::external_call;
using tests::free_call;
using tests::pool_call;
using tests::record_stream_call;
using tests::ScriptedSubject;
using Call = traces::ProgramEvent;
using Kind = traces::ProgramEventKind;
using traces::ScopeStreams;

class RunProgram : public ::testing::Test {
 protected:
  Answers run(std::vector<Call> calls) {
    calls_ = std::move(calls);
    runner_.emplace(calls_, texts_, ProgramSetting{subject_, device_});
    runner_->run_all();
    return runner_->answers();
  }
  static Call malloc_call(std::uint64_t id) { return tests::malloc_call(id, 512_B); }
  static Call with_text(Call call, std::uint32_t text) {
    call.text = traces::TextId(text);
    return call;
  }
  static Call on_stream(Kind kind, std::uint64_t stream, std::uint64_t waited = 0) {
    Call call = call_of(kind);
    call.stream = {stream};
    call.for_stream = {waited};
    return call;
  }
  static Call restore_call(std::uint64_t id, std::uint32_t text) {
    Call call = with_text(call_of(Kind::restore), text);
    call.id = id;
    return call;
  }

  ScriptedSubject subject_;
  streams::SimulatedDevice device_{1_GiB};
  std::vector<Call> calls_;
  const std::vector<std::string> texts_ = {"bad", "good", "before"};
  std::optional<ProgramRunner> runner_;
};

TEST_F(RunProgram, an_id_names_the_address_that_its_malloc_gave) {
  const Answers answers = run({malloc_call(7), malloc_call(8), free_call(7)});
  EXPECT_EQ(answers.results.size(), 2U);
  EXPECT_EQ(subject_.asked.back(), "free 1000");
  EXPECT_EQ(runner_->address_of(7), std::nullopt);
  EXPECT_EQ(runner_->address_of(8), Address{1001});
}

TEST_F(RunProgram, an_id_that_holds_nothing_is_not_freed_or_recorded) {
  subject_.next_outcome = MallocOutcome::nothing;
  run({malloc_call(1), free_call(1), record_stream_call(1, 3), free_call(99)});
  EXPECT_EQ(subject_.asked, std::vector<std::string>{"malloc 512"});
}

TEST_F(RunProgram, the_first_failure_is_kept_with_its_figures) {
  subject_.next_outcome = MallocOutcome::rejected;
  subject_.failure.request = 11_MiB;
  const Answers answers = run({malloc_call(1), malloc_call(2)});
  ASSERT_TRUE(answers.first_out_of_memory.has_value());
  EXPECT_EQ(answers.first_out_of_memory->request, 11_MiB);
}

TEST_F(RunProgram, a_request_refused_for_an_open_scope_is_noted_with_its_call) {
  subject_.next_outcome = MallocOutcome::scope_already_open;
  const Answers answers = run({malloc_call(1)});
  ASSERT_EQ(answers.malloc_failures.size(), 1U);
  EXPECT_EQ(answers.malloc_failures[0].call, 0);
  EXPECT_FALSE(answers.first_out_of_memory.has_value());
}

TEST_F(RunProgram, a_refused_option_string_is_noted_with_its_call_and_the_run_goes_on) {
  const Answers answers = run(
      {malloc_call(1), with_text(call_of(Kind::options), 0), with_text(call_of(Kind::options), 1)});
  ASSERT_EQ(answers.config_failures.size(), 1U);
  EXPECT_EQ(answers.config_failures[0].call, 1);
}

TEST_F(RunProgram, restoring_empties_freed_ids_and_names_created_blocks_by_address) {
  subject_.next_restore = {{{1000}}, {{{5000}, 512_B}, {{4000}, 512_B}}};
  run({malloc_call(1), malloc_call(2), with_text(pool_call(Kind::checkpoint, 4), 2),
       restore_call(70, 2)});
  EXPECT_EQ(subject_.asked.back(), "restore_checkpoint 4");
  EXPECT_EQ(runner_->address_of(1), std::nullopt);
  EXPECT_EQ(runner_->address_of(2), Address{1001});
  EXPECT_EQ(runner_->address_of(70), Address{4000});
  EXPECT_EQ(runner_->address_of(71), Address{5000});
}

TEST_F(RunProgram, restoring_a_checkpoint_that_was_not_taken_is_an_error) {
  EXPECT_THROW(run({restore_call(1, 2)}), allocator::AllocatorError);
}

TEST_F(RunProgram, scopes_accept_the_streams_that_the_call_says) {
  run({begin_pool_call(1)});
  EXPECT_TRUE(subject_.last_filter(StreamId{5}));
  run({begin_pool_call(2, 5)});
  EXPECT_TRUE(subject_.last_filter(StreamId{5}));
  EXPECT_FALSE(subject_.last_filter(StreamId{6}));
  Call call = begin_pool_call(3);
  call.scope = ScopeStreams::capturing_streams;
  run({call});
  EXPECT_FALSE(subject_.last_filter(StreamId{5}));
  device_.begin_capture({5});
  EXPECT_TRUE(subject_.last_filter(StreamId{5}));
}

TEST_F(RunProgram, captures_waits_and_work_reach_the_device) {
  run({on_stream(Kind::capture_begin, 1), on_stream(Kind::stream_wait, 2, 1),
       on_stream(Kind::work, 2), on_stream(Kind::work, 3)});
  EXPECT_TRUE(device_.is_capturing({2}));
  EXPECT_TRUE(device_.has_pending_work({3}));
  EXPECT_EQ(device_.capture_of({2})->terminals.size(), 1U);
  run({on_stream(Kind::capture_end, 1), on_stream(Kind::stream_done, 3)});
  EXPECT_FALSE(device_.is_capturing({2}));
  EXPECT_FALSE(device_.has_pending_work({3}));
}

TEST_F(RunProgram, captures_that_cannot_begin_or_end_are_errors) {
  EXPECT_THROW(run({on_stream(Kind::capture_end, 1)}), allocator::AllocatorError);
  device_.begin_capture({1});
  EXPECT_THROW(run({on_stream(Kind::capture_begin, 1)}), allocator::AllocatorError);
}

TEST_F(RunProgram, pools_are_named_by_the_second_half_of_their_id) {
  run({pool_call(Kind::pool_create, 3), call_of(Kind::empty_cache), pool_call(Kind::empty_cache, 3),
       pool_call(Kind::pool_end, 3), pool_call(Kind::pool_release, 3),
       pool_call(Kind::pool_destroy, 3)});
  EXPECT_EQ(subject_.asked,
            (std::vector<std::string>{"create_pool 3", "empty_cache 0", "empty_cache 3",
                                      "end_scope 3", "release_pool 3", "destroy_pool 3"}));
}

TEST_F(RunProgram, other_users_memory_reaches_the_device) {
  run({external_call(1000_MiB)});
  EXPECT_EQ(device_.memory_info().free, 24_MiB);
}

}  // namespace
}  // namespace vramlab::replay
