// DriverGraphs: graphs that were captured or made of nodes, and executable ones. The simulator has
// their nodes; an executable graph keeps those of its graph.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "streams/cuda_interface/types.h"
#include "tools/cuda_standins/model/driver_streams.h"
#include "tools/cuda_standins/model/driver_watcher.h"
#include "tools/cuda_standins/model/graph_memory.h"

namespace vramlab::dry_run {

/// Its number as a handle: which graph, and which place in it.
struct NodePlace {
  std::uint64_t graph = 0;
  std::uint32_t place = 0;
};

class DriverGraphs {
 public:
  DriverGraphs(DriverStreams& streams, GraphMemory& memory) : streams_(streams), memory_(memory) {}

  /// A handle of an empty graph.
  std::uint64_t create();
  /// The capture of the stream will be added to this graph, behind these nodes; with 0 it will be
  /// a new one. Requires: there is such a capture, and the graph takes a node behind them.
  void capture_into(std::uint64_t graph, streams::StreamAt stream,
                    std::span<const CUgraphNode> after);
  /// The graph that a capture will be, or be added to. Requires: the capture was begun with one.
  std::uint64_t graph_of(allocator::CaptureId capture) const;
  /// Turns the capture into its graph.
  CUresult end_capture(streams::StreamAt stream, std::uint64_t& made);
  std::optional<std::uint64_t> clone(std::uint64_t graph);
  bool destroy(std::uint64_t graph);

  /// The place of the node that is added next.
  GraphPlace next_place(std::uint64_t graph) const;
  /// These nodes and all that come before them.
  std::vector<GraphPlace> places_before(std::uint64_t graph,
                                        std::span<const CUgraphNode> nodes) const;
  /// Whether there is such a graph, and each dependency is a node of it.
  bool takes_node(std::uint64_t graph, std::span<const CUgraphNode> after) const;
  /// The node's handle. Requires: the graph takes it.
  std::uint64_t add_node(std::uint64_t graph, WorkOrder order, std::span<const CUgraphNode> after);
  /// Null where there is no such graph.
  const streams::CapturedGraph* find(std::uint64_t graph) const;
  static std::uint64_t node_handle(const NodePlace& node);
  /// Null if it is no node of a graph; nodes of a capture under way do not count.
  const streams::CapturedNode* find_node(std::uint64_t handle) const;
  static NodePlace place_of(std::uint64_t node);

  /// A handle; empty where there is no such graph.
  std::optional<std::uint64_t> instantiate(std::uint64_t graph, AutoFree auto_free);
  /// The executable does what the graph does from now on.
  bool update(std::uint64_t executable, std::uint64_t graph);
  CUresult launch(std::uint64_t executable, streams::StreamAt stream);

 private:
  /// Handles of nodes have this bit, the graph's number, and the place.
  static constexpr std::uint64_t node_bit = 1ULL << 62;
  static constexpr unsigned place_bits = 24;

  struct Target {
    std::uint64_t graph = 0;
    /// Places of the nodes that come before.
    std::vector<std::uint32_t> after;
  };

  /// In their order.
  static std::vector<std::uint32_t> places_of(std::span<const CUgraphNode> nodes);
  streams::GraphId new_simulated();
  /// Adds a graph's nodes behind those of another. It is empty from then on.
  void append(streams::GraphId graph, const Target& target);
  void use(std::uint64_t handle, streams::GraphId simulated);
  void let_go(streams::GraphId simulated);

  DriverStreams& streams_;
  GraphMemory& memory_;
  /// Executables that free what their last launch left in use.
  std::set<std::uint64_t> free_on_launch_;
  std::uint64_t next_handle_ = 0x10;
  std::uint64_t next_simulated_ = 1;
  /// The simulator's graphs behind graphs and executables, by handle.
  std::map<std::uint64_t, streams::GraphId> simulated_;
  /// By the number of a capture.
  std::map<std::uint64_t, Target> targets_;
  /// The number of handles of each.
  std::map<streams::GraphId, std::uint32_t> users_;
};

}  // namespace vramlab::dry_run
