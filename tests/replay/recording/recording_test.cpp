// A file as one value: what is read when, what is kept, and what is refused.
#include "replay/recording/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/text_program.h"
#include "tests/support/processes/places.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using support::free_line;
using support::malloc_line;
using support::open_program;

const std::string sample = support::source_dir() + "/traces/samples/gpt_training.pickle.gz";
const std::string one_entry =
    "{\"section\":\"device_traces\"}\n{\"trace\":0}\n"
    "{\"entry\":{\"action\":\"alloc\",\"addr\":4096,\"size\":512,\"stream\":0,\"frames\":0}}\n";

/// The events of a program, by kind and id.
class SeenEvents final : public traces::ProgramSink {
 public:
  void program_event(const traces::ProgramEvent& event) override {
    seen += std::string(program_event_name(event.kind)) + " " + std::to_string(event.id) + "; ";
  }
  std::string seen;
};

std::string seen_in(Recording& recording) {
  SeenEvents events;
  recording.pass_program(events);
  return events.seen;
}

TEST(Recording, kept_program_is_passed_as_often_as_asked_with_the_ids_of_the_file) {
  Recording recording(open_program(malloc_line(70, 512) + malloc_line(7, 512) + free_line(70)));
  EXPECT_EQ(seen_in(recording), "malloc 70; malloc 7; free 70; ");
  EXPECT_EQ(seen_in(recording), "malloc 70; malloc 7; free 70; ");
  ASSERT_NE(recording.program(), nullptr);
  EXPECT_EQ(recording.program()->program.event_count(), 3U);
}

TEST(Recording, program_with_one_pass_is_not_kept) {
  Recording recording(open_program(malloc_line(1, 512)), {.passes = Passes::one});
  EXPECT_EQ(seen_in(recording), "malloc 1; ");
  EXPECT_EQ(recording.program(), nullptr);
  EXPECT_DEATH(seen_in(recording), "gone through once");
}

TEST(Recording, explanation_is_made_when_it_is_asked_for_and_kept) {
  int explained = 0;
  OpenConditions conditions;
  conditions.explained = [&explained](std::int64_t) { ++explained; };
  Recording recording(traces::open_trace(sample), conditions);
  EXPECT_EQ(explained, 0);
  const DeviceHistory& device = recording.history().devices.front();
  const ExplainedHistory* const first = &recording.explained(device);
  EXPECT_EQ(explained, 1);
  EXPECT_EQ(&recording.explained(device), first);
  EXPECT_EQ(&recording.walk(device), first);
  EXPECT_EQ(explained, 1);
  EXPECT_EQ(first->times_us.size(), device.events.size());
}

TEST(Recording, program_and_recording_in_one_trace_are_refused) {
  EXPECT_THROW(Recording(open_program(one_entry + malloc_line(1, 512))), traces::InputError);
  EXPECT_THROW(Recording(open_program(malloc_line(1, 512) + one_entry)), traces::InputError);
  EXPECT_NO_THROW(Recording{open_program(one_entry)});
}

TEST(Recording, settings_cannot_change_once_something_is_explained) {
  Recording recording(traces::open_trace(sample));
  recording.take_settings({});
  recording.explained(recording.history().devices.front());
  EXPECT_DEATH(recording.take_settings({}), "before a history is explained");
}

}  // namespace
}  // namespace vramlab::replay
