// PickleValues: the memo of a pickle with the values it refers to, and the machine that builds
// values of any shape. The reader of snapshots walks the structure it knows by itself and comes
// here for everything else: an unknown key, a dict that is shared, a shape that nobody expected.
//
// Values that went on to the sink are not kept. If a file refers to such a value after all, the
// input is read a second time as values of any shape, once; that needs a file, not a pipe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "allocator/types/check.h"
#include "traces/model/generic_text.h"
#include "traces/model/snapshot_fields.h"
#include "traces/model/snapshot_tables.h"
#include "traces/pickle/pickle_tokens.h"

namespace vramlab::traces {

enum class MemoKind : std::uint8_t {
  /// The place is empty.
  nothing,
  text,
  frame,
  stack,
  pool,
  /// A value of any shape.
  generic,
  /// The value was here, and was not kept.
  passed,
};

struct MemoEntry {
  MemoKind kind = MemoKind::nothing;
  std::uint32_t id = 0;
};

/// The values that a pickle stored under numbers, to refer to them later. An entry is four bytes:
/// its kind and its id. Python stores every dict and list that it writes, so most entries are
/// `passed`: values that went on to the sink and are not kept. A page full of these takes no room.
class PickleMemo {
 public:
  static constexpr std::uint32_t id_bits = 29;
  static constexpr std::uint32_t largest_id = (1U << id_bits) - 1;

  /// The number that MEMOIZE stores under.
  std::uint64_t next_index() const { return stored_count_; }

  MemoEntry get(std::uint64_t index) const {
    if (index >= pages_.size() * page_entries) return {};
    const PageSlot& slot = pages_[as_index(index / page_entries)];
    if (slot.page == nullptr)
      return {slot.passed_count == page_entries ? MemoKind::passed : MemoKind::nothing, 0};
    const std::uint32_t packed = (*slot.page)[index % page_entries];
    return {static_cast<MemoKind>(packed >> id_bits), packed & largest_id};
  }

  /// Requires: the id is at most largest_id, and the kind is not `nothing`.
  void set(std::uint64_t index, MemoEntry entry) {
    if (index / page_entries >= pages_.size() || !pages_[as_index(index / page_entries)].page)
        [[unlikely]]
      make_page(as_index(index / page_entries));
    PageSlot& slot = pages_[as_index(index / page_entries)];
    std::uint32_t& packed = (*slot.page)[index % page_entries];
    const std::uint32_t before = packed;
    packed = pack(entry);
    if (before == 0) ++stored_count_;
    if (before == pack({MemoKind::passed, 0})) --slot.passed_count;
    if (packed != pack({MemoKind::passed, 0})) return;
    if (++slot.passed_count == page_entries) [[unlikely]]
      spare_page_ = std::move(slot.page);
  }

 private:
  static constexpr std::uint32_t page_entries = 4096;
  using Page = std::array<std::uint32_t, page_entries>;

  /// Without a page all entries are the same: `passed` if all were counted, else `nothing`.
  struct PageSlot {
    std::unique_ptr<Page> page;
    std::uint32_t passed_count = 0;
  };

  static constexpr std::uint32_t pack(MemoEntry entry) {
    return static_cast<std::uint32_t>(entry.kind) << id_bits | entry.id;
  }

  void make_page(std::size_t number) {
    if (number >= pages_.size()) pages_.resize(number + 1);
    PageSlot& slot = pages_[number];
    slot.page = spare_page_ ? std::move(spare_page_) : std::make_unique<Page>();
    slot.page->fill(slot.passed_count == page_entries ? pack({MemoKind::passed, 0}) : 0);
  }

  std::vector<PageSlot> pages_;
  std::unique_ptr<Page> spare_page_;
  std::uint64_t stored_count_ = 0;
};

struct PickleInput {
  ByteSource& source;
  /// Its name, for messages.
  const std::string& file;
};

class PickleValues {
 public:
  /// The most values outside of events in so many bytes of a pickle: their memory stays in
  /// proportion to the file, while entries of pinned memory, of which a long history has many, fit.
  static constexpr std::uint64_t most_generic_values(std::uint64_t bytes) {
    constexpr std::uint64_t of_any_file = std::uint64_t{8} << 20, bytes_of_a_further_one = 3;
    return of_any_file + bytes / bytes_of_a_further_one;
  }
  static constexpr std::size_t most_table_items = PickleMemo::largest_id;

  /// The input and the tables must outlive it.
  PickleValues(PickleInput input, SnapshotTables& tables);
  ~PickleValues();

  PickleTokens tokens;

  /// The place at which the next token stores the value that was just read: takes that token. Null
  /// if it stores none.
  std::optional<std::uint64_t> take_put() {
    switch (tokens.peek()) {
      case PickleOpcode::memoize:
        tokens.take_peeked();
        return memo_.next_index();
      case PickleOpcode::binput:
      case PickleOpcode::long_binput:
      case PickleOpcode::put_line:
        return tokens.next().number;
      default:
        return std::nullopt;
    }
  }

  /// Requires: the index came from take_put(). Fails where another value is stored already.
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
  /// Fails where no value was stored.
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
    // Bytes behind a text can be read, as the buffer has room for the longest short token.
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

  /// The value that a `get` token refers to, whatever it is.
  GenericPointer generic_of(const PickleToken& get);

  enum class StopAt : std::uint8_t { unmatched_end, section_key };
  struct Collected {
    std::vector<GenericPointer> items;
    /// `setitems`, `setitem`, `appends`, `append` or `stop`; `text` at a section's key, which is
    /// then the next token again.
    PickleTokenKind ended_by = PickleTokenKind::stop;
  };
  /// All values up to the opcode that takes more values than were collected.
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
