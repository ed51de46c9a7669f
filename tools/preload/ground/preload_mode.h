// What the preload does in this process, as its environment says: VRAMLAB_SHIM and VRAMLAB_RECORD
// (docs/guide/preload.md).
#pragma once

#include <cstdint>
#include <optional>

namespace vramlab::preload {

enum class PreloadMode : std::uint8_t {
  /// The caching allocator; a freed block waits for what the device still does.
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
  /// Null where the environment has none.
  const char* shim = nullptr;
  const char* record = nullptr;
};
/// Without VRAMLAB_SHIM: record where there is a file to record to, else deferred. Empty if
/// VRAMLAB_SHIM names no mode.
std::optional<PreloadMode> preload_mode(const ModeVariables& words);

/// This process's mode, read once. An unknown mode is reported on standard error and means `off`.
PreloadMode process_mode();

}  // namespace vramlab::preload
