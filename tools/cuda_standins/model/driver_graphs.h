// DriverGraphs: graphs that were captured or made of nodes, and executable ones. The simulator has
// what they consist of; an executable graph keeps that of the graph which it was made of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "streams/cuda_interface/types.h"
#include "tools/cuda_standins/model/driver_streams.h"

namespace vramlab::dry_run {

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
  /// What the capture made, as this graph or, with 0, as a new one.
  CUresult end_capture(streams::StreamAt stream, std::uint64_t graph, std::uint64_t& made);
  std::optional<std::uint64_t> clone(std::uint64_t graph);
  bool destroy(std::uint64_t graph);

  /// The node's handle; empty where there is no such graph, or a dependency is no node of it.
  std::optional<std::uint64_t> add_node(std::uint64_t graph, WorkOrder order,
                                        std::span<const CUgraphNode> after);
  /// Null where there is no such graph.
  const streams::CapturedGraph* find(std::uint64_t graph) const;
  static std::uint64_t node_handle(const NodePlace& node);
  /// Null where it is no node; of a graph that is there, not of a capture under way.
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
  /// What stands behind graphs and executables, by handle.
  std::map<std::uint64_t, streams::GraphId> simulated_;
  /// How many of them do.
  std::map<streams::GraphId, std::uint32_t> users_;
};

}  // namespace vramlab::dry_run
