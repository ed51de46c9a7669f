// CompactWriter: makes a CompactProgram of events as they come.
#pragma once

#include <set>
#include <unordered_map>

#include "replay/run/compact_program.h"

namespace vramlab::replay {

class CompactWriter {
 public:
  /// A block that is there before the first event; says its name in the program that is made.
  std::uint64_t add_start(traces::DeviceIndex device, std::uint64_t id);
  /// Throws AllocatorError where a block is named that nothing made.
  void add(const traces::ProgramEvent& event, std::uint64_t number);
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

  CompactProgram program_;
  std::unordered_map<BlockName, std::uint32_t, NameHash> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::unordered_map<EventShape, std::uint32_t, ShapeHash> shapes_;
  std::unordered_map<traces::ProgramEvent, std::uint32_t, EventHash> others_;
  std::set<traces::DeviceIndex> devices_;
  bool restores_ = false;
};

}  // namespace vramlab::replay
