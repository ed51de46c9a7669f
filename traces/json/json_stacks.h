// JsonStacks: a list of frames as the id of a stack. Inside of read_snapshot_json only. Nearly all
// letters of a snapshot are here, so frames are told by their letters if those are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/json/json_generic.h"
#include "traces/json/json_tokens.h"

namespace vramlab::traces {

/// Frames that were decoded before, with the letters they were decoded from. JSON repeats every
/// frame of every stack in full, so nearly all letters of a snapshot are frames that were there
/// before, and in an order that was there before: comparing with the letters that came after the
/// same frames last time is cheaper than looking at each letter.
///
/// It only guesses what comes; who asks compares the letters. It holds a bounded number of bytes,
/// and forgets all of them when there would be more.
class KnownFrames {
 public:
  static constexpr std::size_t default_most_bytes = std::size_t{8} << 20;
  /// Longer ones are not kept.
  static constexpr std::size_t longest_letters = std::size_t{4} << 10;

  explicit KnownFrames(std::size_t most_bytes = default_most_bytes) : most_bytes_(most_bytes) {}

  struct Frame {
    std::string letters;
    FrameId id;
  };

  /// A place in a stack: all frames before it, in their order, as a hash.
  class Place {
   public:
    void pass(FrameId frame) {
      constexpr std::uint64_t odd_factor = 0x9E3779B97F4A7C15U;
      hash_ = (hash_ ^ (hash_ >> 29U) ^ frame.value) * odd_factor;
    }

   private:
    friend class KnownFrames;
    std::uint64_t hash_ = 0x9E3779B97F4A7C15U;
  };

  /// What came at this place last; null if that is unknown. Valid until the next remember().
  const Frame* guess(Place place) const { return at_places_[slot_number(place)]; }
  void remember(Place place, std::string_view letters, FrameId id);

  std::size_t held_bytes() const { return held_bytes_; }

 private:
  static constexpr unsigned slot_bits = 14;

  static std::size_t slot_number(Place place) {
    return static_cast<std::size_t>(place.hash_ >> (64U - slot_bits));
  }
  const Frame* keep(std::string_view letters, FrameId id);
  void forget_all();

  std::size_t most_bytes_;
  std::size_t held_bytes_ = 0;
  std::deque<Frame> frames_;
  /// By their ids; null for one that is not held.
  std::vector<const Frame*> by_id_;
  std::vector<const Frame*> at_places_ = std::vector<const Frame*>(std::size_t{1} << slot_bits);
};

class JsonStacks {
 public:
  /// All must outlive it.
  JsonStacks(JsonTokens& tokens, JsonGeneric& generic, SnapshotTables& tables)
      : tokens_(tokens), generic_(generic), tables_(tables) {}

  /// Requires: the tokens are at the bracket that opens a list.
  StackId read();

 private:
  FrameId read_frame(KnownFrames::Place place);
  std::optional<FrameId> take_known(KnownFrames::Place place);
  FrameValue read_fields();
  void read_field(FrameValue& frame);

  JsonTokens& tokens_;
  JsonGeneric& generic_;
  SnapshotTables& tables_;
  KnownFrames known_frames_;
  std::vector<FrameId> frames_;
};

}  // namespace vramlab::traces
