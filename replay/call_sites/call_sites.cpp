#include "replay/call_sites/call_sites.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "allocator/options/size_rules.h"
#include "allocator/types/bytes_and_ids.h"
#include "traces/model/user_frame.h"

namespace vramlab::replay {
namespace {

/// 2 to the power of `exponent`, as bytes.
std::string power_text(int exponent) {
  constexpr const char* units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  return std::to_string(std::uint64_t{1} << (exponent % 10)) + units[exponent / 10];
}

std::string size_class(Bytes bytes) {
  if (bytes <= allocator::minimum_block) return "up to 512 B";
  // The largest power of two below it: 1 MiB itself is the end of its class.
  const int above = static_cast<int>(std::bit_width(bytes.count - 1)) - 1;
  return "over " + power_text(above) + " to " + power_text(above + 1);
}

struct AgeClass {
  std::uint64_t below_ns;
  const char* name;
};
constexpr AgeClass age_classes[] = {
    {10'000, "under 10 us"},
    {100'000, "10 us to 100 us"},
    {1'000'000, "100 us to 1 ms"},
    {10'000'000, "1 ms to 10 ms"},
    {100'000'000, "10 ms to 100 ms"},
    {1'000'000'000, "100 ms to 1 s"},
    {10'000'000'000, "1 s to 10 s"},
    {60'000'000'000, "10 s to 1 min"},
    {600'000'000'000, "1 min to 10 min"},
    {3'600'000'000'000, "10 min to 1 h"},
};

std::string age_in_time(std::uint64_t age_ns) {
  for (const AgeClass& row : age_classes)
    if (age_ns < row.below_ns) return row.name;
  return "1 h and more";
}

std::string age_in_events(std::uint64_t age) {
  std::uint64_t limit = 10;
  if (age < limit) return "under 10 events";
  while (age / limit >= 10) limit *= 10;
  return std::to_string(limit) + " to " + std::to_string(limit * 10) + " events";
}

std::string age_class(const LiveBlock& block, const AgeReference& moment) {
  if (!block.event) return "before the history began";
  if (moment.time_ns && block.time_ns)
    return age_in_time(*moment.time_ns - std::min(*moment.time_ns, *block.time_ns));
  if (!moment.event) return "unknown";
  return age_in_events(*moment.event - std::min(*moment.event, *block.event));
}

std::string pool_name(PoolId pool) {
  return pool == default_pool ? "default pool" : "pool " + name_of(pool);
}

/// The key of each block in a group. Blocks of a stack have the same site, so few texts are made.
class Keys {
 public:
  Keys(GroupBy by, const traces::SnapshotTables& tables, const BlockFacts& facts)
      : by_(by),
        tables_(tables),
        sites_(tables),
        facts_(facts),
        kinds_(facts.kinds == nullptr ? nullptr : facts.kinds->of_device(facts.device)) {}

  std::string of(const LiveBlock& block) {
    switch (by_) {
      case GroupBy::site:
        return has_stack(block) ? sites_.of(block.stack) : without_stack(block);
      case GroupBy::stack:
        return has_stack(block) ? stack_text(block.stack, tables_) : without_stack(block);
      case GroupBy::size:
        return size_class(block.bytes);
      case GroupBy::stream:
        return "stream " + std::to_string(block.stream.value);
      case GroupBy::pool:
        return pool_name(block.pool);
      case GroupBy::age:
        return age_class(block, facts_.moment);
      case GroupBy::label:
        return block.label == traces::TextId{} ? "(no label)"
                                               : std::string(tables_.texts.text(block.label));
      case GroupBy::kind:
        return shown_name_of(kind_of(block).kind);
      case GroupBy::module:
        return kinds_ == nullptr ? shown_name_of(MemoryKind::not_labelled)
                                 : module_key(kind_of(block), *facts_.kinds);
      case GroupBy::parameter:
        return kinds_ == nullptr ? shown_name_of(MemoryKind::not_labelled)
                                 : parameter_key(kind_of(block), *facts_.kinds);
    }
    return {};
  }

 private:
  BlockKind kind_of(const LiveBlock& block) const {
    return kinds_ == nullptr ? BlockKind{} : kinds_->of(block);
  }

  static bool has_stack(const LiveBlock& block) { return block.stack != traces::StackId{}; }
  static std::string without_stack(const LiveBlock& block) {
    return block.event ? no_stack_name : earlier_name;
  }

  GroupBy by_;
  const traces::SnapshotTables& tables_;
  SiteNames sites_;
  BlockFacts facts_;
  const BlockKinds* kinds_;
};

struct Collected {
  GroupTotals totals;
  traces::StackId sample_stack;
  Bytes largest;

  void add(const LiveBlock& block) {
    if (totals.blocks == 0 || block.bytes > largest) {
      largest = block.bytes;
      sample_stack = block.stack;
    }
    totals.add(block);
  }
  void add(const Collected& other) {
    if (totals.blocks == 0 || other.largest > largest) {
      largest = other.largest;
      sample_stack = other.sample_stack;
    }
    totals.add(other.totals);
  }
};

/// Groups by key as a list, the most bytes first.
template <class Group>
std::vector<HeldGroup> by_size(const std::map<std::string, Group>& groups) {
  std::vector<HeldGroup> sorted;
  for (const auto& [key, group] : groups) sorted.push_back({key, group.totals, group.sample_stack});
  std::ranges::stable_sort(sorted, [](const HeldGroup& a, const HeldGroup& b) {
    return a.totals.bytes > b.totals.bytes;
  });
  return sorted;
}

/// A stack, and whether its blocks are from before the history.
using StackKey = std::pair<traces::StackId, bool>;

std::map<StackKey, GroupTotals> totals_by_stack(const std::vector<LiveBlock>& blocks) {
  std::map<StackKey, GroupTotals> stacks;
  for (const LiveBlock& block : blocks)
    // Only blocks without a stack are told apart by age.
    stacks[{block.stack, block.stack == traces::StackId{} && !block.event}].add(block);
  return stacks;
}

/// The frames of a stack, outermost first.
std::vector<std::string> path_of(const StackKey& key, const traces::SnapshotTables& tables,
                                 traces::FrameChoice choice) {
  std::vector<std::string> path;
  for (const traces::FrameId frame : frames_of(key.first, tables, choice))
    path.push_back(frame_text(frame, tables));
  if (path.empty()) path.emplace_back(key.second ? earlier_name : no_stack_name);
  std::ranges::reverse(path);
  return path;
}

std::string escaped(std::string frame) {
  for (char& letter : frame) {
    if (letter == ';') letter = ':';
    if (letter == '\n' || letter == '\r' || letter == '\0') letter = ' ';
  }
  return frame.empty() ? "(no name)" : frame;
}

}  // namespace

void GroupTotals::add(const LiveBlock& block) {
  bytes += block.bytes;
  requested += block.requested;
  ++blocks;
}

void GroupTotals::add(const GroupTotals& other) {
  bytes += other.bytes;
  requested += other.requested;
  blocks += other.blocks;
}

const std::string& SiteNames::of(traces::StackId stack) {
  const auto [at, is_new] = names_.try_emplace(stack);
  if (is_new) {
    const auto frame = innermost_user_frame(stack, tables_);
    at->second = frame ? frame_text(*frame, tables_) : no_stack_name;
  }
  return at->second;
}

std::string stack_text(traces::StackId stack, const traces::SnapshotTables& tables) {
  std::string text;
  for (const traces::FrameId frame : frames_of(stack, tables, traces::FrameChoice::readable))
    text += (text.empty() ? "" : " < ") + frame_text(frame, tables);
  return text;
}

GroupTotals totals_of(const std::vector<LiveBlock>& blocks) {
  GroupTotals totals;
  for (const LiveBlock& block : blocks) totals.add(block);
  return totals;
}

std::vector<HeldGroup> group_blocks(const std::vector<LiveBlock>& blocks, GroupBy by,
                                    const traces::SnapshotTables& tables, const BlockFacts& facts) {
  Keys keys(by, tables, facts);
  std::map<std::string, Collected> groups;
  if (by == GroupBy::site || by == GroupBy::stack) {
    std::map<std::pair<traces::StackId, bool>, std::pair<LiveBlock, Collected>> stacks;
    for (const LiveBlock& block : blocks) {
      auto& [example, collected] = stacks[{block.stack, block.event.has_value()}];
      example = block;
      collected.add(block);
    }
    for (const auto& [stack, known] : stacks) groups[keys.of(known.first)].add(known.second);
  } else {
    for (const LiveBlock& block : blocks) groups[keys.of(block)].add(block);
  }
  return by_size(groups);
}

std::vector<HeldGroup> joined(const std::vector<std::vector<HeldGroup>>& lists) {
  std::map<std::string, HeldGroup> groups;
  for (const std::vector<HeldGroup>& list : lists)
    for (const HeldGroup& group : list) {
      const auto [known, is_new] = groups.try_emplace(group.key, group);
      if (!is_new) known->second.totals.add(group.totals);
    }
  return by_size(groups);
}

StackTree stack_tree_of(const std::vector<LiveBlock>& blocks, const traces::SnapshotTables& tables,
                        traces::FrameChoice choice) {
  StackTree tree;
  tree.nodes.emplace_back();
  std::map<std::pair<std::size_t, std::string>, std::size_t> known;
  for (const auto& [key, totals] : totals_by_stack(blocks)) {
    std::size_t at = 0;
    tree.nodes[at].totals.add(totals);
    for (const std::string& frame : path_of(key, tables, choice)) {
      const auto [child, is_new] = known.try_emplace({at, frame}, tree.nodes.size());
      if (is_new) {
        tree.nodes[at].children.push_back(child->second);
        tree.nodes.emplace_back().frame = frame;
      }
      at = child->second;
      tree.nodes[at].totals.add(totals);
    }
    tree.nodes[at].own.add(totals);
  }
  for (StackTreeNode& node : tree.nodes)
    std::ranges::sort(node.children, [&](std::size_t a, std::size_t b) {
      const StackTreeNode& left = tree.nodes[a];
      const StackTreeNode& right = tree.nodes[b];
      if (left.totals.bytes != right.totals.bytes) return left.totals.bytes > right.totals.bytes;
      return left.frame < right.frame;
    });
  return tree;
}

std::string folded_stacks(const StackTree& tree, const std::string& root) {
  std::vector<std::string> paths(tree.nodes.size());
  paths.front() = escaped(root);
  if (root.empty()) paths.front().clear();
  std::map<std::string, std::uint64_t> bytes;
  for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
    const StackTreeNode& node = tree.nodes[at];
    for (const std::size_t child : node.children)
      paths[child] = (paths[at].empty() ? "" : paths[at] + ";") + escaped(tree.nodes[child].frame);
    if (node.own.blocks > 0) bytes[paths[at]] += node.own.bytes.count;
    // The children have their own paths now.
    paths[at].clear();
    paths[at].shrink_to_fit();
  }
  std::string text;
  for (const auto& [path, count] : bytes) text += path + " " + std::to_string(count) + "\n";
  return text;
}

}  // namespace vramlab::replay
