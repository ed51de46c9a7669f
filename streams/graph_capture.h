// GraphCaptures: which streams take part in a capture, and the graphs that the captures build: a
// node per piece of work, depending on what the stream's terminal nodes were.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "allocator/device.h"

namespace vramlab::streams {

class GraphCaptures {
 public:
  bool is_capturing(allocator::StreamId stream) const { return streams_.contains(stream); }
  std::optional<allocator::StreamCapture> capture_of(allocator::StreamId stream) const;
  /// Requires: the node belongs to a capture that is under way.
  const std::vector<allocator::GraphNode>& dependencies_of(allocator::GraphNode node) const;

  /// A new graph without nodes. Requires: the stream does not capture.
  void begin(allocator::StreamId stream);
  /// The capture ends for every stream in it. Requires: the stream captures.
  void end(allocator::StreamId stream);
  /// Requires: the stream captures.
  void add_node(allocator::StreamId stream);
  /// `stream` joins the capture of `waited`, or adds its terminal nodes to its own. Nothing happens
  /// where `waited` does not capture, or where both capture different graphs.
  void wait(allocator::StreamId stream, allocator::StreamId waited);

 private:
  std::map<allocator::StreamId, allocator::StreamCapture> streams_;
  /// By node id, less those of captures before the present ones.
  std::vector<std::vector<allocator::GraphNode>> dependencies_;
  std::uint64_t first_node_ = 0;
  std::uint64_t next_capture_ = 1;
};

}  // namespace vramlab::streams
