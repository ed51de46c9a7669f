// KnownEvent: how the last event of a pickle was written, to read the next one by. Events have the
// same keys in the same order, and after the first each key is a reference to the same place. So a
// key's bytes say which field comes: one comparison in place of a token and a look into the memo.
//
// It takes numbers and texts that were there before. If the bytes are anything else it stops, at
// a key; reading goes on there by tokens, which is right for any event, and it learns from that.
// What is stored in a place of the memo stays there, so bytes once learned keep their meaning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "traces/model/snapshot_values.h"
#include "traces/pickle/pickle_memo.h"
#include "traces/pickle/pickle_tokens.h"

namespace vramlab::traces {

class KnownEvent {
 public:
  /// All must outlive it; `entry` is filled each time.
  KnownEvent(TraceEntry& entry, PickleTokens& tokens, const PickleMemo& memo)
      : entry_(entry), tokens_(tokens), memo_(memo) {}

  /// Takes the fields of an event from its first key on, as far as they are known. True if these
  /// were all of them, and the end of the items is taken too.
  bool take_fields();

  /// The place that a value goes to: the one or the other.
  struct Place {
    KnownText key = KnownText::empty;
    std::uint64_t* number = nullptr;
    TextId* text = nullptr;
  };
  /// Notes what is read by tokens after take_fields() stopped: the bytes of a key, none if it is no
  /// reference, and then the place that its value went to.
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

  /// Each returns what is behind the value, null where it is of another kind.
  const char* take_value(const char* at, const Place& place) const;
  static const char* take_number(const char* at, std::uint64_t& number);
  const char* take_text(const char* at, TextId& text) const;

  TraceEntry& entry_;
  PickleTokens& tokens_;
  const PickleMemo& memo_;
  std::array<Field, most_fields> fields_{};
  std::size_t field_count_ = 0;
  /// How many of them the event that is being read has had.
  std::size_t taken_count_ = 0;
};

}  // namespace vramlab::traces
