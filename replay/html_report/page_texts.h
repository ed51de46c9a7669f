// PageTexts: the frames and stacks that a report page shows, each once. A stack is a node of a tree
// whose root is the outermost frame, so that a page can draw all of them as one flame graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

class PageTexts {
 public:
  /// The tables must live as long.
  explicit PageTexts(const traces::SnapshotTables& tables) : tables_(tables) {}

  /// The node of a stack's innermost frame; 0 of a stack without frames.
  std::uint32_t node_of(traces::StackId stack);
  /// The number of the stack's call site, its innermost frame of the user's own code; 0 where the
  /// stack says none.
  std::uint32_t site_of(traces::StackId stack);
  /// Index into `texts()`.
  std::uint32_t text_of(traces::TextId id);

  struct Node {
    std::uint32_t parent = 0;
    /// Index into `frames()`.
    std::uint32_t frame = 0;
    /// Index into `sites()`.
    std::uint32_t site = 0;
  };
  struct Frame {
    /// Indices into `texts()`.
    std::uint32_t name = 0;
    std::uint32_t file = 0;
    /// 0 where it is not known.
    std::int64_t line = 0;
  };
  /// The first one stands for no stack.
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Frame>& frames() const { return frames_; }
  /// Such as `train.py:12 step`; the first one is empty.
  const std::vector<std::string>& sites() const { return sites_; }
  const std::vector<traces::TextId>& texts() const { return texts_; }

 private:
  std::uint32_t frame_of(traces::FrameId id);

  const traces::SnapshotTables& tables_;
  std::vector<Node> nodes_{Node{}};
  std::vector<Frame> frames_;
  std::vector<std::string> sites_{std::string()};
  std::vector<traces::TextId> texts_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> children_;
  std::unordered_map<std::uint32_t, std::uint32_t> node_of_stack_;
  std::unordered_map<std::uint32_t, std::uint32_t> site_of_stack_;
  std::unordered_map<std::uint32_t, std::uint32_t> number_of_frame_;
  std::unordered_map<std::uint32_t, std::uint32_t> number_of_text_;
  std::map<std::string, std::uint32_t> number_of_site_;
};

}  // namespace vramlab::replay
