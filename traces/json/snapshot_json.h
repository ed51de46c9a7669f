// Reads a PyTorch memory snapshot from JSON, as json.dump writes it: a dict of sections, a bare
// list of segments or of the devices' lists of events, of any version, unknown keys passed on. Each
// value goes to the sink as soon as it is complete, so no file is held as a whole.
//
// Whole numbers are exact; lists under the keys of pools are pools. Throws InputError at the first
// byte that is no snapshot. The writer of snapshots as JSON stands beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/io/byte_sink.h"
#include "traces/io/byte_source.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"
#include "traces/model/snapshot_writer.h"

namespace vramlab::traces {

/// `file` is the input's name for messages. Returns the bytes of the text, unpacked.
std::uint64_t read_snapshot_json(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, SnapshotSink& sink);

/// Writes a snapshot as JSON. It has no references, so every stack is written out; tuples become
/// lists.
std::unique_ptr<SnapshotWriter> make_snapshot_json_writer(ByteSink& sink,
                                                          const SnapshotTables& tables);

/// Frames that were decoded before, with the letters they were decoded from. JSON repeats every
/// frame of every stack in full, so nearly all letters of a snapshot are frames that came before,
/// in an order that came before: comparing with the letters that followed the same frames last time
/// is cheaper than looking at each letter.
///
/// It only guesses the next frame; the caller compares the letters. It holds a bounded number of
/// bytes, and forgets all of them when there would be more.
class KnownFrames {
 public:
  static constexpr std::size_t default_most_bytes = std::size_t{8} << 20;
  /// Longer frames are not kept.
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

  /// The frame that came at this place last; null if it is unknown. Valid until the next
  /// remember().
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
  /// By their ids; null for a frame that is not held.
  std::vector<const Frame*> by_id_;
  std::vector<const Frame*> at_places_ = std::vector<const Frame*>(std::size_t{1} << slot_bits);
};

}  // namespace vramlab::traces
