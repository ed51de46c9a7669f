// PerfettoWriter: a Chrome trace in JSON, which ui.perfetto.dev and chrome://tracing show: curves
// of memory, moments without memory, and the parts of a program that people named. It spells
// finished values and knows no allocator. Each device is a process of the trace.
//
// Requires of the caller: times don't go back, and a slice that ends has begun.
#pragma once

#include <cstdint>
#include <string_view>

#include "allocator/types/bytes_and_ids.h"
#include "traces/io/byte_sink.h"

namespace vramlab::traces {

/// The memory of a group of segments.
struct MemoryFigures {
  /// In blocks that are in use, by their whole sizes.
  Bytes allocated;
  /// In segments, or mapped.
  Bytes reserved;
  Bytes largest_free;
  friend bool operator==(const MemoryFigures&, const MemoryFigures&) = default;
};

/// The device and the time of something in the trace.
struct PerfettoPlace {
  std::int64_t device = 0;
  std::uint64_t time_us = 0;
};

struct PerfettoSlice {
  std::string_view name;
  /// Tells the slice from others of the same name.
  std::uint64_t id = 0;
};

class PerfettoWriter {
 public:
  /// The sink must outlive it.
  explicit PerfettoWriter(ByteSink& sink);

  /// A remark that readers of the trace should know; before everything else.
  void note(std::string_view text);
  /// Before the events of a device.
  void device(std::int64_t device);

  void figures(PerfettoPlace place, std::string_view track, const MemoryFigures& figures);
  /// A moment, with a number that belongs to it.
  void moment(PerfettoPlace place, std::string_view name, Bytes wanted);
  void slice_begin(PerfettoPlace place, const PerfettoSlice& begun) { slice("b", place, begun); }
  void slice_end(PerfettoPlace place, const PerfettoSlice& ended) { slice("e", place, ended); }

  void finish();

 private:
  void begin_event(std::string_view phase, PerfettoPlace place, std::string_view name);
  void slice(std::string_view phase, PerfettoPlace place, const PerfettoSlice& slice);
  void begin_events();
  void add_text(std::string_view text);
  void add_number(std::string_view key, std::uint64_t number);

  ByteCollector bytes_;
  std::uint64_t note_count_ = 0;
  bool has_events_ = false;
};

}  // namespace vramlab::traces
