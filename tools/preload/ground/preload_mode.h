// The mode of the preload in this process, from VRAMLAB_SHIM and VRAMLAB_RECORD
// (docs/guide/preload.md), and its messages to the user.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace vramlab::preload {

enum class PreloadMode : std::uint8_t {
  /// The caching allocator; a freed block waits for the device's pending work.
  deferred,
  /// The caching allocator; a free waits as the driver's own does.
  sync,
  /// As deferred, and each block is an allocation of the driver.
  nosplit,
  /// Calls go to the driver and are written down.
  record,
  /// Calls go to the driver.
  off,
};

struct ModeVariables {
  /// Null if the variable is not set.
  const char* shim = nullptr;
  const char* record = nullptr;
};
/// Without VRAMLAB_SHIM: record if VRAMLAB_RECORD names a file, else deferred. Empty if
/// VRAMLAB_SHIM names no mode.
std::optional<PreloadMode> preload_mode(const ModeVariables& words);

/// This process's mode, read once. An unknown mode is reported on standard error and means `off`.
PreloadMode process_mode();

// A message is one line on standard error from inside another program: put together on the stack,
// written at once, without streams or memory.

/// Writes `vramlab: ` and the parts; a line ends after 512 bytes.
void say(std::initializer_list<std::string_view> parts);

}  // namespace vramlab::preload
