#include "traces/logs/bfc_log.h"

#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"
#include "traces/logs/rmm_log.h"
#include "traces/logs/times_of_day.h"

namespace vramlab::traces {
namespace {

constexpr std::string_view mark = "[mem-debug] ";
constexpr std::string_view source_file = "bfc_allocator.cc:";
/// TensorFlow's error output begins so.
constexpr std::string_view before_any_log =
    "WARNING: All log messages before absl::InitializeLog()";

/// Removes the letters up to the separator, and it; they are all where there is none.
std::string_view take_part(std::string_view& rest, std::string_view separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at == rest.npos ? rest.size() : at + separator.size());
  return part;
}

/// The lines of one log, decoded.
class BfcEvents {
 public:
  BfcEvents(ByteSource& source, const std::string& file) : lines_(source, file) {}

  /// Null at the end. Lines about other memory than a GPU's are left out and counted.
  std::optional<AddressEvent> next() {
    while (const auto line = lines_.next()) {
      const std::size_t at = line->find(mark);
      if (at == line->npos) continue;
      has_said_something_ = true;
      if (auto event = decode(line->substr(0, at), line->substr(at + mark.size()))) return event;
    }
    return std::nullopt;
  }

  bool has_said_something() const { return has_said_something_; }
  std::uint64_t of_other_devices() const { return of_other_devices_; }
  std::uint64_t empty_requests() const { return empty_requests_; }
  std::uint64_t bytes_taken() const { return lines_.bytes_taken(); }

 private:
  /// `AllocateRaw,GPU_0_bfc,1024,0x200000000000,` and a call stack.
  std::optional<AddressEvent> decode(std::string_view beginning, std::string_view said) {
    AddressEvent event;
    const std::string_view action = take_part(said, ",");
    if (action != "AllocateRaw" && action != "DeallocateRaw")
      lines_.fail("'AllocateRaw' or 'DeallocateRaw'", action);
    const auto device = bfc::device_of(take_part(said, ","));
    const std::string_view size = take_part(said, ",");
    const std::string_view place = take_part(said, ",");
    const auto bytes = whole_number(size);
    if (!bytes) lines_.fail("a size in bytes", size);
    const auto address = rmm::pointer(place);
    if (!address) lines_.fail("a pointer", place);
    if (const auto time_ns = bfc::time_of_line_ns(beginning))
      event.time_ns = times_.continued(*time_ns % day_ns);
    if (!is_counted(device.has_value(), *bytes)) return std::nullopt;
    event.kind = kind_of(action, *address);
    event.device = {*device};
    event.address = {*address};
    event.bytes = {*bytes};
    return event;
  }

  /// The allocator answers requests of no bytes with no memory, and takes that back.
  bool is_counted(bool is_of_gpu, std::uint64_t bytes) {
    if (!is_of_gpu)
      ++of_other_devices_;
    else if (bytes == 0)
      ++empty_requests_;
    else
      return true;
    return false;
  }

  static AddressEventKind kind_of(std::string_view action, std::uint64_t address) {
    if (action == "DeallocateRaw") return AddressEventKind::free;
    return address == 0 ? AddressEventKind::failure : AddressEventKind::allocate;
  }

  LineSource lines_;
  TimesOfDay times_;
  bool has_said_something_ = false;
  std::uint64_t of_other_devices_ = 0;
  std::uint64_t empty_requests_ = 0;
};

/// `I1127` with the level of the line, or `2026-11-27`.
bool is_date(std::string_view letters) {
  constexpr std::string_view levels = "IWEF";
  constexpr std::string_view digits = "0123456789";
  const bool has_level = letters.size() == 5 && levels.find(letters.front()) != levels.npos;
  const bool has_year = letters.size() == 10 && letters[4] == '-' && letters[7] == '-';
  if (has_level) letters.remove_prefix(1);
  const std::string_view allowed = has_level ? digits : "0123456789-";
  return (has_level || has_year) && letters.find_first_not_of(allowed) == letters.npos;
}

/// The output of a program that was not asked for its allocations looks alike.
void refuse_silence(const BfcEvents& events, const std::string& file) {
  if (!events.has_said_something())
    throw InputError({file, "byte " + std::to_string(events.bytes_taken()),
                      "a line of BFC's with " + std::string(mark) +
                          "(TF_CPP_VMODULE=bfc_allocator=4 writes them)",
                      "the end of the file"});
}

}  // namespace

namespace bfc {

std::optional<std::uint64_t> time_of_line_ns(std::string_view line) {
  constexpr std::string_view since_1970 = "00:00:";
  constexpr std::size_t seconds_of_minute = 2;
  constexpr std::uint64_t ns_of_second = 1'000'000'000;
  take_part(line, " ");
  std::string_view time = line.substr(0, line.find(' '));
  if (time.ends_with(':')) time.remove_suffix(1);
  const std::size_t point = time.find('.');
  if (time.starts_with(since_1970) && point != time.npos &&
      point > since_1970.size() + seconds_of_minute) {
    const auto seconds = whole_number(time.substr(since_1970.size(), point - since_1970.size()));
    const std::string of_second = "00:00:00" + std::string(time.substr(point));
    const auto fraction = time_of_day_ns(of_second);
    if (!seconds || !fraction || *seconds > day_ns) return std::nullopt;
    return *seconds * ns_of_second + *fraction;
  }
  return time_of_day_ns(time);
}

std::optional<std::uint32_t> device_of(std::string_view allocator) {
  constexpr std::string_view before = "GPU_";
  constexpr std::uint64_t most_devices = 128;
  if (!allocator.starts_with(before)) return std::nullopt;
  allocator.remove_prefix(before.size());
  const auto number = whole_number(take_part(allocator, "_"));
  if (!number || *number >= most_devices) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

}  // namespace bfc

bool begins_like_bfc_log(std::string_view bytes) {
  bytes = without_byte_order_mark(bytes);
  if (bytes.find(source_file) != bytes.npos || bytes.starts_with(before_any_log)) return true;
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  const std::string_view date = line.substr(0, line.find(' '));
  return is_date(date) && bfc::time_of_line_ns(line).has_value();
}

LogReading read_bfc_log(ByteSource& source, const std::string& file, SnapshotTables& tables,
                        ProgramSink& sink) {
  TraceHeader header;
  header.origin = "BFC log";
  const auto once_more = source.reopen();
  BfcEvents events(source, file);
  LogFacts facts;
  if (once_more) {
    FirstFrees first_frees;
    while (const auto event = events.next()) first_frees.look_at(*event);
    refuse_silence(events, file);
    sink.header(header);
    AddressProgram program(first_frees, sink, tables);
    BfcEvents events_again(*once_more, file);
    while (const auto event = events_again.next()) program.add(*event);
    facts = program.facts();
  } else {
    AddressLog log;
    while (const auto event = events.next()) log.add(*event);
    refuse_silence(events, file);
    sink.header(header);
    facts = log.give_to(sink, tables);
  }
  facts.of_other_devices = events.of_other_devices();
  facts.empty_requests = events.empty_requests();
  return {events.bytes_taken(), facts};
}

}  // namespace vramlab::traces
