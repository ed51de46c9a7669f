#include "traces/json/perfetto_writer.h"

#include <string>

#include "traces/io/letters.h"

namespace vramlab::traces {

PerfettoWriter::PerfettoWriter(ByteSink& sink) : bytes_(sink) {
  bytes_.add(R"({"displayTimeUnit":"ms","otherData":{"written by":"vramlab")");
}

void PerfettoWriter::note(std::string_view text) {
  bytes_.add(",\"note " + std::to_string(++note_count_) + "\":");
  add_text(text);
}

void PerfettoWriter::device(std::int64_t device) {
  begin_events();
  const std::string number = std::to_string(device);
  bytes_.add(R"({"ph":"M","name":"process_name","pid":)" + number +
             R"(,"tid":0,"args":{"name":"device )" + number + "\"}}");
}

void PerfettoWriter::figures(PerfettoPlace place, std::string_view track,
                             const MemoryFigures& figures) {
  begin_event("C", place, track);
  bytes_.add(",\"args\":{");
  add_number("allocated", figures.allocated.count);
  bytes_.add(',');
  add_number("reserved", figures.reserved.count);
  bytes_.add(',');
  add_number("largest free", figures.largest_free.count);
  bytes_.add("}}");
}

void PerfettoWriter::moment(PerfettoPlace place, std::string_view name, Bytes wanted) {
  begin_event("i", place, name);
  bytes_.add(",\"s\":\"p\",\"args\":{");
  add_number("wanted bytes", wanted.count);
  bytes_.add("}}");
}

void PerfettoWriter::slice(std::string_view phase, PerfettoPlace place,
                           const PerfettoSlice& slice) {
  begin_event(phase, place, slice.name);
  bytes_.add(",\"cat\":\"annotation\",");
  add_number("id", slice.id);
  bytes_.add('}');
}

void PerfettoWriter::finish() {
  if (!has_events_) bytes_.add("},\"traceEvents\":[");
  bytes_.add("\n]}\n");
  bytes_.flush();
}

/// Leaves the event open for its other parts.
void PerfettoWriter::begin_event(std::string_view phase, PerfettoPlace place,
                                 std::string_view name) {
  begin_events();
  bytes_.add("{\"ph\":\"");
  bytes_.add(phase);
  bytes_.add("\",\"pid\":" + std::to_string(place.device) +
             ",\"tid\":0,\"ts\":" + std::to_string(place.time_us) + ",\"name\":");
  add_text(name);
}

/// Writes the letters before an event: a comma, or the beginning of the list.
void PerfettoWriter::begin_events() {
  bytes_.add(has_events_ ? ",\n" : "},\"traceEvents\":[\n");
  has_events_ = true;
}

void PerfettoWriter::add_text(std::string_view text) {
  std::string letters;
  add_json_text(letters, text);
  bytes_.add(letters);
}

void PerfettoWriter::add_number(std::string_view key, std::uint64_t number) {
  bytes_.add('"');
  bytes_.add(key);
  bytes_.add("\":");
  bytes_.add(std::to_string(number));
}

}  // namespace vramlab::traces
