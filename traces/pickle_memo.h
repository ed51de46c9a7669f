// PickleMemo: what a pickle stored under numbers, to refer to it later. An entry is four bytes:
// what kind of thing it is and its id. Python stores every dict and list that it writes, so most
// entries are `passed`: values that went on to the sink and are not kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace vramlab::traces {

enum class MemoKind : std::uint8_t {
  /// Nothing was stored there.
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
    const Page* page = pages_[index / page_entries].get();
    if (page == nullptr) return {};
    const std::uint32_t packed = (*page)[index % page_entries];
    return {static_cast<MemoKind>(packed >> id_bits), packed & largest_id};
  }

  /// Requires: the id is at most largest_id.
  void set(std::uint64_t index, MemoEntry entry) {
    if (index / page_entries >= pages_.size() || !pages_[index / page_entries]) [[unlikely]]
      add_page(index / page_entries);
    std::uint32_t& packed = (*pages_[index / page_entries])[index % page_entries];
    if (packed == 0) ++stored_count_;
    packed = static_cast<std::uint32_t>(entry.kind) << id_bits | entry.id;
  }

 private:
  static constexpr std::size_t page_entries = 4096;
  using Page = std::array<std::uint32_t, page_entries>;

  void add_page(std::size_t number) {
    if (number >= pages_.size()) pages_.resize(number + 1);
    pages_[number] = std::make_unique<Page>();
  }

  std::vector<std::unique_ptr<Page>> pages_;
  std::uint64_t stored_count_ = 0;
};

}  // namespace vramlab::traces
