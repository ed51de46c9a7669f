// The parts of an HTML report that are packed: numbers as few bytes, lists as sections of these
// bytes, and the frames and stacks of a recording, each once. The page unpacks them again
// (tools/web/report/src/bytes.ts).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

/// Numbers with seven bits a byte, the lowest first, and the top bit set where more follow; signed
/// numbers with the sign in the lowest bit.
class PageBytes {
 public:
  void add(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }
  void add_signed(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    add(number < 0 ? ~(bits << 1) : bits << 1);
  }
  /// Adds the difference from `before` to `now`.
  void add_step(std::uint64_t before, std::uint64_t now) {
    add_signed(static_cast<std::int64_t>(now - before));
  }

  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Appends a list to the bytes of a page. Its place as JSON: begin, length, count.
nlohmann::ordered_json add_section(std::string& bytes, const std::string& section,
                                   std::size_t count);
/// Appends each number as its difference from the one before, the first from 0.
nlohmann::ordered_json add_column_section(std::string& bytes,
                                          const std::vector<std::uint64_t>& numbers);

/// The frames and stacks that a page shows. A stack is a node of a tree whose root is the outermost
/// frame, so that a page can draw all stacks as one flame graph.
class PageTexts {
 public:
  /// The tables must live as long.
  explicit PageTexts(const traces::SnapshotTables& tables) : tables_(tables) {}

  /// The node of a stack's innermost frame; 0 for a stack without frames.
  std::uint32_t node_of(traces::StackId stack);
  /// The number of the stack's call site, its innermost frame of the user's own code; 0 where the
  /// stack has none.
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
    /// 0 where the line is not known.
    std::int64_t line = 0;
  };
  /// The first node stands for no stack.
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Frame>& frames() const { return frames_; }
  /// Such as `train.py:12 step`; the first site is empty.
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
