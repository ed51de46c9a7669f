#include "traces/logs/profiler_json.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"
#include "traces/io/letters.h"
#include "traces/json/json_tokens.h"
#include "traces/logs/address_program.h"
#include "traces/model/generic_text.h"

namespace vramlab::traces {
namespace {

constexpr std::size_t most_devices = 1024;
constexpr std::uint64_t largest_device = std::numeric_limits<std::uint32_t>::max();

bool is_gpu(WholeNumber device_type) { return device_type == WholeNumber{1, false}; }

enum class ProfilerEventKind : std::uint8_t { other, memory, out_of_memory };

/// The value under a key of an event.
struct ProfilerNumber {
  /// Null if the value is no whole number of 64 bits, or the key is not there.
  std::optional<WholeNumber> whole;
  /// Any other value, for messages.
  std::string other = "none";

  std::string text() const { return whole ? whole_text(*whole) : other; }
};

/// The facts of an event that memory events need, in whichever order its keys come.
struct ProfilerEvent {
  ProfilerEventKind kind = ProfilerEventKind::other;
  /// The byte of the file at which the event begins.
  std::uint64_t position = 0;
  std::optional<std::uint64_t> time_ns;
  /// The value in place of a time, for messages.
  std::string other_time = "none";
  ProfilerNumber device_type;
  ProfilerNumber device;
  ProfilerNumber address;
  ProfilerNumber bytes;
};

bool is_number_next(JsonTokens& tokens) {
  const char letter = tokens.peek_value();
  return letter == '-' || is_digit(letter);
}

/// Takes the value at the tokens, whatever it is.
ProfilerNumber take_number(JsonTokens& tokens) {
  const char letter = tokens.peek_value();
  if (letter == '{' || letter == '[') {
    pass_value(tokens);
    return {std::nullopt, letter == '{' ? "a dict" : "a list"};
  }
  FieldValue value;
  tokens.take_scalar(value);
  if (const auto* number = std::get_if<WholeNumber>(&value)) return {*number, ""};
  return {std::nullopt, found_text(value, tokens.texts())};
}

class ProfilerEventReader {
 public:
  /// The tokens must outlive it.
  explicit ProfilerEventReader(JsonTokens& tokens) : tokens_(tokens) {}

  /// The event that begins where the tokens are.
  ProfilerEvent read() {
    event_ = {};
    is_instant_ = false;
    event_.position = tokens_.window().bytes_taken();
    if (tokens_.peek_value() != '{') tokens_.fail_at_value("an event: a dict");
    tokens_.take_each('}', [&] { read_value(tokens_.take_passing_key()); });
    if (!is_instant_) event_.kind = ProfilerEventKind::other;
    return event_;
  }

 private:
  void read_value(const std::string& key) {
    if (key == "name" && tokens_.peek_value() == '"') {
      const std::string_view name = tokens_.take_passing_text();
      event_.kind = name == "[memory]"        ? ProfilerEventKind::memory
                    : name == "[OutOfMemory]" ? ProfilerEventKind::out_of_memory
                                              : ProfilerEventKind::other;
    } else if (key == "ph" && tokens_.peek_value() == '"') {
      const std::string_view phase = tokens_.take_passing_text();
      is_instant_ = phase == "i" || phase == "I";
    } else if (key == "ts" && is_number_next(tokens_)) {
      FieldValue ignored;
      tokens_.take_scalar(ignored);
      event_.time_ns = ns_of_us(tokens_.number_letters());
      if (!event_.time_ns) event_.other_time = tokens_.number_letters();
    } else if (key == "ts") {
      event_.other_time = take_number(tokens_).other;
    } else if (key == "args" && tokens_.peek_value() == '{') {
      read_arguments();
    } else {
      pass_value(tokens_);
    }
  }

  void read_arguments() {
    tokens_.take_each('}', [&] {
      const std::string& key = tokens_.take_passing_key();
      ProfilerNumber* const field = key == "Device Type" ? &event_.device_type
                                    : key == "Device Id" ? &event_.device
                                    : key == "Addr"      ? &event_.address
                                    : key == "Bytes"     ? &event_.bytes
                                                         : nullptr;
      if (field != nullptr)
        *field = take_number(tokens_);
      else
        pass_value(tokens_);
    });
  }

  JsonTokens& tokens_;
  ProfilerEvent event_;
  bool is_instant_ = false;
};

class ProfilerReader {
 public:
  ProfilerReader(JsonInput input, SnapshotTables& tables)
      : file_(input.file), tables_(tables), tokens_(input, tables.texts), events_(tokens_) {
    header_.origin = "torch profiler";
  }

  LogReading read(ProgramSink& sink) {
    tokens_.pass_byte_order_mark();
    const char letter = tokens_.peek_value();
    if (letter == '{') {
      read_top();
    } else if (letter == '[') {
      read_events();
    } else {
      tokens_.fail_at_value("a Chrome trace: a dict, or a list of events");
    }
    tokens_.expect_end();
    if (!has_events_) tokens_.fail("a list under 'traceEvents'", "none");
    sink.header(header_);
    LogFacts facts = log_.give_to(sink, tables_);
    facts.of_other_devices = left_out_.of_other_devices;
    facts.empty_requests = left_out_.empty_requests;
    return {tokens_.window().bytes_taken(), facts};
  }

 private:
  void read_top() {
    tokens_.take_each('}', [&] {
      const std::string& key = tokens_.take_passing_key();
      const bool is_list = tokens_.peek_value() == '[';
      if (key == "traceEvents" && is_list)
        read_events();
      else if (key == "deviceProperties" && is_list)
        read_devices();
      else
        pass_value(tokens_);
    });
  }

  void read_events() {
    if (has_events_) tokens_.fail("each key once", "the key 'traceEvents' again");
    has_events_ = true;
    tokens_.take_each(']', [&] { take_event(events_.read()); });
  }

  void take_event(const ProfilerEvent& event) {
    if (event.kind == ProfilerEventKind::other) return;
    if (!event.device_type.whole)
      fail(event, "a whole number under 'Device Type'", event.device_type.text());
    if (is_gpu(*event.device_type.whole))
      take_gpu_event(event);
    else
      ++left_out_.of_other_devices;
  }

  void take_gpu_event(const ProfilerEvent& event) {
    AddressEvent made;
    if (!event.time_ns) fail(event, "microseconds from 0 on under 'ts'", event.other_time);
    made.time_ns = *event.time_ns;
    const auto device = event.device.whole;
    if (!device || device->is_negative || device->bits > largest_device)
      fail(event, "a number from 0 to 2^32 - 1 under 'Device Id'", event.device.text());
    made.device = {static_cast<std::uint32_t>(device->bits)};
    if (event.kind == ProfilerEventKind::out_of_memory) {
      made.kind = AddressEventKind::failure;
      return log_.add(made);
    }
    const auto address = event.address.whole;
    const auto bytes = event.bytes.whole;
    if (!address) fail(event, "a whole number under 'Addr'", event.address.text());
    if (!bytes) fail(event, "a whole number under 'Bytes'", event.bytes.text());
    made.address = {address->bits};
    made.kind = bytes->is_negative ? AddressEventKind::free : AddressEventKind::allocate;
    made.bytes = {bytes->is_negative ? ~bytes->bits + 1 : bytes->bits};
    if (made.bytes.count == 0)
      ++left_out_.empty_requests;
    else
      log_.add(made);
  }

  void read_devices() {
    tokens_.take_each(']', [&] {
      std::optional<TraceDevice> device = read_device();
      if (!device || is_known(device->index)) return;
      if (header_.devices.size() == most_devices)
        tokens_.fail("at most " + std::to_string(most_devices) + " devices", "more");
      header_.devices.push_back(*std::move(device));
    });
  }

  bool is_known(DeviceIndex index) const {
    return std::ranges::count(header_.devices, index, &TraceDevice::index) != 0;
  }

  /// Null for a device without a number.
  std::optional<TraceDevice> read_device() {
    TraceDevice device;
    std::optional<WholeNumber> number;
    std::optional<WholeNumber> memory;
    if (tokens_.peek_value() != '{') {
      pass_value(tokens_);
      return std::nullopt;
    }
    tokens_.take_each('}', [&] {
      const std::string& key = tokens_.take_passing_key();
      if (key == "name" && tokens_.peek_value() == '"')
        device.name = tokens_.take_passing_text();
      else if (key == "id")
        number = take_number(tokens_).whole;
      else if (key == "totalGlobalMem")
        memory = take_number(tokens_).whole;
      else
        pass_value(tokens_);
    });
    if (!number || number->is_negative || number->bits > largest_device) return std::nullopt;
    device.index = {static_cast<std::uint32_t>(number->bits)};
    if (memory && !memory->is_negative) device.memory = {memory->bits};
    if (!is_utf8(device.name)) device.name.clear();
    return device;
  }

  [[noreturn]] void fail(const ProfilerEvent& event, const std::string& expected,
                         const std::string& found) const {
    throw InputError({file_, "byte " + std::to_string(event.position),
                      "a memory event with " + expected, found});
  }

  const std::string& file_;
  SnapshotTables& tables_;
  JsonTokens tokens_;
  ProfilerEventReader events_;
  AddressLog log_;
  TraceHeader header_;
  LogFacts left_out_;
  bool has_events_ = false;
};

}  // namespace

std::optional<std::uint64_t> ns_of_us(std::string_view letters) {
  constexpr std::size_t most_digits = 3;
  const std::size_t point = letters.find('.');
  const auto us = whole_number(letters.substr(0, point));
  std::string digits;
  if (point != std::string_view::npos) digits = letters.substr(point + 1);
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  digits.resize(most_digits, '0');
  const auto ns = whole_number(digits);
  std::uint64_t time = 0;
  if (!us || !ns || __builtin_mul_overflow(*us, std::uint64_t{1000}, &time) ||
      __builtin_add_overflow(time, *ns, &time))
    return std::nullopt;
  return time;
}

LogReading read_profiler_json(ByteSource& source, const std::string& file, SnapshotTables& tables,
                              ProgramSink& sink) {
  JsonInput input{source, file};
  // PyTorch cuts some names within a character.
  input.invalid_bytes = InvalidBytes::replaced;
  return ProfilerReader(input, tables).read(sink);
}

}  // namespace vramlab::traces
