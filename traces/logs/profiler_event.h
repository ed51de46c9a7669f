// ProfilerEvent: of one event of a Chrome trace, what a reader of memory events wants to know, in
// whichever order its keys come. ProfilerEventReader takes one from JSON tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traces/json/json_tokens.h"

namespace vramlab::traces {

enum class ProfilerEventKind : std::uint8_t { other, memory, out_of_memory };

/// What stands under a key.
struct ProfilerNumber {
  /// Nothing where the value is no whole number of 64 bits, or the key is not there.
  std::optional<WholeNumber> whole;
  /// What else there is, for messages.
  std::string other = "none";

  std::string text() const;
};

struct ProfilerEvent {
  ProfilerEventKind kind = ProfilerEventKind::other;
  /// Of the event's beginning in the file.
  std::uint64_t position = 0;
  std::optional<std::uint64_t> time_ns;
  /// What there is where that is nothing.
  std::string other_time = "none";
  ProfilerNumber device_type;
  ProfilerNumber device;
  ProfilerNumber address;
  ProfilerNumber bytes;
};

class ProfilerEventReader {
 public:
  /// The tokens must outlive it.
  explicit ProfilerEventReader(JsonTokens& tokens) : tokens_(tokens) {}

  /// The event that begins where the tokens are.
  ProfilerEvent read();

 private:
  void read_value(const std::string& key);
  void read_arguments();

  JsonTokens& tokens_;
  ProfilerEvent event_;
  bool is_instant_ = false;
};

/// Takes the value at the tokens, whatever it is.
ProfilerNumber take_number(JsonTokens& tokens);

/// Nanoseconds of a number of microseconds as it is written, such as `1700000000000000.123`: exact,
/// which a double would not be. What is beyond nanoseconds is cut off. Nothing where it is
/// negative, too large or has an exponent.
std::optional<std::uint64_t> ns_of_us(std::string_view letters);

}  // namespace vramlab::traces
