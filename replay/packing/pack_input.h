// PackInput: what is to be packed, from a recording, a program or a list of buffers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/packing/buffer.h"
#include "replay/packing/find_lifetimes.h"
#include "replay/packing/lifetimes.h"
#include "traces/logs/buffer_list.h"

namespace vramlab::replay {

enum class PackSource : std::uint8_t { recording, program, buffer_list };
/// Such as `recording`.
std::string_view pack_source_name(PackSource source);

/// Buffers that share one range of addresses.
struct PackGroup {
  /// Empty for a list of buffers.
  std::optional<std::int64_t> device;
  std::vector<Buffer> buffers;
  /// For a device.
  std::optional<LowerBounds> bounds;
  /// No packing is lower, not even one that uses the gaps in the lifetimes of a list.
  Bytes load_bound;
  std::optional<Bytes> online_peak_reserved;
};

struct PackInput {
  std::string file;
  PackSource source = PackSource::recording;
  std::vector<PackGroup> groups;
  /// Sentences: what is not sure.
  std::vector<std::string> notes;
};

/// Throws InputError where nothing is in use.
PackInput pack_input_of(Recording& recording);
/// Requires: they begin like a list of buffers. Throws InputError.
PackInput read_pack_list(traces::OpenBytes& bytes);
/// `file` is for messages. Throws InputError where sizes are not countable.
PackGroup pack_group_of(const DeviceLifetimes& device, const std::string& file);

/// Buffers as they are there all the time, gaps included.
std::vector<Buffer> buffers_of(const std::vector<traces::BufferRow>& rows);
/// The most that is needed at once, without what gaps leave out.
Bytes load_bound_of(const std::vector<traces::BufferRow>& rows);

}  // namespace vramlab::replay
