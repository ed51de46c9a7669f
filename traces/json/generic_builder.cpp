#include "traces/json/generic_builder.h"

#include <algorithm>
#include <utility>

namespace vramlab::traces {

void GenericBuilder::begin(GenericValue value) {
  open_.push_back({std::make_shared<GenericValue>(std::move(value)), nullptr});
  ++part_count_;
}

void GenericBuilder::add(GenericPointer value) {
  Open& around = open_.back();
  around.value->depth = std::max(around.value->depth, value->depth + 1);
  ++part_count_;
  if (auto* dict = std::get_if<GenericDict>(&around.value->content))
    dict->items.emplace_back(std::move(around.key), std::move(value));
  else
    std::get<GenericList>(around.value->content).items.push_back(std::move(value));
}

std::optional<GenericPointer> GenericBuilder::end() {
  GenericPointer value = std::move(open_.back().value);
  open_.pop_back();
  if (open_.empty()) {
    part_count_ = 0;
    return value;
  }
  add(std::move(value));
  // It was counted when it began.
  --part_count_;
  return std::nullopt;
}

GenericPointer GenericBuilder::text(TextId id) {
  if (id.value >= texts_.size()) texts_.resize(std::size_t{id.value} + 1);
  GenericPointer& text = texts_[id.value];
  if (!text) text = std::make_shared<const GenericValue>(GenericValue{id, 0});
  return text;
}

}  // namespace vramlab::traces
