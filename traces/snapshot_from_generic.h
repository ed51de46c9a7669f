// Fills the values of a snapshot from dicts of any shape, for readers that build those first.
#pragma once

#include <functional>
#include <string>

#include "traces/snapshot_tables.h"
#include "traces/snapshot_values.h"

namespace vramlab::traces {

class SnapshotFiller {
 public:
  /// Called with what was expected and what was found; must throw.
  using Fail = std::function<void(const std::string& expected, const std::string& found)>;

  /// The tables must outlive it.
  SnapshotFiller(SnapshotTables& tables, Fail fail);

  // Each into a value that is as after its construction. Blocks without an address get theirs by
  // counting up.
  void fill(SegmentValue& segment, const GenericValue& dict);
  void fill(TraceEntry& entry, const GenericValue& dict);
  void fill(AnnotationValue& annotation, const GenericValue& dict);

 private:
  template <typename Value>
  void fill_fields(Value& value, const GenericValue& generic);
  template <typename Value>
  void put_field(Value& value, KnownText key, const GenericPointer& item);
  bool put_list(SegmentValue& segment, KnownText key, const GenericValue& list);
  bool put_list(BlockValue& block, KnownText key, const GenericValue& list);
  template <typename Item>
  void fill_items(std::vector<Item>& items, const GenericValue& generic);
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;

  SnapshotTables& tables_;
  Fail fail_;
};

}  // namespace vramlab::traces
