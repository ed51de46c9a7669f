// What a program did, counted while a native trace is read: ProgramCounter is fed by a reader, its
// counts are a value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "traces/values/program_sink.h"

namespace vramlab::traces {

struct ProgramTimes {
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
};

struct ProgramSummary {
  TraceHeader header;
  /// By kind.
  std::array<std::uint64_t, program_event_kind_count> counts{};
  /// Of all mallocs together.
  allocator::Bytes requested;
  /// Nothing where no event has a time.
  std::optional<ProgramTimes> times;

  std::uint64_t event_count() const;
};

class ProgramCounter : public ProgramSink {
 public:
  void header(const TraceHeader& header) override { summary_.header = header; }
  void program_event(const ProgramEvent& event) override;
  const ProgramSummary& summary() const { return summary_; }

 private:
  ProgramSummary summary_;
};

}  // namespace vramlab::traces
