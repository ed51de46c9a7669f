// CompactProgram: a program's events kept, so that it is read once and replayed many times.
// Requests, frees, work and the like take eight bytes, beside their number in the file; rarer
// events point to a whole event. Names of blocks are small numbers, used again once a block is
// freed: the memory for them grows with the live blocks, not with the program. A long program lies
// in scratch files; a replay goes through it with a CompactReader of its own.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "allocator/types/directed.h"
#include "traces/io/long_sequence.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

enum class CompactKind : std::uint8_t {
  malloc,
  free,
  use,
  work,
  stream_done,
  event_record,
  event_wait,
  /// A whole event, about streams alone.
  other_of_streams,
  other,
  /// A whole event that stands for how little memory there was when it was recorded.
  of_recorded_memory,
};

/// The traits that many events share.
struct EventShape {
  traces::DeviceIndex device;
  Bytes bytes;
  StreamId stream;
  friend bool operator==(const EventShape&, const EventShape&) = default;
};

class CompactEvent {
 public:
  CompactEvent() = default;
  CompactEvent(CompactKind kind, std::uint32_t slot, std::uint32_t shape)
      : word_(slot << kind_bits | static_cast<std::uint32_t>(kind)), shape_(shape) {}
  CompactKind kind() const { return static_cast<CompactKind>(word_ & kind_mask); }
  /// Names a block, or an event of a stream; the nanoseconds of a piece of work.
  std::uint32_t slot() const { return word_ >> kind_bits; }
  /// The place of a whole event among them.
  std::uint32_t shape() const { return shape_; }

 private:
  static constexpr std::uint32_t kind_bits = 4;
  static constexpr std::uint32_t kind_mask = (1U << kind_bits) - 1;
  std::uint32_t word_ = 0;
  std::uint32_t shape_ = 0;
};
inline constexpr std::uint32_t most_slots = 1U << 28;

/// Whether streams can make a difference to the allocator.
enum class StreamsMatter : bool { no, yes };

class CompactProgram {
 public:
  std::size_t event_count() const { return events_.size(); }
  /// Requests and frees.
  std::uint64_t call_count() const { return call_count_; }
  std::uint64_t request_count() const { return request_count_; }
  /// The shapes of all events, each once. Only requests have bytes.
  const std::vector<EventShape>& shapes() const { return shapes_; }
  const EventShape& shape(const CompactEvent& event) const { return shapes_[event.shape()]; }
  const traces::ProgramEvent& other(const CompactEvent& event) const {
    return others_[event.shape()];
  }

  std::uint32_t slot_count() const { return slot_count_; }
  StreamsMatter streams_matter() const { return streams_matter_; }
  /// A restored checkpoint names blocks by the ids of the program: it needs whole events.
  bool needs_ids() const { return needs_ids_; }
  /// Options or a memory fraction change on the way.
  bool changes_limits() const { return changes_limits_; }
  /// Streams of PyTorch's pools go by other names here, which ProgramReplay knows.
  bool takes_pool_streams() const { return takes_pool_streams_; }
  /// There are events about pinned host memory, which ProgramReplay knows.
  bool uses_host() const { return uses_host_; }
  /// The devices that events name, ascending.
  const std::vector<traces::DeviceIndex>& devices() const { return devices_; }

 private:
  friend class CompactWriter;
  friend class CompactReader;

  traces::LongSequence<CompactEvent> events_;
  traces::LongSequence<std::uint32_t> numbers_;
  std::vector<EventShape> shapes_;
  std::vector<traces::ProgramEvent> others_;
  /// Each event's time plus one; 0 for an event without a time.
  traces::LongSequence<std::uint64_t> times_ns_;
  /// Empty unless they are needed or kept.
  traces::LongSequence<std::uint64_t> ids_;
  traces::LongSequence<traces::StackId> stacks_;
  std::vector<traces::DeviceIndex> devices_;
  std::uint64_t call_count_ = 0;
  std::uint64_t request_count_ = 0;
  std::uint32_t slot_count_ = 0;
  StreamsMatter streams_matter_ = StreamsMatter::no;
  bool needs_ids_ = false;
  bool takes_pool_streams_ = false;
  bool changes_limits_ = false;
  bool uses_host_ = false;
};

/// Goes through a program, which must outlive it. Each thread has its own.
class CompactReader {
 public:
  explicit CompactReader(const CompactProgram& program);

  CompactEvent operator[](std::size_t index) { return events_[index]; }
  /// The event's number in the file.
  std::uint64_t number(std::size_t index) { return numbers_[index]; }
  /// The first event whose number is not below this one; the number of events if there is none.
  std::size_t index_from(std::uint64_t number);
  /// The event as it was; blocks have their own ids where these are kept, and the names of slots
  /// elsewhere.
  traces::ProgramEvent event_at(std::size_t index);

 private:
  const CompactProgram& program_;
  traces::SequenceReader<CompactEvent> events_;
  traces::SequenceReader<std::uint32_t> numbers_;
  traces::SequenceReader<std::uint64_t> times_ns_;
  traces::SequenceReader<std::uint64_t> ids_;
  traces::SequenceReader<traces::StackId> stacks_;
};

/// A segment that is there before the first event.
struct StartingSegment {
  GivenSegment segment;
  /// The id of each block; 0 if the program holds none.
  std::vector<std::uint64_t> ids;
  /// The stack of each block; known if it is still there at the recording's end.
  std::vector<traces::StackId> stacks;
};

/// Mapped, and in classic segments.
Bytes reserved_in(const std::vector<StartingSegment>& start);

/// A part that is replayed on its own: a program, or one device of a recorded history.
struct ProgramPart {
  CompactProgram program;
  /// Segments of the start.
  std::vector<StartingSegment> start;
  /// How many of the first events make the rest of the start: pools and waiting frees.
  std::size_t start_event_count = 0;
  /// Numbers of the requests that failed when it was recorded, ascending: they are tried, and given
  /// back at once.
  std::vector<std::uint64_t> failed;
};

// CompactWriter: makes a CompactProgram of events as they come.

/// Whether blocks keep the ids that the file gave them: where a checkpoint is restored, which may
/// come last, they must.
enum class KeepsIds : std::uint8_t { never, if_restored, always };

/// Whether an event stands for how little memory there was when it was recorded.
enum class OfRecordedMemory : bool { no, yes };

class CompactWriter {
 public:
  explicit CompactWriter(const traces::ScratchPlace& scratch = {},
                         KeepsIds keeps = KeepsIds::if_restored);

  /// A block that is there before the first event; says its name in the program that is made.
  std::uint64_t add_start(traces::DeviceIndex device, std::uint64_t id);
  /// Throws AllocatorError where a block is named that nothing made.
  void add(const traces::ProgramEvent& event, std::uint64_t number,
           OfRecordedMemory of_memory = OfRecordedMemory::no);
  std::size_t event_count() const { return program_.events_.size(); }
  CompactProgram finish();

 private:
  struct BlockName {
    traces::DeviceIndex device;
    std::uint64_t id;
    friend bool operator==(const BlockName&, const BlockName&) = default;
  };
  struct NameHash {
    std::size_t operator()(const BlockName& name) const;
  };
  struct ShapeHash {
    std::size_t operator()(const EventShape& shape) const;
  };
  struct EventHash {
    std::size_t operator()(const traces::ProgramEvent& event) const;
  };

  CompactEvent compact(const traces::ProgramEvent& event);
  CompactEvent of_stream(const traces::ProgramEvent& event);
  CompactEvent whole(const traces::ProgramEvent& event, CompactKind kind);
  void note_traits(const traces::ProgramEvent& event);
  std::uint32_t new_slot(const BlockName& name);
  std::uint32_t slot_of(const BlockName& name, const char* purpose);
  std::uint32_t shape_of(const EventShape& shape);
  std::uint32_t place_of(const traces::ProgramEvent& event);

  KeepsIds keeps_ids_;
  CompactProgram program_;
  std::unordered_map<BlockName, std::uint32_t, NameHash> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::unordered_map<EventShape, std::uint32_t, ShapeHash> shapes_;
  std::unordered_map<traces::ProgramEvent, std::uint32_t, EventHash> others_;
  std::set<traces::DeviceIndex> devices_;
  bool restores_ = false;
};

}  // namespace vramlab::replay
