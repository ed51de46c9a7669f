#include "tools/cuda_standins/model/driver_graphs.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace vramlab::dry_run {
namespace {

class GraphBlock {
 public:
  GraphBlock(DeviceMemory& memory, const Allocation& allocation)
      : memory_(memory), allocation_(allocation) {}
  GraphBlock(const GraphBlock&) = delete;
  GraphBlock& operator=(const GraphBlock&) = delete;
  ~GraphBlock() {
    if (taken_) memory_.give_back(allocation_.device, *taken_);
    memory_.release(allocation_.at);
  }

  bool take() {
    if (!taken_) taken_ = memory_.take(allocation_.device, allocation_.bytes);
    return taken_.has_value();
  }

 private:
  DeviceMemory& memory_;
  Allocation allocation_;
  std::optional<std::uint64_t> taken_;
};

}  // namespace

std::optional<NewGraphMemory> new_graph_memory(DeviceMemory& memory, std::uint32_t device,
                                               std::uint64_t bytes) {
  Allocation wish{.bytes = bytes, .kind = MemoryKind::graph, .device = device};
  const auto at = memory.allocate(wish);
  if (!at) return std::nullopt;
  wish.at = *at;
  NewGraphMemory made{*at, {}};
  made.order.work.kind = streams::WorkKind::kernel;
  made.order.before_launch = [block = std::make_shared<GraphBlock>(memory, wish)] {
    return block->take();
  };
  return made;
}

using streams::CapturedGraph;
using streams::CapturedNode;
using streams::GraphId;

GraphId DriverGraphs::new_simulated() { return {next_simulated_++}; }

void DriverGraphs::use(std::uint64_t handle, GraphId simulated) {
  ++users_[simulated];
  const auto [found, is_new] = simulated_.try_emplace(handle, simulated);
  if (!is_new) let_go(std::exchange(found->second, simulated));
}

void DriverGraphs::let_go(GraphId simulated) {
  if (--users_.at(simulated) > 0) return;
  users_.erase(simulated);
  streams_.destroy_graph(simulated);
}

std::uint64_t DriverGraphs::create() {
  const std::uint64_t handle = next_handle_++ << place_bits;
  const GraphId simulated = new_simulated();
  streams_.timed().define_graph(simulated, {});
  use(handle, simulated);
  return handle;
}

CUresult DriverGraphs::end_capture(streams::StreamAt stream, std::uint64_t graph,
                                   std::uint64_t& made) {
  const GraphId simulated = new_simulated();
  const CUresult result = streams_.end_capture(stream, simulated);
  if (result != CUDA_SUCCESS) return result;
  made = graph == 0 ? next_handle_++ << place_bits : graph;
  use(made, simulated);
  return CUDA_SUCCESS;
}

std::optional<std::uint64_t> DriverGraphs::clone(std::uint64_t graph) {
  const CapturedGraph* const known = find(graph);
  if (known == nullptr) return std::nullopt;
  const std::uint64_t handle = create();
  streams_.timed().define_graph(simulated_.at(handle), CapturedGraph(*known));
  return handle;
}

bool DriverGraphs::destroy(std::uint64_t graph) {
  const auto found = simulated_.find(graph);
  if (found == simulated_.end()) return false;
  const GraphId simulated = found->second;
  simulated_.erase(found);
  let_go(simulated);
  return true;
}

std::optional<std::uint64_t> DriverGraphs::add_node(std::uint64_t graph, WorkOrder order,
                                                    std::span<const CUgraphNode> after) {
  const CapturedGraph* const known = find(graph);
  if (known == nullptr) return std::nullopt;
  CapturedNode node;
  for (const CUgraphNode before : after) {
    const NodePlace place = place_of(value_of(before));
    if (place.graph != graph || place.place >= known->nodes.size()) return std::nullopt;
    node.after.push_back(place.place);
  }
  std::ranges::sort(node.after);
  const auto place = static_cast<std::uint32_t>(known->nodes.size());
  const GraphId simulated = simulated_.at(graph);
  node.work = streams_.keep_for_graph(simulated, std::move(order));
  CapturedGraph grown = *known;
  grown.nodes.push_back(std::move(node));
  streams_.timed().define_graph(simulated, std::move(grown));
  return node_handle({graph, place});
}

const CapturedGraph* DriverGraphs::find(std::uint64_t graph) const {
  const auto found = simulated_.find(graph);
  return found == simulated_.end() ? nullptr : streams_.timed().find_graph(found->second);
}

std::uint64_t DriverGraphs::node_handle(const NodePlace& node) {
  return node_bit | node.graph | node.place;
}

NodePlace DriverGraphs::place_of(std::uint64_t node) {
  constexpr std::uint64_t places = (1ULL << place_bits) - 1;
  return {node & ~node_bit & ~places, static_cast<std::uint32_t>(node & places)};
}

const CapturedNode* DriverGraphs::find_node(std::uint64_t handle) const {
  if ((handle & node_bit) == 0) return nullptr;
  const NodePlace node = place_of(handle);
  const CapturedGraph* const graph = find(node.graph);
  return graph == nullptr || node.place >= graph->nodes.size() ? nullptr
                                                               : &graph->nodes[node.place];
}

std::optional<std::uint64_t> DriverGraphs::instantiate(std::uint64_t graph) {
  const auto found = simulated_.find(graph);
  if (found == simulated_.end()) return std::nullopt;
  const std::uint64_t handle = next_handle_++ << place_bits;
  use(handle, found->second);
  return handle;
}

bool DriverGraphs::update(std::uint64_t executable, std::uint64_t graph) {
  const auto found = simulated_.find(graph);
  if (found == simulated_.end() || !simulated_.contains(executable)) return false;
  use(executable, found->second);
  return true;
}

CUresult DriverGraphs::launch(std::uint64_t executable, streams::StreamAt stream) {
  const auto found = simulated_.find(executable);
  if (found == simulated_.end()) return CUDA_ERROR_INVALID_HANDLE;
  if (!streams_.prepare_launch(found->second)) return CUDA_ERROR_OUT_OF_MEMORY;
  return result_of(streams_.timed().launch_graph(found->second, stream, 0));
}

}  // namespace vramlab::dry_run
