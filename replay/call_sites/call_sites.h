// Call sites: blocks that are held, grouped by what people ask for: where in the program they were
// allocated, how large they are, how old, on which stream, from which pool. A group is known by a
// text that says the same in every file, so groups of two files can be compared by it; nothing in
// it depends on addresses or on the order of a file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/call_sites/memory_events.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

enum class GroupBy : std::uint8_t {
  /// The innermost frame of the user's own code.
  site,
  /// All frames that are readable (user_frame.h).
  stack,
  /// Powers of two that the blocks lie between.
  size,
  stream,
  pool,
  /// How long before the moment it was allocated.
  age,
  /// What the program called it.
  label,
};

struct GroupTotals {
  /// As LiveBlock::bytes.
  Bytes bytes;
  Bytes requested;
  std::uint64_t blocks = 0;

  void add(const LiveBlock& block);
  void add(const GroupTotals& other);
  friend bool operator==(const GroupTotals&, const GroupTotals&) = default;
};

struct HeldGroup {
  std::string key;
  GroupTotals totals;
  /// The largest block's.
  traces::StackId sample_stack;
};

/// The moment that ages are counted back from.
struct AgeReference {
  std::optional<std::uint64_t> event;
  std::optional<std::uint64_t> time_ns;
};

/// The most bytes first, equal ones by key.
std::vector<HeldGroup> group_blocks(const std::vector<LiveBlock>& blocks, GroupBy by,
                                    const traces::SnapshotTables& tables,
                                    const AgeReference& moment = {});

GroupTotals totals_of(const std::vector<LiveBlock>& blocks);

/// The names of call sites, each found once. Such as `project/train.py:12 step`.
class SiteNames {
 public:
  /// The tables must outlive it.
  explicit SiteNames(const traces::SnapshotTables& tables) : tables_(tables) {}

  /// Valid as long as the names. A stack without frames has a name that says so.
  const std::string& of(traces::StackId stack);

 private:
  const traces::SnapshotTables& tables_;
  std::map<traces::StackId, std::string> names_;
};

/// The names of sites of which a file has no stack: mostly of memory from before the recording.
inline constexpr const char* no_stack_name = "(no stack was recorded)";
inline constexpr const char* earlier_name = "(no stack: older than the recording)";

/// The readable frames as one text, innermost first, ` < ` between.
std::string stack_text(traces::StackId stack, const traces::SnapshotTables& tables);

}  // namespace vramlab::replay
