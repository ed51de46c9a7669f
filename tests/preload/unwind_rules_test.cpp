// The rules of call stacks beside the compiler's own unwinder.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unwind.h>

#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tools/preload/ground/unwind_rules.h"

#ifdef __x86_64__

namespace vramlab::tests {
namespace {

using preload::caller_of;
using preload::FrameRegisters;
using preload::rule_at;
using preload::StackRange;
using preload::UnwindRule;

constexpr int frame_pointer = 6;

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* frames) {
  static_cast<std::vector<FrameRegisters>*>(frames)->push_back(
      {_Unwind_GetIP(context) - 1, _Unwind_GetCFA(context), _Unwind_GetGR(context, frame_pointer)});
  return _URC_NO_REASON;
}

StackRange stack_of_this_thread() {
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t bytes = 0;
  EXPECT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
  EXPECT_EQ(pthread_attr_getstack(&attributes, &begin, &bytes), 0);
  pthread_attr_destroy(&attributes);
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  return {at, at + bytes};
}

/// The frames from here outwards, each of which leads to the next by its rule.
std::size_t frames_led_to() {
  std::vector<FrameRegisters> frames;
  _Unwind_Backtrace(add_frame, &frames);
  const StackRange stack = stack_of_this_thread();
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
    const auto rule = rule_at(frames[i].place);
    if (!rule) {
      ADD_FAILURE() << "frame " << i << " of " << frames.size() << " has no rule";
      return 0;
    }
    const auto caller = caller_of(frames[i], *rule, stack);
    if (rule->base == UnwindRule::Base::outermost || !caller) return i;
    EXPECT_EQ(caller->place, frames[i + 1].place) << "frame " << i;
    EXPECT_EQ(caller->stack_pointer, frames[i + 1].stack_pointer) << "frame " << i;
    EXPECT_EQ(caller->frame_pointer, frames[i + 1].frame_pointer) << "frame " << i;
  }
  return frames.size();
}

std::size_t led_to = 0;

[[gnu::noinline]] std::size_t with_room_of_any_size(std::size_t bytes) {
  auto* const room = static_cast<volatile char*>(__builtin_alloca(bytes));
  room[0] = 1;
  return frames_led_to() + (room[0] == 1 ? 0 : 1);
}

[[gnu::noinline]] std::size_t with_large_frame(int depth) {
  volatile char room[70000];
  room[depth] = 1;
  const std::size_t frames = depth == 0 ? with_room_of_any_size(1234) : with_large_frame(depth - 1);
  return frames + (room[depth] == 1 ? 0 : 1);
}

TEST(UnwindRules, lead_where_the_compilers_unwinder_goes) {
  EXPECT_GT(frames_led_to(), 5U);
  EXPECT_GT(with_large_frame(3), 8U);
}

TEST(UnwindRules, lead_through_the_c_library_and_to_the_end_of_another_thread) {
  std::thread([] {
    int numbers[] = {2, 1};
    led_to = 0;
    std::qsort(numbers, 2, sizeof(int), [](const void* left, const void* right) {
      led_to = with_large_frame(1);
      return *static_cast<const int*>(left) - *static_cast<const int*>(right);
    });
  }).join();
  EXPECT_GT(led_to, 6U);
}

bool has_every_rule = true;

_Unwind_Reason_Code look_for_rule(_Unwind_Context* context, void* /*unused*/) {
  has_every_rule = has_every_rule && rule_at(_Unwind_GetIP(context)).has_value();
  return _URC_NO_REASON;
}

TEST(UnwindRules, leave_a_signals_frame_to_others) {
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = [](int) { _Unwind_Backtrace(look_for_rule, nullptr); };
  ASSERT_EQ(sigaction(SIGUSR2, &action, &before), 0);
  std::raise(SIGUSR2);
  sigaction(SIGUSR2, &before, nullptr);
  EXPECT_FALSE(has_every_rule);
}

TEST(UnwindRules, stay_within_the_stack) {
  const std::uintptr_t words[4] = {1, 2, 3, 4};
  const auto at = reinterpret_cast<std::uintptr_t>(&words[0]);
  const StackRange stack = {at, at + sizeof words};
  const FrameRegisters frame = {100, at, at + 8};
  const auto caller = caller_of(frame, {UnwindRule::Base::stack_pointer, 24, 16}, stack);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->place, 2U) << "within the call, one byte before the address behind it";
  EXPECT_EQ(caller->frame_pointer, 2U);
  EXPECT_FALSE(caller_of(frame, {UnwindRule::Base::stack_pointer, 40, 0}, stack));
  EXPECT_FALSE(caller_of(frame, {UnwindRule::Base::stack_pointer, 16, 24}, stack));
  EXPECT_FALSE(caller_of({100, at, at - 64}, {UnwindRule::Base::frame_pointer, 16, 0}, stack));
}

TEST(UnwindRules, are_empty_where_no_code_is) { EXPECT_FALSE(rule_at(4096)); }

}  // namespace
}  // namespace vramlab::tests

#endif
