#include "traces/logs/rmm_log.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"
#include "traces/logs/address_program.h"
#include "traces/logs/times_of_day.h"

namespace vramlab::traces {
namespace {

bool has_hexadecimal_sign(std::string_view letters) {
  return letters.starts_with("0x") || letters.starts_with("0X");
}

enum RmmColumn : std::uint8_t { thread, time, action, pointer, size, stream, column_count };
using Columns = std::array<std::string_view, column_count>;

/// The lines of one log, decoded.
class RmmEvents {
 public:
  RmmEvents(ByteSource& source, const std::string& file) : lines_(source, file) { take_header(); }

  /// Null at the end. Lines about no memory at all are left out and counted.
  std::optional<AddressEvent> next() {
    while (const auto line = lines_.next()) {
      if (line->empty()) continue;
      const AddressEvent event = decode(*line);
      const bool is_empty = event.address.value == 0 && event.bytes.count == 0;
      if (!is_empty || event.kind == AddressEventKind::failure) return event;
      ++empty_requests_;
    }
    return std::nullopt;
  }

  std::uint64_t empty_requests() const { return empty_requests_; }
  std::uint64_t bytes_taken() const { return lines_.bytes_taken(); }

 private:
  void take_header() {
    const std::string_view line = lines_.next().value_or("");
    if (line != rmm::header) fail("the line '" + std::string(rmm::header) + "'", line);
  }

  AddressEvent decode(std::string_view line) {
    const Columns columns = split(line);
    AddressEvent event;
    event.kind = kind_of(columns[action]);
    if (const auto time_ns = time_of_day_ns(columns[time]))
      event.time_ns = times_.continued(*time_ns);
    event.bytes = {needed(whole_number(columns[size]), "a size in bytes", columns[size])};
    event.stream = {needed(rmm::stream(columns[stream]), "a stream", columns[stream])};
    if (event.kind != AddressEventKind::failure)
      event.address = {needed(rmm::pointer(columns[pointer]), "a pointer", columns[pointer])};
    return event;
  }

  Columns split(std::string_view line) const {
    Columns columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t comma = line.find(',');
      const bool is_last = i + 1 == columns.size();
      if (is_last != (comma == std::string_view::npos))
        fail(std::to_string(columns.size()) + " values between commas", is_last ? "more" : "fewer");
      columns[i] = line.substr(0, comma);
      if (!is_last) line.remove_prefix(comma + 1);
    }
    return columns;
  }

  AddressEventKind kind_of(std::string_view letters) const {
    if (letters == rmm::allocate) return AddressEventKind::allocate;
    if (letters == rmm::free) return AddressEventKind::free;
    if (letters == rmm::failure) return AddressEventKind::failure;
    fail("'allocate', 'free' or 'allocate failure'", letters);
  }

  template <typename Value>
  Value needed(std::optional<Value> value, const char* expected, std::string_view found) const {
    if (!value) fail(expected, found);
    return *value;
  }

  [[noreturn]] void fail(const std::string& expected, std::string_view found) const {
    lines_.fail(expected, found);
  }

  LineSource lines_;
  std::uint64_t empty_requests_ = 0;
  TimesOfDay times_;
};

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
                 entry.time_us % (day_ns / ns_of_us) * ns_of_us};
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
  /// Frees that were asked for and not completed. Looked up only.
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

namespace rmm {

std::optional<std::uint64_t> pointer(std::string_view letters) {
  if (letters == "(nil)") return 0;
  if (has_hexadecimal_sign(letters)) letters.remove_prefix(2);
  return whole_number(letters, 16);
}

std::optional<std::uint64_t> stream(std::string_view letters) {
  const bool is_decimal = letters.find_first_not_of("0123456789") == std::string_view::npos;
  return is_decimal ? whole_number(letters) : pointer(letters);
}

std::string time_text(std::uint64_t time_ns) {
  const std::uint64_t us = time_ns % day_ns / 1000;
  const std::uint64_t seconds = us / 1'000'000;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%02u:%02u:%02u:%06u",
                static_cast<unsigned>(seconds / 3600), static_cast<unsigned>(seconds / 60 % 60),
                static_cast<unsigned>(seconds % 60), static_cast<unsigned>(us % 1'000'000));
  return text.data();
}

}  // namespace rmm

bool begins_like_rmm_log(std::string_view bytes) {
  return without_byte_order_mark(bytes).starts_with(rmm::header);
}

LogReading read_rmm_log(ByteSource& source, const std::string& file, SnapshotTables& tables,
                        ProgramSink& sink) {
  TraceHeader header;
  header.origin = "RMM log";
  const auto once_more = source.reopen();
  RmmEvents events(source, file);
  LogFacts facts;
  if (once_more) {
    FirstFrees first_frees;
    while (const auto event = events.next()) first_frees.look_at(*event);
    sink.header(header);
    AddressProgram program(first_frees, sink, tables);
    RmmEvents events_again(*once_more, file);
    while (const auto event = events_again.next()) program.add(*event);
    facts = program.facts();
  } else {
    AddressLog log;
    while (const auto event = events.next()) log.add(*event);
    sink.header(header);
    facts = log.give_to(sink, tables);
  }
  facts.empty_requests = events.empty_requests();
  return {events.bytes_taken(), facts};
}

std::unique_ptr<TraceWriter> make_rmm_writer(ByteSink& sink, const SnapshotTables& tables) {
  return std::make_unique<RmmWriter>(sink, tables);
}

}  // namespace vramlab::traces
