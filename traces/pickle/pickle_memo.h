// PickleMemo: what a pickle stored under numbers, to refer to it later. An entry is four bytes:
// what kind of thing it is and its id. Python stores every dict and list that it writes, so most
// entries are `passed`: values that went on to the sink and are not kept. A page full of these
// takes no room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "allocator/types/check.h"

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
  /// Was here, and was not kept.
  passed,
};

struct MemoEntry {
  MemoKind kind = MemoKind::nothing;
  std::uint32_t id = 0;
};

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

  /// Without a page all entries are the same: `passed` if these are so many, else `nothing`.
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

}  // namespace vramlab::traces
