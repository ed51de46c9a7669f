// PickleValues: the memo of a pickle with what it refers to, and the machine that builds values of
// any shape. The reader of snapshots walks the structure it knows by itself and comes here for
// everything else: an unknown key, a dict that is shared, a shape nobody expected.
//
// What went on to the sink is not kept. If a file refers to such a value after all, the input is
// read a second time as values of any shape, once; that needs a file, not a pipe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/model/long_number.h"
#include "traces/model/short_texts.h"
#include "traces/model/snapshot_fields.h"
#include "traces/model/snapshot_tables.h"
#include "traces/pickle/pickle_memo.h"
#include "traces/pickle/pickle_tokens.h"

namespace vramlab::traces {

struct PickleInput {
  ByteSource& source;
  /// Its name, for messages.
  const std::string& file;
};

class PickleValues {
 public:
  static constexpr std::size_t most_generic_values = std::size_t{8} << 20;
  static constexpr std::size_t most_table_items = PickleMemo::largest_id;

  /// The input and the tables must outlive it.
  PickleValues(PickleInput input, SnapshotTables& tables);
  ~PickleValues();

  PickleTokens tokens;

  /// The place at which the next token stores what was just read: takes that token. Null if it
  /// stores nothing.
  std::optional<std::uint64_t> take_put() {
    switch (tokens.peek()) {
      case PickleOpcode::memoize:
        tokens.take_peeked();
        return memo_.next_index();
      case PickleOpcode::binput:
      case PickleOpcode::long_binput:
        return tokens.next().number;
      default:
        return std::nullopt;
    }
  }

  /// Requires: the index came from take_put(). Fails where something else is stored there.
  void store(std::uint64_t index, MemoEntry entry) {
    // A pickle counts its places, so a number beyond its length is made up.
    if (index > tokens.bytes_taken()) [[unlikely]]
      fail_as_uncounted(index);
    if (memo_.get(index).kind != MemoKind::nothing) [[unlikely]]
      fail_as_taken(index);
    memo_.set(index, entry);
  }

  /// For a value that was stored before it was complete.
  void complete(std::uint64_t index, MemoEntry entry) { memo_.set(index, entry); }
  [[gnu::always_inline]] void store_if_put(MemoEntry entry) {
    if (const auto index = take_put()) store(*index, entry);
  }
  /// Fails where nothing was stored.
  MemoEntry fetch(const PickleToken& get) {
    const MemoEntry entry = memo_.get(get.number);
    if (entry.kind == MemoKind::nothing) [[unlikely]]
      fail_as_empty(get.number);
    return entry;
  }

  const PickleMemo& memo() const { return memo_; }
  MemoEntry look_up(std::uint64_t index) const { return memo_.get(index); }

  /// The text of a text token, stored if the next token says so; of a `get` token, if it is a text.
  std::optional<TextId> text_of(const PickleToken& token) {
    if (token.kind == PickleTokenKind::get) {
      const MemoEntry entry = fetch(token);
      if (entry.kind != MemoKind::text) return std::nullopt;
      return TextId(entry.id);
    }
    if (token.kind != PickleTokenKind::text) return std::nullopt;
    // A token may be read as far as its longest short one.
    const TextId id = short_texts_.intern(token.text);
    store_if_put({MemoKind::text, id.value});
    return id;
  }

  TextId digits_of(const PickleToken& long_number) {
    return tables_.texts.intern(decimal_of(long_number.text));
  }
  /// Null if the token is no value without parts.
  std::optional<GenericValue> scalar_of(const PickleToken& token);
  // For messages: the value, or such as `a list`.
  std::string found(const PickleToken& token);
  std::string found(const GenericValue& value) const { return found_text(value, tables_.texts); }
  PoolId pool(std::uint32_t id) const { return pools_[id]; }
  MemoEntry remember_pool(PoolId pool);

  /// What a `get` token refers to, whatever it is.
  GenericPointer generic_of(const PickleToken& get);

  enum class StopAt : std::uint8_t { unmatched_end, section_key };
  struct Collected {
    std::vector<GenericPointer> items;
    /// `setitems`, `setitem`, `appends`, `append` or `stop`; `text` at a section's key, which is
    /// then the next token again.
    PickleTokenKind ended_by = PickleTokenKind::stop;
  };
  /// All values up to the opcode that takes more than what was collected.
  Collected collect(StopAt stop_at);

 private:
  friend class PickleMachine;

  struct Stored {
    std::shared_ptr<GenericValue> value;
    /// Changing it from now on would change it elsewhere too, or make it part of itself.
    bool is_referenced = false;
  };

  [[noreturn]] void fail_as_empty(std::uint64_t index) const;
  [[noreturn]] void fail_as_uncounted(std::uint64_t index) const;
  [[noreturn]] void fail_as_taken(std::uint64_t index) const;
  std::shared_ptr<GenericValue> make(GenericValue value);
  GenericPointer make_of_limited_depth(GenericValue value);
  GenericPointer frame_as_generic(FrameId id);
  GenericPointer stack_as_generic(StackId id);
  GenericPointer passed_value(std::uint64_t index);

  PickleInput input_;
  SnapshotTables& tables_;
  PickleMemo memo_;
  std::vector<Stored> generics_;
  std::size_t generic_count_ = 0;
  /// Every event may bring the same few short texts anew.
  ShortTexts short_texts_;
  std::vector<PoolId> pools_;
  IdIndex pool_index_;
  // Looked up by id only; their order is never seen.
  std::unordered_map<std::uint32_t, GenericPointer> frames_as_generic_;
  std::unordered_map<std::uint32_t, GenericPointer> stacks_as_generic_;
  struct SecondLook;
  std::unique_ptr<SecondLook> second_look_;
};

}  // namespace vramlab::traces
