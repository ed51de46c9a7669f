#include "traces/snapshot_from_generic.h"

#include <utility>

#include "allocator/check.h"
#include "traces/snapshot_fields.h"

namespace vramlab::traces {

SnapshotFiller::SnapshotFiller(SnapshotTables& tables, Fail fail)
    : tables_(tables), fail_(std::move(fail)) {}

void SnapshotFiller::fail(const std::string& expected, const std::string& found) const {
  fail_(expected, found);
  check_failed("a reader's fault stops the reading", __FILE__, __LINE__);
}

void SnapshotFiller::fill(SegmentValue& segment, const GenericValue& dict) {
  fill_fields(segment, dict);
  allocator::Address next = segment.address;
  for (BlockValue& block : segment.blocks) {
    if (!block.keys.has(KnownText::address)) block.address = next;
    next = block.address + block.size;
  }
}

void SnapshotFiller::fill(TraceEntry& entry, const GenericValue& dict) {
  fill_fields(entry, dict);
  if (!entry.keys.has(KnownText::action)) fail("an event with an 'action'", "none");
}

void SnapshotFiller::fill(AnnotationValue& annotation, const GenericValue& dict) {
  fill_fields(annotation, dict);
}

template <typename Value>
void SnapshotFiller::fill_fields(Value& value, const GenericValue& generic) {
  const auto* dict = std::get_if<GenericDict>(&generic.content);
  if (dict == nullptr) fail("a dict", "another value");
  for (const auto& [key, item] : dict->items) {
    const auto* text = std::get_if<TextId>(&key->content);
    if (text == nullptr) fail("a text as key", "another value");
    const auto known = known_key(*text);
    if (!known || !FieldsOf<Value>::keys.has(*known))
      value.unknown.push_back({*text, item});
    else
      put_field(value, *known, item);
  }
}

template <typename Value>
void SnapshotFiller::put_field(Value& value, KnownText key, const GenericPointer& item) {
  const std::string name(known_text(key));
  if (value.keys.has(key)) fail("each key once", "the key '" + name + "' again");
  value.keys.add(key);
  if constexpr (requires { put_list(value, key, *item); }) {
    if (put_list(value, key, *item)) return;
  }
  FieldValue field = field_from_generic(item, key, tables_);
  // Formats that are read this way have no tuples.
  field.pool_is_list = false;
  if (const char* needed = set_field(value, key, field))
    fail(std::string(needed) + " under '" + name + "'", name_of_kind(field.kind));
}

template <typename Item>
void SnapshotFiller::fill_items(std::vector<Item>& items, const GenericValue& generic) {
  const auto* list = std::get_if<GenericList>(&generic.content);
  if (list == nullptr) fail("a list of dicts", "another value");
  for (const GenericPointer& item : list->items) fill_fields(items.emplace_back(), *item);
}

bool SnapshotFiller::put_list(SegmentValue& segment, KnownText key, const GenericValue& list) {
  if (key != KnownText::blocks) return false;
  fill_items(segment.blocks, list);
  return true;
}

bool SnapshotFiller::put_list(BlockValue& block, KnownText key, const GenericValue& list) {
  if (key != KnownText::history) return false;
  fill_items(block.history, list);
  return true;
}

}  // namespace vramlab::traces
