// The calls of recorded cases. Each is an event of a program, under the name that cases have for
// it and with its values in their order; the reader and the text for people follow the same table.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "traces/model/program_event.h"

namespace vramlab::traces {

enum class CallField : std::uint8_t {
  none,
  id,
  bytes,
  stream,
  waited_stream,
  pool,
  /// May be left out.
  maybe_pool,
  fraction,
  text,
  scope,
  traits,
};

struct CallForm {
  std::string_view name;
  ProgramEventKind kind;
  std::array<CallField, 3> fields{};
};

/// The most frequent ones first: they are looked up one by one.
std::span<const CallForm> call_forms();

/// Such as `malloc, 5, 1000, 0`; `text` is that of the event. Requires: cases have such a call.
std::string call_text(const ProgramEvent& call, std::string_view text);

}  // namespace vramlab::traces
