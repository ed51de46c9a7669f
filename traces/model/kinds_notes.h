// The notes of kinds in a snapshot: marks, which say what phase and which module's call begins at a
// place of the history, and scans, which list the storages known at a place. They lie under a key
// of their own (docs/reference/trace_format.md); replay/kinds makes kinds of blocks of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "traces/model/memory_kinds.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

inline constexpr std::string_view kinds_key = "vramlab_kinds";

/// A number in the table of names; 0 is the name of nothing.
using KindNameIndex = std::uint32_t;

struct PhaseMark {
  /// The number of entries of the device's trace before it.
  std::uint64_t before = 0;
  Phase phase = Phase::other;
  /// The path of the module that runs.
  KindNameIndex name = 0;
  friend bool operator==(const PhaseMark&, const PhaseMark&) = default;
};

struct ScannedStorage {
  Address address;
  Bytes bytes;
  MemoryKind kind = MemoryKind::not_labelled;
  /// The parameter, buffer or input.
  KindNameIndex name = 0;
  /// The key of an optimizer's state, such as `exp_avg`.
  KindNameIndex part = 0;
  friend bool operator==(const ScannedStorage&, const ScannedStorage&) = default;
};

struct ScanPlace {
  std::uint64_t before = 0;
  std::size_t scan = 0;
  friend bool operator==(const ScanPlace&, const ScanPlace&) = default;
};

struct DeviceKindsNotes {
  std::int64_t device = 0;
  /// In order.
  std::vector<PhaseMark> marks;
  std::vector<std::vector<ScannedStorage>> scans;
  /// In order.
  std::vector<ScanPlace> scanned;
};

struct KindsNotes {
  std::vector<std::string> names;
  std::vector<DeviceKindsNotes> devices;
  /// Sentences: what could not be noted.
  std::vector<std::string> troubles;
};

/// `file` is for messages. Throws InputError where the value is no such notes.
KindsNotes read_kinds_notes(const GenericValue& value, const TextTable& texts,
                            const std::string& file);

/// How many of a device's first `before` entries are left.
using KeptBefore = std::function<std::uint64_t(DeviceIndex, std::uint64_t before)>;
/// The same notes for a recording of which a part of the entries is left. Throws as
/// read_kinds_notes().
GenericPointer moved_kinds_notes(const GenericPointer& notes, TextTable& texts,
                                 const KeptBefore& kept_before, const std::string& file);

}  // namespace vramlab::traces
