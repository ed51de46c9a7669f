#include "replay/packing/best_packing.h"

#include <algorithm>

#include "replay/packing/floor_search.h"
#include "replay/packing/hill_climb.h"
#include "replay/packing/packing_orders.h"

namespace vramlab::replay {
namespace {

class PackingTrials {
 public:
  PackingTrials(const std::vector<Buffer>& buffers, const PackingLimits& limits)
      : buffers_(buffers), limits_(limits), sections_(sections_of(buffers)) {
    result_.load_bound = load_bound(sections_);
  }

  PackingResult run() {
    take("time_best_fit", place_in_time(buffers_));
    try_orders();
    try_climbing();
    try_floors();
    return std::move(result_);
  }

 private:
  bool is_done() const { return !result_.tried.empty() && result_.is_optimal(); }

  void take(std::string_view heuristic, Packing packing) {
    const bool is_best = result_.tried.empty() || packing.height < result_.packing.height;
    result_.tried.push_back({std::string(heuristic), packing.height});
    if (!is_best) return;
    result_.heuristic = heuristic;
    result_.packing = std::move(packing);
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
      if (count++ == tried) break;
      try_order(order);
    }
    if (tried < packing_orders().size())
      leave_out(tried == 0 ? "placing them in any order but that of time"
                           : "placing them in more than one order");
  }

  void try_order(const PackingOrder& order) {
    BufferOrder indices = order_by(order, buffers_, sections_);
    auto packing = place_in_order(buffers_, sections_, indices, limits_.most_work_of_order);
    if (!packing) return leave_out("placing them by " + std::string(order.name));
    if (best_order_.empty() || packing->height < best_order_height_) {
      best_order_ = std::move(indices);
      best_order_height_ = packing->height;
    }
    take(order.name, *std::move(packing));
  }

  void try_climbing() {
    if (is_done() || limits_.climb_work == 0 || best_order_.empty()) return;
    const auto lists = OverlapLists::of(buffers_, limits_.most_pairs);
    if (!lists) return leave_out("improving an order (hill_climb)");
    take("hill_climb", hill_climb(buffers_, *lists, best_order_,
                                  {limits_.seed, limits_.climb_work, result_.load_bound}));
  }

  /// At the bound, then at heights between it and the best so far.
  void try_floors() {
    if (is_done() || limits_.floor_states == 0) return;
    if (buffers_.size() > limits_.most_for_floor_search)
      return leave_out("searching from the ground up (floor_search)");
    const FloorBudget budget{limits_.floor_states};
    constexpr std::uint64_t steps = 8;
    const std::uint64_t bound = result_.load_bound.count;
    const std::uint64_t above = result_.packing.height.count - bound;
    for (std::uint64_t step = 0; step < steps; ++step) {
      const Bytes height{bound + above / steps * step};
      if (auto packing = floor_search(buffers_, sections_, height, budget))
        return take("floor_search", *std::move(packing));
    }
  }

  const std::vector<Buffer>& buffers_;
  const PackingLimits& limits_;
  Sections sections_;
  PackingResult result_;
  BufferOrder best_order_;
  Bytes best_order_height_;
};

}  // namespace

PackingResult best_packing(const std::vector<Buffer>& buffers, const PackingLimits& limits) {
  return PackingTrials(buffers, limits).run();
}

}  // namespace vramlab::replay
