// A compact program gives back the events that were added, and keeps few of them whole.
#include "replay/recording/compact_program.h"

#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

using traces::ProgramEvent;
using EventKind = traces::ProgramEventKind;

ProgramEvent event_of_stream(EventKind kind, std::uint64_t number) {
  ProgramEvent event;
  event.kind = kind;
  event.device = {1};
  event.stream = {7};
  event.time_ns = 5;
  event.stack = {3};
  (kind == EventKind::work ? event.duration_ns : event.event.value) = number;
  return event;
}

CompactProgram compacted(const std::vector<ProgramEvent>& events) {
  CompactWriter writer;
  for (std::size_t i = 0; i < events.size(); ++i) writer.add(events[i], i);
  return writer.finish();
}

TEST(CompactProgram, gives_back_events_of_streams_whatever_their_numbers) {
  std::vector<ProgramEvent> events;
  for (const EventKind kind : {EventKind::work, EventKind::event_record, EventKind::event_wait})
    for (const std::uint64_t number :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{most_slots} - 1,
          std::uint64_t{most_slots}, std::uint64_t{most_slots} << 4U, UINT64_MAX})
      events.push_back(event_of_stream(kind, number));
  events.push_back(event_of_stream(EventKind::stream_done, 0));
  ProgramEvent failing = event_of_stream(EventKind::work, 9);
  failing.fault = traces::WorkFault::illegal_address;
  ProgramEvent of_thread = event_of_stream(EventKind::event_record, 9);
  of_thread.thread = 2;
  events.insert(events.end(), {failing, of_thread});

  const CompactProgram program = compacted(events);
  CompactReader reader(program);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_TRUE(reader.event_at(i) == events[i]) << i;
}

TEST(CompactProgram, keeps_no_event_whole_for_its_number) {
  std::vector<ProgramEvent> events;
  for (std::uint64_t number = 0; number < 1000; ++number)
    for (const EventKind kind : {EventKind::work, EventKind::event_record, EventKind::event_wait})
      events.push_back(event_of_stream(kind, number));
  const CompactProgram program = compacted(events);
  CompactReader reader(program);
  for (std::size_t i = 0; i < events.size(); ++i)
    EXPECT_LT(reader[i].kind(), CompactKind::other_of_streams);
  EXPECT_EQ(program.shapes().size(), 1);
}

}  // namespace
}  // namespace vramlab::replay
