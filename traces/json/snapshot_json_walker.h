// SnapshotJsonWalker: the pieces of a snapshot in JSON: dicts with known keys, and lists of such
// dicts. Inside of read_snapshot_json only. The known structure is read straight into the values;
// what has no field becomes a value of any shape.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "traces/json/json_generic.h"
#include "traces/json/json_stacks.h"
#include "traces/json/json_tokens.h"
#include "traces/json/key_guesses.h"

namespace vramlab::traces {

class SnapshotJsonWalker {
 public:
  SnapshotJsonWalker(JsonInput input, SnapshotTables& tables)
      : tokens(input, tables.texts),
        generic(tokens),
        stacks_(tokens, generic, tables),
        tables_(tables) {}

  JsonTokens tokens;
  JsonGeneric generic;

  // Each from a dict into a value that is as after its construction. Blocks without an address get
  // theirs by counting up.
  void read(SegmentValue& segment);
  void read(TraceEntry& entry);
  void read(AnnotationValue& annotation);

  /// The items of a list, whose opening bracket is taken; `on_item` reads one.
  template <typename OnItem>
  void read_items(const OnItem& on_item) {
    if (tokens.take_if(']')) return;
    do on_item();
    while (tokens.take_separator(']'));
  }

 private:
  template <typename Value>
  void read_dict(Value& value);
  template <typename Value>
  std::optional<KnownText> take_next_key(Value& value, KeyGuesses::Place place);
  template <typename Value>
  void read_field(Value& value, KnownText key);
  template <typename Value>
  KeyGuesses& guesses_of() {
    return std::get<Guesses<Value>>(guesses_).keys;
  }
  /// The fields that are lists of dicts. False if the key is of none of them.
  bool read_list_field(SegmentValue& segment, KnownText key);
  bool read_list_field(BlockValue& block, KnownText key);
  template <typename Item>
  void read_list(std::vector<Item>& items);
  // Each into a value that is as after its construction.
  void read_value(KnownText key, FieldValue& value);
  std::optional<allocator::PoolId> take_plain_pool();
  void read_generic(KnownText key, FieldValue& value);
  void count_part();

  /// Each kind of dict has its own.
  template <typename Value>
  struct Guesses {
    KeyGuesses keys;
  };

  JsonStacks stacks_;
  std::tuple<Guesses<SegmentValue>, Guesses<BlockValue>, Guesses<HistoryEntry>, Guesses<TraceEntry>,
             Guesses<AnnotationValue>>
      guesses_;
  SnapshotTables& tables_;
  /// What a field looks at until the next one is read.
  GenericPointer generic_value_;
  /// Of the segment, in all its lists.
  std::size_t part_count_ = 0;
};

}  // namespace vramlab::traces
