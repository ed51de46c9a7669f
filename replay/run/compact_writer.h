// CompactWriter: makes a CompactProgram of events as they come.
#pragma once

#include <set>
#include <unordered_map>

#include "replay/run/compact_program.h"

namespace vramlab::replay {

enum class KeepsStacks : bool { no, yes };

/// Whether an event stands for how little memory there was when it was recorded.
enum class OfRecordedMemory : bool { no, yes };

class CompactWriter {
 public:
  explicit CompactWriter(KeepsStacks keeps = KeepsStacks::no) : keeps_stacks_(keeps) {}

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
  std::uint32_t new_slot(const BlockName& name);
  std::uint32_t slot_of(const BlockName& name, const char* purpose);
  std::uint32_t shape_of(const EventShape& shape);
  std::uint32_t place_of(const traces::ProgramEvent& event);

  KeepsStacks keeps_stacks_;
  CompactProgram program_;
  std::unordered_map<BlockName, std::uint32_t, NameHash> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::unordered_map<EventShape, std::uint32_t, ShapeHash> shapes_;
  std::unordered_map<traces::ProgramEvent, std::uint32_t, EventHash> others_;
  std::set<traces::DeviceIndex> devices_;
  bool restores_ = false;
};

}  // namespace vramlab::replay
