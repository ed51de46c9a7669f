#include "tests/support/naive/naive_pool.h"

#include <algorithm>

namespace vramlab::tests {

NaivePool::Cell& NaivePool::cell(std::uint64_t at) {
  if (at >= cells_.size()) cells_.resize((at / unit_ + 1) * unit_);
  return cells_[at];
}

bool NaivePool::may_use(const Cell& cell, std::uint64_t stream) const {
  if (cell.state != State::free) return false;
  if (!cell.point) return true;
  const streams::StreamAt asking{0, {stream}};
  if (order_.is_over(*cell.point) &&
      (rules_.is_opportunistic || order_.is_known_to_host(*cell.point)))
    return true;
  if (order_.is_same_stream(*cell.point, asking)) return true;
  return rules_.follows_events && order_.is_behind(*cell.point, order_.next_on(asking));
}

/// The smallest run of free cells that has a large enough run of usable ones in it; in that the
/// smallest of these; always the lowest.
std::optional<std::uint64_t> NaivePool::search(std::uint64_t size, std::uint64_t stream,
                                               Asking asking) {
  std::optional<std::uint64_t> best;
  std::uint64_t best_hole = UINT64_MAX;
  std::uint64_t best_run = UINT64_MAX;
  for (std::uint64_t begin = 0; begin < cells_.size();) {
    std::uint64_t end = begin;
    while (end < cells_.size() && cells_[end].state == State::free) ++end;
    for (std::uint64_t at = begin; at < end;) {
      std::uint64_t run = 0;
      while (at + run < end && (asking == Asking::may_wait || may_use(cells_[at + run], stream)))
        ++run;
      const std::uint64_t hole = end - begin;
      if (run >= size && (hole < best_hole || (hole == best_hole && begin + hole > *best &&
                                               best.value() >= begin && run < best_run))) {
        best = at;
        best_hole = hole;
        best_run = run;
      }
      at += std::max<std::uint64_t>(run, 1);
    }
    begin = std::max(end, begin + 1);
  }
  return best;
}

std::vector<std::uint64_t> NaivePool::free_units() {
  std::vector<std::uint64_t> units;
  for (std::uint64_t unit = 0; unit + unit_ <= cells_.size(); unit += unit_) {
    const auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(unit);
    if (std::all_of(begin, begin + static_cast<std::ptrdiff_t>(unit_), [&](const Cell& one) {
          return one.state == State::free && (!one.point || order_.is_over(*one.point));
        }))
      units.push_back(unit);
  }
  return units;
}

void NaivePool::fill(std::uint64_t at, std::uint64_t size, const Cell& with) {
  for (std::uint64_t i = 0; i < size; ++i) cell(at + i) = with;
}

std::optional<std::uint64_t> NaivePool::place(std::uint64_t size) {
  const std::uint64_t needed = (size + unit_ - 1) / unit_;
  std::vector<std::uint64_t> moved = free_units();
  if (moved.size() > needed) moved.resize(needed);
  if (reserved() / unit_ + needed - moved.size() > most_units_) return std::nullopt;
  std::uint64_t at = 0;
  for (std::uint64_t free = 0; free < needed;) {
    if (cell(at + free * unit_).state == State::unmapped) {
      ++free;
    } else {
      at += (free + 1) * unit_;
      free = 0;
    }
  }
  for (const std::uint64_t unit : moved) fill(unit, unit_, {});
  fill(at, needed * unit_, {State::free});
  return at;
}

std::optional<std::uint64_t> NaivePool::allocate(std::uint64_t size, std::uint64_t stream) {
  std::optional<std::uint64_t> at = search(size, stream, Asking::as_it_is);
  if (!at) at = place(size);
  if (!at && rules_.adds_dependencies) {
    at = search(size, stream, Asking::may_wait);
    if (!at) return std::nullopt;
    for (std::uint64_t i = *at; i < *at + size; ++i)
      if (!may_use(cells_[i], stream) && !order_.make_follow({0, {stream}}, *cells_[i].point))
        return std::nullopt;
  }
  if (!at) return std::nullopt;
  fill(*at, size, {State::used});
  sizes_[*at] = size;
  return at;
}

void NaivePool::free(std::uint64_t at, const streams::FreePoint& point) {
  fill(at, sizes_.at(at), {State::free, point});
  sizes_.erase(at);
}

void NaivePool::free_at_once(std::uint64_t at) {
  fill(at, sizes_.at(at), {State::free});
  sizes_.erase(at);
}

void NaivePool::trim_to(std::uint64_t kept) {
  std::vector<std::uint64_t> units = free_units();
  for (; !units.empty() && reserved() > kept; units.pop_back()) fill(units.back(), unit_, {});
}

std::uint64_t NaivePool::reserved() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(cells_, [](const Cell& one) { return one.state != State::unmapped; }));
}

std::uint64_t NaivePool::used() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(cells_, [](const Cell& one) { return one.state == State::used; }));
}

}  // namespace vramlab::tests
