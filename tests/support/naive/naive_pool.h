// NaivePool: a stream-ordered pool as one cell for each piece of memory, searched from end to end
// each time. It knows no holes, no pieces and no indices.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "streams/ordered_pool/ordered_pool.h"
#include "tests/support/devices/scripted_free_order.h"

namespace vramlab::tests {

class NaivePool {
 public:
  /// Sizes in cells: a unit has `unit` of them, the device room for `most_units`.
  NaivePool(const streams::OrderedPoolRules& rules, std::uint64_t most_units,
            ScriptedFreeOrder& order)
      : rules_(rules), unit_(rules.unit.count), most_units_(most_units), order_(order) {}

  std::optional<std::uint64_t> allocate(std::uint64_t size, std::uint64_t stream);
  void free(std::uint64_t at, const streams::FreePoint& point);
  void free_at_once(std::uint64_t at);
  void trim_to(std::uint64_t kept);
  std::uint64_t reserved() const;
  std::uint64_t used() const;

 private:
  struct Cell {
    enum class State : std::uint8_t { unmapped, used, free };
    State state = State::unmapped;
    /// Empty if every stream may have it.
    std::optional<streams::FreePoint> point = std::nullopt;
  };
  using State = Cell::State;
  enum class Asking : std::uint8_t { as_it_is, may_wait };

  Cell& cell(std::uint64_t at);
  bool may_use(const Cell& cell, std::uint64_t stream) const;
  std::optional<std::uint64_t> search(std::uint64_t size, std::uint64_t stream, Asking asking);
  std::optional<std::uint64_t> place(std::uint64_t size);
  std::vector<std::uint64_t> free_units();
  void fill(std::uint64_t at, std::uint64_t size, const Cell& with);

  streams::OrderedPoolRules rules_;
  std::uint64_t unit_;
  std::uint64_t most_units_;
  ScriptedFreeOrder& order_;
  std::vector<Cell> cells_;
  std::map<std::uint64_t, std::uint64_t> sizes_;
};

}  // namespace vramlab::tests
