#include "replay/packing/skyline_search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "replay/packing/skyline_fill.h"
#include "traces/workloads/workload_random.h"

namespace vramlab::replay {
namespace {

/// A way up: states on it, the last one with everything in its place if it arrived.
struct Way {
  std::vector<std::shared_ptr<const SkylineFill>> states;
  std::uint64_t work = 0;
  bool has_arrived = false;

  Bytes height() const { return states.back()->height(); }
};

class SkylineSearch {
 public:
  SkylineSearch(const SkylineProblem& problem, const SkylineBudget& budget)
      : problem_(problem),
        budget_(budget),
        random_(budget.seed),
        step_(problem.index.item_count() / states_on_way(problem.index.item_count()) + 1) {}

  std::optional<Packing> run() {
    best_.states = {std::make_shared<SkylineFill>(problem_)};
    go_up(best_, {}, budget_.first_work);
    if (!best_.has_arrived) return std::nullopt;
    for (std::uint64_t used = 0; used < budget_.work && !is_done();) used += run_round();
    return best_.states.back()->packing();
  }

 private:
  static constexpr std::size_t round_size = 16;

  /// Fewer of large problems, as a state remembers every item.
  static std::size_t states_on_way(std::size_t items) {
    constexpr std::size_t most_remembered = 2'000'000;
    return std::clamp<std::size_t>(most_remembered / items, 1, 16);
  }

  /// Until it arrives, would get too high or has taken more work.
  void go_up(Way& way, const SkylineRules& rules, std::uint64_t most_work) const {
    const std::uint64_t before = way.states.back()->work();
    bool goes_on = true;
    while (goes_on && way.states.back()->waiting() > 0) {
      auto next = std::make_shared<SkylineFill>(*way.states.back());
      goes_on = next->go_on_until(next->waiting() - std::min(step_, next->waiting()), rules);
      // Copying a state is work as well.
      way.work = next->work() - before + problem_.index.item_count();
      goes_on = goes_on && way.work <= most_work;
      way.states.push_back(std::move(next));
    }
    way.has_arrived = goes_on;
    if (!goes_on) way.states.clear();
  }

  bool is_done() const { return best_.height() <= budget_.enough || budget_.runs.is_over(); }

  struct Attempt {
    SkylineRules rules;
    Way way;
  };

  /// From any state of the best way but its last.
  Attempt next_attempt() {
    constexpr std::array<std::uint64_t, 3> detours = {8, 32, 128};
    Attempt attempt;
    attempt.rules = {best_.height() - Bytes{1}, detours[random_.index_below(detours.size())],
                     random_.next()};
    const std::size_t count = 1 + random_.index_below(best_.states.size() - 1);
    attempt.way.states.assign(best_.states.begin(),
                              best_.states.begin() + static_cast<std::ptrdiff_t>(count));
    return attempt;
  }

  /// The lowest way of all is the best one from here on. Returns the work that it took.
  std::uint64_t run_round() {
    std::array<Attempt, round_size> attempts;
    std::ranges::generate(attempts, [this] { return next_attempt(); });
    budget_.runs.run(round_size, [&](std::size_t i) {
      go_up(attempts[i].way, attempts[i].rules, std::numeric_limits<std::uint64_t>::max());
    });
    std::uint64_t work = 0;
    for (Attempt& attempt : attempts) {
      work += attempt.way.work;
      if (attempt.way.has_arrived && attempt.way.height() < best_.height())
        best_ = std::move(attempt.way);
    }
    return work;
  }

  const SkylineProblem& problem_;
  const SkylineBudget& budget_;
  traces::WorkloadRandom random_;
  /// How many items are placed from one state of a way to the next.
  std::size_t step_;
  Way best_;
};

}  // namespace

std::optional<Packing> skyline_search(const std::vector<Buffer>& buffers, const Sections& sections,
                                      const SkylineBudget& budget) {
  const SkylineProblem problem(buffers, sections);
  if (problem.index.item_count() == 0) return Packing{{buffers.size(), Bytes{0}}, {}};
  return SkylineSearch(problem, budget).run();
}

}  // namespace vramlab::replay
