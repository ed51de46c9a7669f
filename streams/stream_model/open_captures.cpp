#include "streams/stream_model/open_captures.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "allocator/types/check.h"

namespace vramlab::streams {

NodePlaces terminals_of(const CapturedGraph& graph) {
  std::vector<bool> is_followed(graph.nodes.size(), false);
  for (const CapturedNode& node : graph.nodes)
    for (const std::uint32_t before : node.after) is_followed[before] = true;
  NodePlaces terminals;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
    if (!is_followed[i]) terminals.push_back(i);
  return terminals;
}

OpenCaptures::Member* OpenCaptures::find(StreamAt stream) {
  const auto found = members_.find(stream);
  return found == members_.end() ? nullptr : &found->second;
}

const OpenCaptures::Member* OpenCaptures::find(StreamAt stream) const {
  const auto found = members_.find(stream);
  return found == members_.end() ? nullptr : &found->second;
}

Capture* OpenCaptures::find(CaptureId id) {
  const auto found = captures_.find(id);
  return found == captures_.end() ? nullptr : &found->second;
}

void OpenCaptures::begin(StreamAt origin, bool is_blocking, CaptureMode mode, ThreadId thread) {
  const CaptureId id{next_capture_++};
  Capture& capture = captures_[id];
  capture = {id, origin, mode, thread, false, id.value * nodes_per_capture, {}};
  join(origin, is_blocking, capture, {});
}

void OpenCaptures::join(StreamAt stream, bool is_blocking, Capture& capture,
                        const NodePlaces& tips) {
  check(find(stream) == nullptr, "a stream takes part in one capture at a time");
  members_[stream] = {&capture, tips, is_blocking};
}

void OpenCaptures::add_node(Member& member, CapturedNode node) {
  std::vector<CapturedNode>& nodes = member.capture->graph.nodes;
  check(std::uint64_t{nodes.size()} < nodes_per_capture, "a graph has fewer than 2^32 nodes");
  node.after = std::exchange(member.tips, {static_cast<std::uint32_t>(nodes.size())});
  nodes.push_back(std::move(node));
}

void OpenCaptures::add_tips(Member& member, const NodePlaces& tips) {
  NodePlaces all;
  std::ranges::set_union(member.tips, tips, std::back_inserter(all));
  member.tips = std::move(all);
}

bool OpenCaptures::is_joined(const Member& member) {
  const std::vector<CapturedNode>& nodes = member.capture->graph.nodes;
  std::vector<bool> is_reached(nodes.size(), false);
  for (const std::uint32_t tip : member.tips) is_reached[tip] = true;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!is_reached[i]) return false;
    for (const std::uint32_t before : nodes[i].after) is_reached[before] = true;
  }
  return true;
}

void OpenCaptures::leave(StreamAt stream) {
  const Member* member = find(stream);
  if (member == nullptr) return;
  if (member->capture->origin == stream)
    end(member->capture->id);
  else
    members_.erase(stream);
}

CapturedGraph OpenCaptures::end(CaptureId id) {
  Capture* capture = find(id);
  check(capture != nullptr, "only a capture that is under way ends");
  CapturedGraph graph = std::move(capture->graph);
  std::erase_if(members_, [capture](const auto& entry) { return entry.second.capture == capture; });
  captures_.erase(id);
  return graph;
}

bool OpenCaptures::has_blocking_member(std::uint32_t device) const {
  return std::ranges::any_of(members_, [device](const auto& entry) {
    return entry.second.is_blocking && entry.first.device == device;
  });
}

std::optional<StreamCapture> OpenCaptures::capture_of(StreamAt stream) const {
  const Member* member = find(stream);
  if (member == nullptr) return std::nullopt;
  StreamCapture capture{member->capture->id, {}};
  for (const std::uint32_t tip : member->tips)
    capture.terminals.push_back({member->capture->first_node + tip});
  return capture;
}

std::vector<GraphNode> OpenCaptures::dependencies_of(GraphNode node) const {
  const auto capture = captures_.find({node.value / nodes_per_capture});
  const std::uint64_t place = node.value % nodes_per_capture;
  check(capture != captures_.end() && place < capture->second.graph.nodes.size(),
        "a node is asked about while its capture is under way");
  std::vector<GraphNode> before;
  for (const std::uint32_t other : capture->second.graph.nodes[as_index(place)].after)
    before.push_back({capture->second.first_node + other});
  return before;
}

}  // namespace vramlab::streams
