// GraphCaptures: the captures of one device whose streams are counted: what CaptureBook knows, in
// the words of a device that refuses nothing.
#pragma once

#include <optional>
#include <vector>

#include "streams/time/capture_book.h"

namespace vramlab::streams {

class GraphCaptures {
 public:
  bool is_capturing(allocator::StreamId stream) const { return book_.find({0, stream}) != nullptr; }
  std::optional<allocator::StreamCapture> capture_of(allocator::StreamId stream) const {
    return book_.capture_of({0, stream});
  }
  /// Requires: the node belongs to a capture that is under way.
  std::vector<allocator::GraphNode> dependencies_of(allocator::GraphNode node) const {
    return book_.dependencies_of(node);
  }

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
  CaptureBook book_;
};

}  // namespace vramlab::streams
