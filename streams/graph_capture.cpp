#include "streams/graph_capture.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "allocator/check.h"

namespace vramlab::streams {

using allocator::GraphNode;
using allocator::StreamCapture;
using allocator::StreamId;

std::optional<StreamCapture> GraphCaptures::capture_of(StreamId stream) const {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return std::nullopt;
  return found->second;
}

const std::vector<GraphNode>& GraphCaptures::dependencies_of(GraphNode node) const {
  check(node.value >= first_node_ && node.value - first_node_ < dependencies_.size(),
        "a node is asked about while its capture is under way");
  return dependencies_[node.value - first_node_];
}

void GraphCaptures::begin(StreamId stream) {
  check(!is_capturing(stream), "a stream takes part in one capture at a time");
  streams_[stream] = {{next_capture_++}, {}};
}

void GraphCaptures::end(StreamId stream) {
  check(is_capturing(stream), "only a capture that is under way ends");
  const allocator::CaptureId capture = streams_.at(stream).id;
  std::erase_if(streams_, [capture](const auto& entry) { return entry.second.id == capture; });
  if (!streams_.empty()) return;
  first_node_ += dependencies_.size();
  dependencies_.clear();
}

void GraphCaptures::add_node(StreamId stream) {
  check(is_capturing(stream), "only a capturing stream adds nodes");
  StreamCapture& capture = streams_.at(stream);
  const GraphNode node{first_node_ + dependencies_.size()};
  dependencies_.push_back(std::exchange(capture.terminals, {node}));
}

void GraphCaptures::wait(StreamId stream, StreamId waited) {
  const auto other = streams_.find(waited);
  if (other == streams_.end()) return;
  const auto own = streams_.find(stream);
  if (own == streams_.end()) {
    streams_[stream] = other->second;
  } else if (own->second.id == other->second.id) {
    std::vector<GraphNode> joined;
    std::ranges::set_union(own->second.terminals, other->second.terminals,
                           std::back_inserter(joined));
    own->second.terminals = std::move(joined);
  }
}

}  // namespace vramlab::streams
