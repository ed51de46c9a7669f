#include "replay/html_report/packed_parts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "traces/model/user_frame.h"

namespace vramlab::replay {

using traces::FrameId;
using traces::StackId;

std::uint32_t PageTexts::node_of(StackId stack) {
  const auto known = node_of_stack_.find(stack.value);
  if (known != node_of_stack_.end()) return known->second;
  std::uint32_t node = 0;
  const auto frames = tables_.stacks.frames(stack);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    const std::pair<std::uint32_t, std::uint32_t> child{node, frame_of(*frame)};
    const auto [place, is_new] =
        children_.try_emplace(child, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({child.first, child.second, 0});
    node = place->second;
  }
  // A stack without frames, which is node 0, says no place.
  if (node != 0) nodes_[node].site = site_of(stack);
  return node_of_stack_[stack.value] = node;
}

std::uint32_t PageTexts::site_of(StackId stack) {
  const auto known = site_of_stack_.find(stack.value);
  if (known != site_of_stack_.end()) return known->second;
  std::uint32_t site = 0;
  if (const auto frame = innermost_user_frame(stack, tables_)) {
    const std::string text = frame_text(*frame, tables_);
    const auto [place, is_new] =
        number_of_site_.try_emplace(text, static_cast<std::uint32_t>(sites_.size()));
    if (is_new) sites_.push_back(text);
    site = place->second;
  }
  return site_of_stack_[stack.value] = site;
}

std::uint32_t PageTexts::frame_of(FrameId id) {
  const auto [place, is_new] =
      number_of_frame_.try_emplace(id.value, static_cast<std::uint32_t>(frames_.size()));
  if (is_new) {
    const traces::FrameValue& frame = tables_.frames.frame(id);
    const std::uint32_t name = text_of(frame.name);
    frames_.push_back({name, text_of(frame.filename), std::max<std::int64_t>(frame.line, 0)});
  }
  return place->second;
}

std::uint32_t PageTexts::text_of(traces::TextId id) {
  const auto [place, is_new] =
      number_of_text_.try_emplace(id.value, static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(id);
  return place->second;
}

nlohmann::ordered_json add_section(std::string& bytes, const std::string& section,
                                   std::size_t count) {
  nlohmann::ordered_json place = {bytes.size(), section.size(), count};
  bytes += section;
  return place;
}

nlohmann::ordered_json add_column_section(std::string& bytes,
                                          const std::vector<std::uint64_t>& numbers) {
  PageBytes packed;
  std::uint64_t before = 0;
  for (const std::uint64_t number : numbers) {
    packed.add_step(before, number);
    before = number;
  }
  return add_section(bytes, packed.bytes(), numbers.size());
}

}  // namespace vramlab::replay
