// GraphMemory: memory of the nodes of graphs that allocate. Its addresses are fixed when the node
// is made. In one graph, memory that a node freed is the next one's that comes behind it. A launch
// needs bytes behind all that its graph has; those of memory that the graph itself frees serve
// every graph that is launched on the same stream, and stay until they are trimmed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "streams/cuda_interface/types.h"
#include "streams/stream_model/work.h"
#include "tools/cuda_standins/model/device_memory.h"
#include "tools/cuda_standins/model/driver_watcher.h"

namespace vramlab::dry_run {

/// A place in the order of a graph: behind a node of it, or where a stream got to in a capture.
struct GraphPlace {
  /// Captures and graphs made of nodes are numbered apart.
  enum class Kind : bool { capture, nodes };
  Kind kind = Kind::capture;
  std::uint64_t graph = 0;
  std::uint64_t place = 0;
  friend auto operator<=>(const GraphPlace&, const GraphPlace&) = default;
};

struct GraphMemoryFigures {
  std::uint64_t used = 0;
  std::uint64_t most_used = 0;
  std::uint64_t reserved = 0;
  std::uint64_t most_reserved = 0;
};

enum class AutoFree : bool { no, on_launch };

class GraphMemory {
 public:
  GraphMemory(DeviceMemory& memory, std::uint32_t device_count)
      : memory_(memory), figures_(device_count) {}

  struct NewMemory {
    std::uint64_t at = 0;
    /// The node's work, which keeps the address.
    WorkOrder order;
  };
  /// Memory for a node that stands behind these places. Empty if no addresses are left.
  std::optional<NewMemory> allocate(const GraphPlace& node, std::span<const GraphPlace> behind,
                                    std::pair<std::uint32_t, std::uint64_t> device_and_bytes);
  /// The work of a node that frees; empty if no node's memory begins there.
  std::optional<WorkOrder> free_in(const GraphPlace& node, std::uint64_t at);
  /// The graph gets no further nodes.
  void close(GraphPlace::Kind kind, std::uint64_t graph);
  /// A free outside of any graph: of memory that a graph left in use.
  CUresult free(std::uint64_t at);

  /// Called before the nodes of a launch, each of which has its function called.
  void begin_launch(streams::StreamAt stream, AutoFree auto_free);
  /// Gives back what no graph has in use.
  void trim(std::uint32_t device);
  GraphMemoryFigures& figures(std::uint32_t device) { return figures_.at(device); }

 private:
  struct Block;
  using BlockRef = std::shared_ptr<Block>;
  struct Held {
    /// Pieces of the device's memory, by address.
    std::map<std::uint64_t, std::uint64_t> pieces;
    std::uint64_t bytes = 0;
  };
  using HeldFor = std::pair<std::uint32_t, streams::StreamAt>;

  BlockRef take_freed(std::span<const GraphPlace> behind, std::uint32_t device,
                      std::uint64_t bytes);
  CUresult use(Block& block);
  CUresult use_for_launch(const Block& block);
  bool reserve(Held& held, std::uint32_t device, std::uint64_t bytes);
  void release(Held& held, std::uint32_t device);

  DeviceMemory& memory_;
  std::vector<GraphMemoryFigures> figures_;
  std::map<std::uint64_t, std::weak_ptr<Block>> blocks_;
  std::map<HeldFor, Held> held_;
  std::uint64_t launch_ = 0;
  streams::StreamAt launched_on_{};
  AutoFree auto_free_ = AutoFree::no;
  /// The bytes that the launch needs so far, by device.
  std::map<std::uint32_t, std::uint64_t> needed_;
  /// Memory that a node at this place freed, for the same graph. The last member: blocks use the
  /// others as they go.
  std::map<GraphPlace, std::vector<BlockRef>> freed_;
};

}  // namespace vramlab::dry_run
