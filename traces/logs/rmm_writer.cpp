#include "traces/logs/rmm_log.h"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

struct RmmLine {
  std::string_view action;
  Address pointer;
  Bytes size;
  StreamId stream;
  std::uint64_t time_ns = 0;
};

[[noreturn]] void refuse(const std::string& expected, const std::string& found) {
  throw InputError({"the recording", "", expected, found});
}

/// All lines are of the first device that has one.
class RmmLines {
 public:
  explicit RmmLines(ByteSink& sink) : bytes_(sink) {
    bytes_.add(rmm::header);
    bytes_.add('\n');
  }

  void add(DeviceIndex device, const RmmLine& line) {
    if (!device_) device_ = device;
    if (*device_ != device)
      refuse("events of one device, as an RMM log has (--device picks one)",
             "some of device " + std::to_string(device_->value) + " and some of device " +
                 std::to_string(device.value));
    bytes_.add("0,");
    bytes_.add(rmm::time_text(line.time_ns));
    bytes_.add(',');
    bytes_.add(line.action);
    bytes_.add(",0x");
    add_number(line.pointer.value, 16);
    bytes_.add(',');
    add_number(line.size.count, 10);
    bytes_.add(',');
    add_number(line.stream.value, 10);
    bytes_.add('\n');
  }

  void flush() { bytes_.flush(); }

 private:
  void add_number(std::uint64_t number, int base) {
    std::array<char, 24> letters{};
    const auto end =
        std::to_chars(letters.data(), letters.data() + letters.size(), number, base).ptr;
    bytes_.add({letters.data(), static_cast<std::size_t>(end - letters.data())});
  }

  ByteCollector bytes_;
  std::optional<DeviceIndex> device_;
};

/// A free is told once: when it is asked for, or when it is completed and was not asked for.
class RecordedLines : public SnapshotSink {
 public:
  explicit RecordedLines(RmmLines& lines) : lines_(lines) {}

  void trace_entry(DeviceIndex device, const TraceEntry& entry) override {
    constexpr std::uint64_t ns_of_us = 1000;
    RmmLine line{rmm::free, entry.address, entry.size, entry.stream,
                 entry.time_us % (rmm::day_ns / ns_of_us) * ns_of_us};
    switch (static_cast<KnownText>(entry.action.value)) {
      case KnownText::alloc:
        line.action = rmm::allocate;
        break;
      case KnownText::free_requested:
        freed_.insert(entry.address.value);
        break;
      case KnownText::free_completed:
        if (freed_.erase(entry.address.value) != 0) return;
        break;
      case KnownText::oom:
        line.action = rmm::failure;
        line.pointer = {};
        break;
      default:
        return;
    }
    lines_.add(device, line);
  }

 private:
  RmmLines& lines_;
  /// Asked for and not completed. Looked up only.
  std::unordered_set<std::uint64_t> freed_;
};

class ProgramLines : public ProgramSink {
 public:
  ProgramLines(RmmLines& lines, const SnapshotTables& tables) : lines_(lines), tables_(tables) {}

  void program_event(const ProgramEvent& event) override {
    last_time_ns_ = event.time_ns.value_or(last_time_ns_);
    switch (event.kind) {
      case ProgramEventKind::malloc:
        return allocate(event);
      case ProgramEventKind::free:
        return free(event);
      case ProgramEventKind::use:
        memory_of(event)->second.last_stream = event.stream;
        return;
      case ProgramEventKind::marker:
        if (tables_.texts.text(event.text) == failure_marker)
          lines_.add(event.device, {rmm::failure, {}, {}, {}, last_time_ns_});
        return;
      default:
        return;
    }
  }

 private:
  struct Memory {
    Address pointer;
    Bytes bytes;
    StreamId last_stream;
  };
  using Memories = std::unordered_map<std::uint64_t, Memory>;

  void allocate(const ProgramEvent& event) {
    constexpr std::uint64_t distance = 512;
    const Address pointer{++malloc_count_ * distance};
    if (!memories_.insert({event.id, {pointer, event.bytes, event.stream}}).second)
      refuse("mallocs with an id that is free", "another one of " + std::to_string(event.id));
    lines_.add(event.device, {rmm::allocate, pointer, event.bytes, event.stream, last_time_ns_});
  }

  void free(const ProgramEvent& event) {
    const auto found = memory_of(event);
    const Memory memory = found->second;
    memories_.erase(found);
    lines_.add(event.device,
               {rmm::free, memory.pointer, memory.bytes, memory.last_stream, last_time_ns_});
  }

  Memories::iterator memory_of(const ProgramEvent& event) {
    const auto found = memories_.find(event.id);
    if (found == memories_.end())
      refuse("ids that a malloc gave", "'" + std::string(program_event_name(event.kind)) + "' of " +
                                           std::to_string(event.id));
    return found;
  }

  RmmLines& lines_;
  const SnapshotTables& tables_;
  /// By id. Looked up only.
  Memories memories_;
  std::uint64_t malloc_count_ = 0;
  std::uint64_t last_time_ns_ = 0;
};

class RmmWriter : public TraceWriter {
 public:
  RmmWriter(ByteSink& sink, const SnapshotTables& tables)
      : lines_(sink), recorded_(lines_), program_(lines_, tables) {}

  NativeSinks sinks() override { return {recorded_, program_}; }
  void finish() override { lines_.flush(); }

 private:
  RmmLines lines_;
  RecordedLines recorded_;
  ProgramLines program_;
};

}  // namespace

std::unique_ptr<TraceWriter> make_rmm_writer(ByteSink& sink, const SnapshotTables& tables) {
  return std::make_unique<RmmWriter>(sink, tables);
}

}  // namespace vramlab::traces
