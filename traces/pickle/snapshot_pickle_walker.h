// SnapshotPickleWalker: the pieces of a snapshot in a pickle: stacks, dicts with known keys, lists
// of such dicts. Inside of read_snapshot_pickle only.
//
// The known structure is read straight into the values, token by token. If a file leaves it, the
// rest of that dict is collected as values of any shape and its fields are filled from those.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "allocator/types/check.h"
#include "traces/model/snapshot_fields.h"
#include "traces/model/snapshot_values.h"
#include "traces/pickle/pickle_tokens.h"
#include "traces/pickle/pickle_values.h"

namespace vramlab::traces {

/// The writing of the last event of a pickle, to read the next one by. Events have the same keys in
/// the same order, and after the first event each key is a reference to the same place. So a key's
/// bytes say which field comes: one comparison in place of a token and a look into the memo.
///
/// It takes numbers and texts that came before. At any other bytes it stops, at a key; reading goes
/// on by tokens, which is right for any event, and it learns from that. A place of the memo keeps
/// its value, so bytes once learned keep their meaning.
class KnownEvent {
 public:
  /// All must outlive it; `entry` is filled each time.
  KnownEvent(TraceEntry& entry, PickleTokens& tokens, const PickleMemo& memo)
      : entry_(entry), tokens_(tokens), memo_(memo) {}

  /// Takes the fields of an event from its first key on, as far as they are known. True if these
  /// were all fields, and the end of the items is taken too.
  bool take_fields();

  /// The place that a value goes to: a number or a text.
  struct Place {
    KnownText key = KnownText::empty;
    std::uint64_t* number = nullptr;
    TextId* text = nullptr;
  };
  // These note the fields that are read by tokens after take_fields() stopped: the bytes of a key,
  // none if it is no reference, and then the place that its value went to.
  void note_key(std::string_view bytes);
  void learn(const Place& place);

 private:
  static constexpr std::size_t most_fields = 8;
  static constexpr std::size_t longest_reference = 5;
  static constexpr std::size_t longest_number = 10;
  static constexpr std::size_t longest_event = most_fields * (longest_reference + longest_number);

  struct Field {
    std::uint64_t key_bytes = 0;
    std::uint64_t key_mask = 0;
    std::size_t key_size = 0;
    Place place;
  };

  // Each returns the place behind the value, null where it is of another kind.
  const char* take_value(const char* at, const Place& place) const;
  static const char* take_number(const char* at, std::uint64_t& number);
  const char* take_text(const char* at, TextId& text) const;

  TraceEntry& entry_;
  PickleTokens& tokens_;
  const PickleMemo& memo_;
  std::array<Field, most_fields> fields_{};
  std::size_t field_count_ = 0;
  /// The number of fields that the event at hand has had.
  std::size_t taken_count_ = 0;
};

class SnapshotPickleWalker {
 public:
  SnapshotPickleWalker(PickleInput input, SnapshotTables& tables)
      : values(input, tables),
        tokens(values.tokens),
        tables_(tables),
        known_event_(event, tokens, values.memo()) {}

  PickleValues values;
  PickleTokens& tokens;
  /// Events are read into this one only.
  TraceEntry event;

  /// The items of a list that was begun. `on_item` gets the first token of each, which is of
  /// `item_kind` or a `get`.
  /// A list may come in several runs of marked items; a run of one item comes without a mark.
  /// Tokens that may follow a list in a snapshot never look like an item, so one look ahead is
  /// enough.
  template <typename OnItem>
  void read_list(PickleTokenKind item_kind, const OnItem& on_item) {
    while (true) {
      const PickleToken token = tokens.next();
      if (token.kind == PickleTokenKind::mark) {
        read_marked_list(item_kind, on_item);
      } else if (token.kind == item_kind || is_reference_to_item(token, item_kind)) {
        on_item(token);
        expect(PickleTokenKind::append);
      } else {
        tokens.push_back();
        return;
      }
    }
  }

  /// Whether a list that was begun begins with a list. No token is taken.
  bool first_item_is_list() { return tokens.peek_behind_mark() == PickleOpcode::empty_list; }

  /// A dict, from its first token on, into `value`, which is as after its construction.
  template <typename Value>
  void read_value(const PickleToken& first, Value& value) {
    if (first.kind == PickleTokenKind::get) {
      fill_from_generic(values.generic_of(first), value);
      return;
    }
    if (first.kind != PickleTokenKind::empty_dict) fail_at(first, "a dict");
    values.store_if_put({MemoKind::passed, 0});
    read_items(value);
    values.store_if_put({MemoKind::passed, 0});
  }

  template <typename Value>
  void fill_from_generic(const GenericPointer& generic, Value& value) {
    const auto* dict = std::get_if<GenericDict>(&generic->content);
    if (dict == nullptr) tokens.fail("a dict", values.found(*generic));
    for (const auto& [key, item] : dict->items) {
      const auto* text = std::get_if<TextId>(&key->content);
      if (text == nullptr) tokens.fail("a text as key", values.found(*key));
      take_generic(value, *text, item);
    }
  }

  /// An item of a dict that comes without a mark. An item that `on_key` does not take goes to
  /// `on_generic`, with its key. False, with no token taken, where no key is next.
  template <typename OnKey, typename OnGeneric>
  bool read_unmarked_item(const OnKey& on_key, const OnGeneric& on_generic) {
    const PickleToken token = tokens.next();
    const std::optional<TextId> key = values.text_of(token);
    if (!key) {
      tokens.push_back();
      return false;
    }
    if (on_key(*key)) {
      expect(PickleTokenKind::setitem);
      return true;
    }
    const auto collected = values.collect(PickleValues::StopAt::unmatched_end);
    if (collected.ended_by != PickleTokenKind::setitem || collected.items.size() != 1)
      tokens.fail("one value for a key", "another number of values");
    on_generic(*key, collected.items.front());
    return true;
  }
  /// The first value belongs to `key`; then come keys and values in turn.
  template <typename OnGeneric>
  void give_collected(TextId key, const PickleValues::Collected& collected,
                      const OnGeneric& on_generic) {
    if (collected.items.size() % 2 == 0) tokens.fail("keys with values", "a key alone");
    on_generic(key, collected.items.front());
    for (std::size_t i = 1; i < collected.items.size(); i += 2) {
      const auto* text = std::get_if<TextId>(&collected.items[i]->content);
      if (text == nullptr) tokens.fail("a text as key", values.found(*collected.items[i]));
      on_generic(*text, collected.items[i + 1]);
    }
  }

  [[noreturn]] void fail_at(const PickleToken& token, const std::string& expected) {
    tokens.fail(expected, values.found(token));
  }
  void expect(PickleTokenKind kind) {
    const PickleToken token = tokens.next();
    if (token.kind != kind) fail_at(token, std::string(pickle_token_name(kind)));
  }

 private:
  /// Tokens are made where they are used, as copying one that was just written stalls.
  template <typename OnItem>
  void read_marked_list(PickleTokenKind item_kind, const OnItem& on_item) {
    while (true) {
      if (item_kind == PickleTokenKind::empty_dict && tokens.peek() == PickleOpcode::empty_dict) {
        tokens.take_peeked();
        on_item(PickleToken{PickleTokenKind::empty_dict, false, 0, {}});
        continue;
      }
      const PickleToken item = tokens.next();
      if (item.kind == PickleTokenKind::appends) return;
      on_item(item);
    }
  }

  template <typename Value>
  void read_items(Value& value) {
    while (true) {
      if (tokens.peek() == PickleOpcode::mark) {
        tokens.take_peeked();
        read_marked_items(value);
        continue;
      }
      // The tokens that mostly come, and are no keys.
      if (tokens.peek() == PickleOpcode::empty_dict || tokens.peek() == PickleOpcode::appends)
        return;
      const bool is_item = read_unmarked_item(
          [&](TextId key) { return take_field(value, key); },
          [&](TextId key, const GenericPointer& generic) { take_generic(value, key, generic); });
      if (!is_item) return;
    }
  }

  template <typename Value>
  void read_marked_items(Value& value) {
    if constexpr (std::is_same_v<Value, TraceEntry>) {
      check(&value == &event, "an event is read into the one that is there for it");
      if (known_event_.take_fields()) return;
    }
    while (true) {
      const PickleToken token = tokens.next_inline();
      if (token.kind == PickleTokenKind::setitems) return;
      const std::optional<TextId> key = values.text_of(token);
      if (!key) fail_at(token, "a text as key");
      if constexpr (std::is_same_v<Value, TraceEntry>) {
        known_event_.note_key(token.kind == PickleTokenKind::get ? tokens.token_bytes() : "");
        if (take_plain_field(*key)) continue;
      }
      if (take_field(value, *key)) continue;
      const auto collected = values.collect(PickleValues::StopAt::unmatched_end);
      if (collected.ended_by != PickleTokenKind::setitems)
        tokens.fail("the end of a dict's items",
                    std::string(pickle_token_name(collected.ended_by)));
      give_collected(*key, collected, [&](TextId name, const GenericPointer& generic) {
        take_generic(value, name, generic);
      });
      return;
    }
  }

  template <typename Value>
  bool take_field(Value& value, TextId key) {
    const auto known = known_key(key);
    if (!known || !FieldsOf<Value>::keys.has(*known)) return false;
    if (value.keys.has(*known)) fail_as_repeated(tokens, *known);
    if constexpr (requires { dicts_in(value); }) {
      if (is_key_of_dicts(*known)) return take_list_field(value, *known);
    }
    FieldValue field;
    if (!read_field(*known, field)) return false;
    put_field(value, *known, field);
    return true;
  }

  template <typename Value>
  void take_generic(Value& value, TextId key, const GenericPointer& generic) {
    const auto known = known_key(key);
    if (!known || !FieldsOf<Value>::keys.has(*known)) {
      value.unknown.push_back({key, generic});
      return;
    }
    if (value.keys.has(*known)) fail_as_repeated(tokens, *known);
    if constexpr (requires { dicts_in(value); }) {
      if (is_key_of_dicts(*known) && take_list_from_generic(value, *known, generic)) return;
    }
    put_field(value, *known, field_from_generic(generic, *known, tables_));
  }

  template <typename Value>
  void put_field(Value& value, KnownText key, const FieldValue& field) {
    if (const char* expected = traces::put_field(value, key, field)) [[unlikely]]
      tokens.fail(std::string(expected) + " under '" + std::string(known_text(key)) + "'",
                  found_text(field, tables_.texts));
  }

  /// The short way for the parts of nearly all events: numbers, and texts that came before. False,
  /// with no token taken, for any other value.
  bool take_plain_field(TextId key) {
    const auto known = static_cast<KnownText>(key.value);
    const KnownEvent::Place place{known, number_field(known), text_field(known)};
    if (!place.number && !place.text) return false;
    if (event.keys.has(known)) return false;
    const PickleToken token = tokens.next_inline();
    if (place.number && token.kind == PickleTokenKind::whole && !token.is_negative) {
      *place.number = token.number;
      event.keys.add(known);
      known_event_.learn(place);
      return true;
    }
    if (place.text && (token.kind == PickleTokenKind::get || token.kind == PickleTokenKind::text)) {
      if (const auto id = values.text_of(token)) {
        *place.text = *id;
        event.keys.add(known);
        known_event_.learn(place);
        return true;
      }
    }
    tokens.push_back();
    return false;
  }

  // The place of a field in the event; null if the field is no number or no text.
  std::uint64_t* number_field(KnownText key) {
    switch (key) {
      case KnownText::addr:
        return &event.address.value;
      case KnownText::size:
        return &event.size.count;
      case KnownText::stream:
        return &event.stream.value;
      case KnownText::time_us:
        return &event.time_us;
      default:
        return nullptr;
    }
  }

  TextId* text_field(KnownText key) {
    switch (key) {
      case KnownText::action:
        return &event.action;
      case KnownText::compile_context:
        return &event.compile_context;
      case KnownText::user_metadata:
        return &event.user_metadata;
      default:
        return nullptr;
    }
  }

  // The fields that are lists of dicts. False where the value is no list.
  template <typename Value>
  bool take_list_field(Value& value, KnownText key) {
    if (tokens.next().kind != PickleTokenKind::empty_list) {
      tokens.push_back();
      return false;
    }
    values.store_if_put({MemoKind::passed, 0});
    read_list(PickleTokenKind::empty_dict,
              [&](const PickleToken& item) { read_value(item, dicts_in(value).emplace_back()); });
    values.store_if_put({MemoKind::passed, 0});
    value.keys.add(key);
    return true;
  }

  template <typename Value>
  bool take_list_from_generic(Value& value, KnownText key, const GenericPointer& generic) {
    const auto* list = std::get_if<GenericList>(&generic->content);
    if (list == nullptr) return false;
    for (const GenericPointer& item : list->items)
      fill_from_generic(item, dicts_in(value).emplace_back());
    value.keys.add(key);
    return true;
  }

  /// False where the value is of any shape; its first token is then the next one again.
  bool read_field(KnownText key, FieldValue& field);
  void read_field_reference(const PickleToken& get, KnownText key, FieldValue& field);
  /// From the first number on, up to the opcode that makes a pair of the two.
  PoolId read_pool(const PickleToken& first, PickleTokenKind end_kind);
  StackId read_stack();
  FrameId read_frame(const PickleToken& first);
  bool is_reference_to_item(const PickleToken& get, PickleTokenKind item_kind);

  SnapshotTables& tables_;
  KnownEvent known_event_;
  std::vector<FrameId> stack_frames_;
  GenericPointer referenced_;
};

}  // namespace vramlab::traces
