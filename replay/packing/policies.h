// Policies: allocators to compare the caching allocator with, and the table of them. A new policy
// is one source beside this one and a row in policies.cpp (docs/guide/packing.md).
//
// A policy gets its memory from a simulated device, which counts the memory taken and given back.
// It must keep these rules:
//   Blocks that are live at once share no memory.
//   free() comes when other streams are done with a block, but the block's own stream may still
//   work on it. So its memory may serve requests on the same stream at once, and those on another
//   one only after the device waited for the stream, or after it went back to the device.
//   Memory of a private pool serves that pool alone: a graph may still use its addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/reference_version.h"
#include "streams/device/memory_device.h"
#include "streams/memory/free_gaps.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::replay {

/// Blocks of the same pool and stream, which may share memory without waiting.
struct ArenaName {
  PoolId pool;
  StreamId stream;
  friend auto operator<=>(const ArenaName&, const ArenaName&) = default;
};

struct PolicyRequest {
  /// The name of the block until it is freed; used once.
  std::uint64_t id = 0;
  /// Not 0.
  Bytes bytes;
  ArenaName arena;
  /// The place in the program where it is made, the same each time.
  traces::StackId site;
};

/// Figures that the device cannot count.
struct PolicyReport {
  /// Existing physical units that were mapped to other addresses.
  std::uint64_t units_remapped = 0;
  /// Waits for streams so that their memory could serve others.
  std::uint64_t stream_waits = 0;
  /// Sentences.
  std::vector<std::string> notes;
};

class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  /// The block's address; empty where no memory is left.
  virtual std::optional<Address> malloc(const PolicyRequest& request) = 0;
  /// Requires: the block is live.
  virtual void free(std::uint64_t id) = 0;
  /// The device memory behind a live block, which checkers compare: its addresses, or the physical
  /// units where these are not at the block's addresses.
  virtual std::vector<streams::AddressRange> memory_of(std::uint64_t id) const = 0;
  virtual PolicyReport report() const = 0;
  /// The program begins to do the same again.
  virtual void iteration_ended() {}
  // Notices of the program. A policy may ignore them.
  /// Free memory should go back to the device: from this pool, or for the default pool from all
  /// pools that no program needs.
  virtual void cache_emptied(PoolId /*pool*/) {}
  /// No graph uses the private pool's addresses any more.
  virtual void pool_given_up(PoolId /*pool*/) {}
  virtual void options_changed(const std::string& /*options*/) {}
};

struct PolicyConditions {
  const ReferenceVersion& version;
  /// For the policies that are in PyTorch.
  allocator::Settings settings;
};

struct PolicyRow {
  std::string_view name;
  std::string_view sentence;
  /// False of ideas that cannot be turned on.
  bool is_in_pytorch = false;
  std::unique_ptr<Policy> (*make)(streams::MemoryDevice& device,
                                  const PolicyConditions& conditions);
};

std::span<const PolicyRow> all_policies();

using PolicyMaker = std::unique_ptr<Policy>(streams::MemoryDevice& device,
                                            const PolicyConditions& conditions);

PolicyMaker make_caching_policy;
PolicyMaker make_expandable_policy;
PolicyMaker make_first_fit_policy;
PolicyMaker make_tlsf_policy;
PolicyMaker make_stitching_policy;
PolicyMaker make_planned_policy;

}  // namespace vramlab::replay
