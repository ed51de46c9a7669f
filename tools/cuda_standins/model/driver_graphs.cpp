#include "tools/cuda_standins/model/driver_graphs.h"

#include <algorithm>
#include <utility>

namespace vramlab::dry_run {
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

void DriverGraphs::capture_into(std::uint64_t graph, streams::StreamAt stream,
                                std::span<const CUgraphNode> after) {
  Target& target = targets_[streams_.timed().capture_of(stream)->id.value];
  target = {graph == 0 ? next_handle_++ << place_bits : graph, places_of(after)};
}

std::uint64_t DriverGraphs::graph_of(allocator::CaptureId capture) const {
  return targets_.at(capture.value).graph;
}

void DriverGraphs::append(GraphId graph, const Target& target) {
  const GraphId whole = simulated_.at(target.graph);
  CapturedGraph grown = *streams_.timed().find_graph(whole);
  const auto first = static_cast<std::uint32_t>(grown.nodes.size());
  for (CapturedNode node : streams_.timed().find_graph(graph)->nodes) {
    for (std::uint32_t& before : node.after) before += first;
    if (node.after.empty()) node.after = target.after;
    grown.nodes.push_back(std::move(node));
  }
  streams_.move_payloads(graph, whole);
  streams_.destroy_graph(graph);
  streams_.timed().define_graph(whole, std::move(grown));
}

CUresult DriverGraphs::end_capture(streams::StreamAt stream, std::uint64_t& made) {
  const auto capture = streams_.timed().capture_of(stream);
  if (capture) memory_.close(GraphPlace::Kind::capture, capture->id.value);
  const GraphId simulated = new_simulated();
  const CUresult result = streams_.end_capture(stream, simulated);
  // A stream that did not begin the capture does not end it.
  if (!capture || streams_.timed().capture_of(stream)) return result;
  const Target target = std::move(targets_.extract(capture->id.value).mapped());
  if (result != CUDA_SUCCESS) return result;
  made = target.graph;
  if (simulated_.contains(made))
    append(simulated, target);
  else
    use(made, simulated);
  return result;
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
  free_on_launch_.erase(graph);
  memory_.close(GraphPlace::Kind::nodes, graph);
  let_go(simulated);
  return true;
}

bool DriverGraphs::takes_node(std::uint64_t graph, std::span<const CUgraphNode> after) const {
  const CapturedGraph* const known = find(graph);
  return known != nullptr && std::ranges::all_of(after, [&](CUgraphNode before) {
           const NodePlace place = place_of(value_of(before));
           return place.graph == graph && place.place < known->nodes.size();
         });
}

std::uint64_t DriverGraphs::add_node(std::uint64_t graph, WorkOrder order,
                                     std::span<const CUgraphNode> after) {
  const CapturedGraph* const known = find(graph);
  CapturedNode node;
  node.after = places_of(after);
  const auto place = static_cast<std::uint32_t>(known->nodes.size());
  const GraphId simulated = simulated_.at(graph);
  node.work = streams_.keep_for_graph(simulated, std::move(order));
  CapturedGraph grown = *known;
  grown.nodes.push_back(std::move(node));
  streams_.timed().define_graph(simulated, std::move(grown));
  return node_handle({graph, place});
}

GraphPlace DriverGraphs::next_place(std::uint64_t graph) const {
  const CapturedGraph* const known = find(graph);
  return {GraphPlace::Kind::nodes, graph, known == nullptr ? 0 : known->nodes.size()};
}

std::vector<GraphPlace> DriverGraphs::places_before(std::uint64_t graph,
                                                    std::span<const CUgraphNode> nodes) const {
  const CapturedGraph* const known = find(graph);
  if (known == nullptr) return {};
  std::vector<bool> is_before(known->nodes.size(), false);
  for (const CUgraphNode node : nodes)
    if (const NodePlace at = place_of(value_of(node));
        at.graph == graph && at.place < is_before.size())
      is_before[at.place] = true;
  std::vector<GraphPlace> places;
  // Nodes stand behind those that they depend on.
  for (std::size_t place = known->nodes.size(); place-- > 0;) {
    if (!is_before[place]) continue;
    places.push_back({GraphPlace::Kind::nodes, graph, place});
    for (const std::uint32_t before : known->nodes[place].after) is_before[before] = true;
  }
  return places;
}

const CapturedGraph* DriverGraphs::find(std::uint64_t graph) const {
  const auto found = simulated_.find(graph);
  return found == simulated_.end() ? nullptr : streams_.timed().find_graph(found->second);
}

std::uint64_t DriverGraphs::node_handle(const NodePlace& node) {
  return node_bit | node.graph | node.place;
}

std::vector<std::uint32_t> DriverGraphs::places_of(std::span<const CUgraphNode> nodes) {
  std::vector<std::uint32_t> places;
  for (const CUgraphNode node : nodes) places.push_back(place_of(value_of(node)).place);
  std::ranges::sort(places);
  return places;
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

std::optional<std::uint64_t> DriverGraphs::instantiate(std::uint64_t graph, AutoFree auto_free) {
  const auto found = simulated_.find(graph);
  if (found == simulated_.end()) return std::nullopt;
  const std::uint64_t handle = next_handle_++ << place_bits;
  use(handle, found->second);
  if (auto_free == AutoFree::on_launch) free_on_launch_.insert(handle);
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
  // Refused: memory and payloads stay as they are.
  if (streams_.timed().capture_of(stream))
    return result_of(streams_.timed().launch_graph(found->second, stream, 0));
  memory_.begin_launch(stream,
                       free_on_launch_.contains(executable) ? AutoFree::on_launch : AutoFree::no);
  if (const CUresult refused = streams_.prepare_launch(found->second); refused != CUDA_SUCCESS)
    return refused;
  return result_of(streams_.timed().launch_graph(found->second, stream, 0));
}

}  // namespace vramlab::dry_run
