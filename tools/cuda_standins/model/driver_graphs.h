// Graphs: the memory of their nodes, and the graphs themselves. The address of such memory is fixed
// when the node that allocates is made, and the memory is there from the first launch until graph
// and executable are gone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "streams/cuda_interface/types.h"
#include "tools/cuda_standins/model/device_memory.h"
#include "tools/cuda_standins/model/driver_streams.h"
#include "tools/cuda_standins/model/driver_watcher.h"

namespace vramlab::dry_run {

struct NewGraphMemory {
  std::uint64_t at = 0;
  /// The node's work, which keeps the address.
  WorkOrder order;
};

/// Empty if no addresses are left.
std::optional<NewGraphMemory> new_graph_memory(DeviceMemory& memory, std::uint32_t device,
                                               std::uint64_t bytes);

// DriverGraphs: graphs that were captured or made of nodes, and executable ones. The simulator has
// their nodes; an executable graph keeps those of its graph.

/// Its number as a handle: which graph, and which place in it.
struct NodePlace {
  std::uint64_t graph = 0;
  std::uint32_t place = 0;
};

class DriverGraphs {
 public:
  explicit DriverGraphs(DriverStreams& streams) : streams_(streams) {}

  /// A handle of an empty graph.
  std::uint64_t create();
  /// Turns the capture into this graph or, with 0, into a new one.
  CUresult end_capture(streams::StreamAt stream, std::uint64_t graph, std::uint64_t& made);
  std::optional<std::uint64_t> clone(std::uint64_t graph);
  bool destroy(std::uint64_t graph);

  /// The node's handle; empty where there is no such graph, or a dependency is no node of it.
  std::optional<std::uint64_t> add_node(std::uint64_t graph, WorkOrder order,
                                        std::span<const CUgraphNode> after);
  /// Null where there is no such graph.
  const streams::CapturedGraph* find(std::uint64_t graph) const;
  static std::uint64_t node_handle(const NodePlace& node);
  /// Null if it is no node of a graph; nodes of a capture under way do not count.
  const streams::CapturedNode* find_node(std::uint64_t handle) const;
  static NodePlace place_of(std::uint64_t node);

  /// A handle; empty where there is no such graph.
  std::optional<std::uint64_t> instantiate(std::uint64_t graph);
  /// The executable does what the graph does from now on.
  bool update(std::uint64_t executable, std::uint64_t graph);
  CUresult launch(std::uint64_t executable, streams::StreamAt stream);

 private:
  /// Handles of nodes have this bit, the graph's number, and the place.
  static constexpr std::uint64_t node_bit = 1ULL << 62;
  static constexpr unsigned place_bits = 24;

  streams::GraphId new_simulated();
  void use(std::uint64_t handle, streams::GraphId simulated);
  void let_go(streams::GraphId simulated);

  DriverStreams& streams_;
  std::uint64_t next_handle_ = 0x10;
  std::uint64_t next_simulated_ = 1;
  /// The simulator's graphs behind graphs and executables, by handle.
  std::map<std::uint64_t, streams::GraphId> simulated_;
  /// The number of handles of each.
  std::map<streams::GraphId, std::uint32_t> users_;
};

}  // namespace vramlab::dry_run
