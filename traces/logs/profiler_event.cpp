#include "traces/logs/profiler_event.h"

#include <charconv>

#include "traces/json/json_passing.h"

namespace vramlab::traces {
namespace {

bool is_number_next(JsonTokens& tokens) {
  const char letter = tokens.peek_value();
  return letter == '-' || (letter >= '0' && letter <= '9');
}

/// All of the letters; nothing where they are no such number.
std::optional<std::uint64_t> whole_of(std::string_view letters) {
  std::uint64_t number = 0;
  const char* const end = letters.data() + letters.size();
  const auto [stop, error] = std::from_chars(letters.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::uint64_t> ns_of_us(std::string_view letters) {
  constexpr std::size_t most_digits = 3;
  const std::size_t point = letters.find('.');
  const auto us = whole_of(letters.substr(0, point));
  std::string digits;
  if (point != std::string_view::npos) digits = letters.substr(point + 1);
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  digits.resize(most_digits, '0');
  const auto ns = whole_of(digits);
  std::uint64_t time = 0;
  if (!us || !ns || __builtin_mul_overflow(*us, std::uint64_t{1000}, &time) ||
      __builtin_add_overflow(time, *ns, &time))
    return std::nullopt;
  return time;
}

std::string ProfilerNumber::text() const {
  if (!whole) return other;
  return whole->is_negative ? std::to_string(static_cast<std::int64_t>(whole->bits))
                            : std::to_string(whole->bits);
}

ProfilerNumber take_number(JsonTokens& tokens) {
  const char letter = tokens.peek_value();
  if (letter == '{' || letter == '[') {
    pass_value(tokens);
    return {std::nullopt, letter == '{' ? "a dict" : "a list"};
  }
  FieldValue value;
  tokens.take_scalar(value);
  if (value.kind != FieldValue::Kind::whole)
    return {std::nullopt, found_text(value, tokens.texts())};
  return {WholeNumber{value.bits, value.is_negative}, ""};
}

ProfilerEvent ProfilerEventReader::read() {
  event_ = {};
  is_instant_ = false;
  event_.position = tokens_.window().bytes_taken();
  if (tokens_.peek_value() != '{') tokens_.fail_at_value("an event: a dict");
  tokens_.take();
  if (!tokens_.take_if('}')) do
      read_value(tokens_.take_passing_key());
    while (tokens_.take_separator('}'));
  if (!is_instant_) event_.kind = ProfilerEventKind::other;
  return event_;
}

void ProfilerEventReader::read_value(const std::string& key) {
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

void ProfilerEventReader::read_arguments() {
  tokens_.take();
  if (tokens_.take_if('}')) return;
  do {
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
  } while (tokens_.take_separator('}'));
}

}  // namespace vramlab::traces
