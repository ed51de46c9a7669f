// HazardSetup: a hazard checker on the streams of a small program, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "streams/hazards/hazard_checker.h"
#include "streams/stream_model/timed_streams.h"
#include "tests/support/cases/hazard_text.h"

namespace vramlab::streams {

inline constexpr StreamAt legacy{0, {0}};
inline constexpr StreamAt home{0, {1}};
inline constexpr StreamAt side{0, {2}};
inline constexpr StreamAt third{0, {3}};
inline constexpr allocator::EventId event{1};
inline constexpr ThreadId main_thread{0};
inline constexpr ThreadId other_thread{1};
inline constexpr BlockNumber first_block{1};
inline constexpr BlockNumber second_block{2};
inline constexpr std::uint64_t unit = 1024;

/// By one piece of work.
struct Touched {
  std::vector<BlockNumber> read{};
  std::vector<BlockNumber> written{};
};
inline const Touched reads_first{.read = {first_block}};
inline const Touched writes_first{.written = {first_block}};

class HazardSetup : public testing::Test, private AccessSource {
 protected:
  HazardSetup() : checker_(*this), cuda_({}, checker_) {
    for (const StreamAt stream : {home, side, third}) cuda_.create_stream(stream, non_blocking);
    cuda_.create_event(event, 0, false);
    call(main_thread);
  }

  static constexpr StreamTraits non_blocking{.is_blocking = false};

  void call(ThreadId thread) { ASSERT_TRUE(cuda_.begin_call(thread, std::nullopt)); }
  void hand_out(BlockNumber block, StreamAt stream, std::uint64_t first_unit,
                std::uint64_t unit_count, std::uint64_t tag = 100) {
    checker_.handed_out({.block = block,
                         .range = {{first_unit * unit}, {(first_unit + unit_count) * unit}},
                         .stream = stream,
                         .thread = cuda_.caller(),
                         .tag = tag});
  }
  void hand_out(BlockNumber block, StreamAt stream) { hand_out(block, stream, 0, 4); }
  void free(BlockNumber block, std::uint64_t tag = 200) {
    checker_.freed(block, cuda_.caller(), tag);
  }
  void submit(StreamAt stream, const Touched& touched, std::uint64_t tag) {
    submit(stream, touched, Work{.duration = {10}, .tag = tag});
  }
  void submit(StreamAt stream, const Touched& touched, const Work& work) {
    touched_[work.tag] = touched;
    ASSERT_EQ(cuda_.submit(stream, work), CudaStatus::success);
  }
  /// `to` goes on behind all of `from`.
  void order(StreamAt from, StreamAt to) {
    cuda_.record_event(event, from, 0);
    cuda_.wait_for_event(to, event, 0);
  }
  std::vector<std::string> found() const {
    std::vector<std::string> texts;
    for (const Hazard& hazard : checker_.hazards()) texts.push_back(hazard_text(hazard));
    return texts;
  }
  std::vector<std::string> fixes() const {
    std::vector<std::string> texts;
    for (const Hazard& hazard : checker_.hazards()) texts.push_back(fix_text(hazard));
    return texts;
  }

  HazardChecker checker_;
  TimedStreams cuda_;

 private:
  WorkAccesses accesses_of(std::uint64_t tag) override {
    const Touched& touched = touched_[tag];
    return {touched.read, touched.written, tag};
  }
  std::map<std::uint64_t, Touched> touched_;
};

}  // namespace vramlab::streams
