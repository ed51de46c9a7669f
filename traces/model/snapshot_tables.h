// SnapshotTables: every text, frame and stack of a snapshot once, by id. The same content always
// gets the same id, so memory grows with what is different in a file and not with its length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

/// Which of many items has a given content: open addressing over their numbers. It knows neither
/// the items nor how to compare them.
class IdIndex {
 public:
  /// The item with this hash for which `is_same(id)` holds; otherwise `make()`, which returns the
  /// id of a new one.
  template <typename IsSame, typename Make>
  std::uint32_t find_or_add(std::uint32_t hash, const IsSame& is_same, const Make& make) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow();
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.id_plus_1 == 0) {
        const std::uint32_t id = make();
        slot = {hash, id + 1};
        ++count_;
        return id;
      }
      if (slot.hash == hash && is_same(slot.id_plus_1 - 1)) return slot.id_plus_1 - 1;
    }
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id_plus_1 = 0;
  };
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t count_ = 0;
};

class TextTable {
 public:
  /// Holds the known texts, under their numbers.
  TextTable();
  TextId intern(std::string_view text);
  /// Lives as long as the table. Requires: the id is of this table.
  std::string_view text(TextId id) const { return texts_[id.value]; }
  std::size_t count() const { return texts_.size(); }
  /// Letters of all texts.
  std::size_t held_bytes() const { return held_bytes_; }

 private:
  std::string_view keep(std::string_view text);

  std::vector<std::string_view> texts_;
  IdIndex index_;
  std::vector<std::unique_ptr<char[]>> pieces_;
  char* room_ = nullptr;
  std::size_t room_bytes_ = 0;
  std::size_t held_bytes_ = 0;
};

/// Frames with lists or dicts in unknown fields are not compared.
bool can_be_compared(const FrameValue& frame);

class FrameTable {
 public:
  /// A frame that can't be compared is a frame of its own each time.
  FrameId intern(const FrameValue& frame);
  const FrameValue& frame(FrameId id) const { return frames_[id.value]; }
  std::size_t count() const { return frames_.size(); }

 private:
  std::vector<FrameValue> frames_;
  IdIndex index_;
};

class StackTable {
 public:
  StackTable() { intern({}); }
  StackId intern(std::span<const FrameId> frames);
  /// Innermost frame first. Valid until the next intern().
  std::span<const FrameId> frames(StackId id) const;
  std::size_t count() const { return ends_.size(); }
  /// Frames of all stacks together.
  std::size_t frame_count() const { return frames_.size(); }

 private:
  std::vector<FrameId> frames_;
  /// The end of each stack's frames; they begin where those of the one before end.
  std::vector<std::size_t> ends_;
  IdIndex index_;
};

struct SnapshotTables {
  TextTable texts;
  FrameTable frames;
  StackTable stacks;
};

}  // namespace vramlab::traces
