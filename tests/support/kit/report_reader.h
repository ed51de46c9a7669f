// Reads the bytes of a report page's states the plain way, to hold them against others.
#pragma once

#include <map>
#include <tuple>

#include "allocator/types/snapshot.h"
#include "replay/html_report/report_states.h"

namespace vramlab::tests {

/// Size, state, and the requested size of a block in use.
using BlocksByAddress = std::map<std::uint64_t, std::tuple<std::uint64_t, int, std::uint64_t>>;

inline BlocksByAddress blocks_of(const allocator::Snapshot& snapshot) {
  BlocksByAddress blocks;
  for (const auto& segment : snapshot.segments)
    for (const auto& block : segment.blocks) {
      const bool is_free = block.state == allocator::BlockState::inactive;
      blocks[block.address.value] = {block.size.count, static_cast<int>(block.state),
                                     is_free ? 0 : block.requested.count};
    }
  return blocks;
}

class ReportStateReader {
 public:
  explicit ReportStateReader(const replay::ReportStates& states) : states_(states) {}

  BlocksByAddress blocks_at(std::size_t index) {
    std::size_t from = index;
    while (states_.are_whole()[from] == 0) --from;
    blocks_.clear();
    for (std::size_t i = from; i <= index; ++i) apply(i);
    return blocks_;
  }

 private:
  std::uint64_t next() {
    std::uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(states_.bytes().bytes().at(at_++));
      number |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return number;
    }
  }
  std::uint64_t next_signed() {
    const std::uint64_t bits = next();
    return bits % 2 == 0 ? bits / 2 : ~(bits / 2);
  }

  void apply(std::size_t index) {
    at_ = states_.offsets()[index];
    std::uint64_t address = 0;
    for (std::uint64_t left = next(); left > 0; --left) blocks_.erase(address += next_signed());
    for (std::uint64_t left = next(); left > 0; --left) {
      address += next_signed();
      const std::uint64_t size = next();
      const auto use = static_cast<int>(next() % 3);
      std::uint64_t requested = 0;
      if (use != 2) {
        requested = size - next_signed();
        next_signed();
        next();
      }
      blocks_[address] = {size, use, requested};
    }
  }

  const replay::ReportStates& states_;
  std::size_t at_ = 0;
  BlocksByAddress blocks_;
};

}  // namespace vramlab::tests
