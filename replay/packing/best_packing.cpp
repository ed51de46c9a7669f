#include "replay/packing/best_packing.h"

#include <algorithm>

#include "replay/packing/floor_search.h"
#include "replay/packing/packing_core.h"
#include "replay/packing/packing_orders.h"
#include "replay/packing/skyline_search.h"

namespace vramlab::replay {
namespace {

class PackingTrials {
 public:
  PackingTrials(const std::vector<Buffer>& buffers, const PackingLimits& limits)
      : buffers_(buffers),
        limits_(limits),
        sections_(sections_of(buffers)),
        core_(buffers, sections_) {
    result_.load_bound = load_bound(sections_);
  }

  PackingResult run() {
    take("time_best_fit", place_in_time(buffers_));
    try_orders();
    if (buffers_.size() <= limits_.most_for_one_order) {
      try_skylines();
      try_floors();
    }
    result_.was_ended = limits_.runs.is_over() && !result_.is_optimal();
    return std::move(result_);
  }

 private:
  static constexpr std::uint64_t share_of_other_heights = 16;

  void begin(std::string_view heuristic) const {
    if (limits_.listener != nullptr) limits_.listener(heuristic, result_.packing.height);
  }

  bool is_done() const {
    return !result_.tried.empty() &&
           (limits_.runs.is_over() || result_.is_optimal() ||
            (limits_.target && result_.packing.height <= *limits_.target));
  }

  void take(std::string_view heuristic, Packing packing) {
    const bool is_best = result_.tried.empty() || packing.height < result_.packing.height;
    result_.tried.push_back({std::string(heuristic), packing.height});
    if (!is_best) return;
    result_.heuristic = heuristic;
    result_.packing = std::move(packing);
  }

  void take_of_core(std::string_view heuristic, Packing packing) {
    auto whole = core_.complete(std::move(packing), limits_.most_work_of_order);
    if (!whole) return leave_out("placing the others around those near the peak");
    take(heuristic, *std::move(whole));
  }

  void leave_out(const std::string& what) {
    result_.left_out.push_back(what + " would take too long with " +
                               std::to_string(buffers_.size()) + " buffers");
  }

  void try_orders() {
    std::size_t tried = packing_orders().size();
    if (buffers_.size() > limits_.most_for_all_orders) tried = 1;
    if (buffers_.size() > limits_.most_for_one_order) tried = 0;
    std::size_t count = 0;
    for (const PackingOrder& order : packing_orders()) {
      if (limits_.runs.is_over() || (limits_.target && is_done())) return;
      if (count++ == tried) break;
      try_order(order);
    }
    if (tried < packing_orders().size())
      leave_out(tried == 0 ? "placing them in any order but that of time"
                           : "placing them in more than one order");
  }

  void try_order(const PackingOrder& order) {
    begin(order.name);
    const BufferOrder indices = order_by(order, buffers_, sections_);
    auto packing = place_in_order(buffers_, sections_, indices, limits_.most_work_of_order);
    if (!packing) return leave_out("placing them by " + std::string(order.name));
    take(order.name, *std::move(packing));
  }

  void try_skylines() {
    if (is_done()) return;
    if (core_.buffers().size() > limits_.most_for_all_orders)
      return leave_out("filling their lifetimes from the ground up (skyline)");
    begin("skyline");
    // Small sets are better searched by floor_search, so they get less work here.
    constexpr std::uint64_t work_for_each = 5'000;
    const std::uint64_t work =
        std::min(limits_.skyline_work, work_for_each * core_.buffers().size());
    auto packing =
        skyline_search(core_.buffers(), core_.sections(),
                       {limits_.first_skyline_work, work, limits_.seed, enough(), limits_.runs});
    if (!packing) return leave_out("filling their lifetimes from the ground up (skyline)");
    take_of_core("skyline", *std::move(packing));
  }

  /// The buffers that are searched from the ground up: the core, or all.
  struct FloorSet {
    const std::vector<Buffer>& buffers;
    const Sections& sections;
    /// The height of the best known packing.
    Bytes known;
  };

  void try_floors() {
    if (is_done() || limits_.floor_states == 0) return;
    const FloorSet core{core_.buffers(), core_.sections(), result_.packing.height};
    if (!can_be_searched(core)) return leave_out("searching from the ground up (floor_search)");
    begin("floor_search");
    auto found = search_floors(core);
    if (!found) return;
    const Bytes without_others = found->height;
    auto whole = core_.complete(*std::move(found), limits_.most_work_of_order);
    if (!whole) return leave_out("placing the others around those near the peak");
    const FloorSet all{buffers_, sections_, std::min(whole->height, result_.packing.height)};
    if (whole->height > std::max(without_others, enough()) && can_be_searched(all))
      if (auto better = search_floors(all)) whole = std::move(better);
    take("floor_search", *std::move(whole));
  }

  /// The height that is low enough.
  Bytes enough() const { return std::max(result_.load_bound, limits_.target.value_or(Bytes{0})); }

  /// The states of a walk that goes wrong as often as it places something.
  static std::uint64_t one_walk(const FloorSet& set) { return 2 * set.buffers.size(); }
  std::uint64_t states_for(const FloorSet& set) const {
    return affordable_states(set.sections, limits_.floor_states);
  }
  bool can_be_searched(const FloorSet& set) const {
    return set.buffers.size() <= limits_.most_for_floor_search && states_for(set) >= one_walk(set);
  }

  /// Searches at the height that is enough first, then halfway between the heights found and not
  /// found. If the budget allows few walks, single ones go down.
  std::optional<Packing> search_floors(const FloorSet& set) const {
    const std::uint64_t states = states_for(set);
    if (states / share_of_other_heights < one_walk(set)) return search_a_few_times(set, states);
    if (auto packing = search_below(set, enough(), states)) return packing;
    return go_down(set, {2, 5, states / share_of_other_heights}).packing;
  }

  /// Goes down by single walks, and if all arrive, searches at the load.
  std::optional<Packing> search_a_few_times(const FloorSet& set, std::uint64_t states) const {
    if (limits_.target)
      if (auto packing = search_below(set, *limits_.target, one_walk(set))) return packing;
    GoneDown gone = go_down(set, {4, 3, one_walk(set)});
    if (!gone.always_found) return std::move(gone.packing);
    auto packing = search_below(set, result_.load_bound, states);
    return packing ? std::move(packing) : std::move(gone.packing);
  }

  struct Descent {
    /// A step leaves one `part`-th of the way to the height not found.
    std::uint64_t part = 2;
    int steps = 0;
    std::uint64_t states = 0;
  };
  struct GoneDown {
    std::optional<Packing> packing;
    bool always_found = true;
  };
  GoneDown go_down(const FloorSet& set, const Descent& descent) const {
    GoneDown gone;
    Bytes not_found = result_.load_bound;
    Bytes found = set.known;
    for (int step = 0; step < descent.steps && not_found < found; ++step) {
      const Bytes between{not_found.count + (found - not_found).count / descent.part};
      auto packing = search_below(set, between, descent.states);
      (packing ? found : not_found) = packing ? packing->height : between;
      if (packing)
        gone.packing = std::move(packing);
      else
        gone.always_found = false;
    }
    return gone;
  }

  std::optional<Packing> search_below(const FloorSet& set, Bytes height,
                                      std::uint64_t states) const {
    return floor_search(set.buffers, set.sections, height, {states, limits_.seed, limits_.runs});
  }

  const std::vector<Buffer>& buffers_;
  const PackingLimits& limits_;
  Sections sections_;
  PackingCore core_;
  PackingResult result_;
};

}  // namespace

PackingLimits packing_beside_replays() {
  PackingLimits limits;
  limits.most_for_all_orders = 100'000;
  limits.most_for_one_order = 1'000'000;
  limits.most_work_of_order = 30'000'000;
  limits.skyline_work = 2'000'000;
  limits.floor_states = 80'000;
  return limits;
}

PackingResult best_packing(const std::vector<Buffer>& buffers, const PackingLimits& limits) {
  return PackingTrials(buffers, limits).run();
}

}  // namespace vramlab::replay
