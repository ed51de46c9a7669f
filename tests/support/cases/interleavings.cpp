#include "tests/support/cases/interleavings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/cases/queued_program.h"

namespace vramlab::tests {
namespace {

using streams::BlockNumber;
using streams::HazardKind;

/// An access of work to a unit of memory.
struct UnitAccess {
  std::size_t item = 0;
  bool reads = false;
  bool writes = false;
};

/// A state that can be reached: the work that has run, in any order.
class States {
 public:
  States(const HazardProgram& program, const QueuedProgram& laid_out)
      : program_(program), laid_out_(laid_out) {
    const std::size_t count = laid_out.items().size();
    can_overtake_.assign(count, std::vector<bool>(count, false));
    can_run_.assign(count, false);
    visit(std::vector<bool>(count, false));
  }

  /// In some order, `item` runs while `other` has not ended.
  bool can_overtake(std::size_t item, std::size_t other) const {
    return can_overtake_[item][other];
  }
  bool can_run(std::size_t item) const { return can_run_[item]; }

 private:
  using Done = std::vector<bool>;

  void visit(Done done) {
    const Done called = let_go_on(done);
    if (seen_.insert(done).second) go_on_from(done, called);
  }

  void go_on_from(const Done& done, const Done& called) {
    const std::vector<QueuedItem>& items = laid_out_.items();
    for (std::size_t item = 0; item < items.size(); ++item) {
      if (done[item] || !can_go_on(item, done, called)) continue;
      can_run_[item] = true;
      for (std::size_t other = 0; other < items.size(); ++other)
        if (!done[other] && other != item) can_overtake_[item][other] = true;
      if (items[item].nature != QueuedItem::Nature::work) continue;
      Done next = done;
      next[item] = true;
      visit(next);
    }
  }

  bool can_go_on(std::size_t item, const Done& done, const Done& called) const {
    const QueuedItem& asked = laid_out_.items()[item];
    if (!called[asked.step]) return false;
    if (asked.awaited_flag && !is_written(*asked.awaited_flag, done)) return false;
    return std::ranges::all_of(asked.after, [&](std::size_t before) { return done[before]; });
  }

  bool is_written(std::uint64_t flag, const Done& done) const {
    const std::vector<QueuedItem>& items = laid_out_.items();
    for (std::size_t item = 0; item < items.size(); ++item)
      if (done[item] && items[item].written_flag == flag) return true;
    return false;
  }

  /// Host threads and marks, as far as they get. The calls that are made by then.
  Done let_go_on(Done& done) const {
    for (;;) {
      Done called = calls_made(done);
      bool is_changed = false;
      for (std::size_t item = 0; item < done.size(); ++item) {
        if (done[item] || laid_out_.items()[item].nature != QueuedItem::Nature::mark ||
            !can_go_on(item, done, called))
          continue;
        done[item] = is_changed = true;
      }
      if (!is_changed) return called;
    }
  }

  Done calls_made(const Done& done) const {
    Done called(program_.steps.size(), false);
    std::map<std::uint32_t, bool> is_held;
    for (std::size_t at = 0; at < program_.steps.size(); ++at) {
      bool& held = is_held[program_.steps[at].thread];
      if (held) continue;
      called[at] = true;
      held = !std::ranges::all_of(laid_out_.waits_of_call(at),
                                  [&](std::size_t item) { return done[item]; });
    }
    return called;
  }

  const HazardProgram& program_;
  const QueuedProgram& laid_out_;
  std::set<Done> seen_;
  std::vector<std::vector<bool>> can_overtake_;
  std::vector<bool> can_run_;
};

/// The facts about the orders that matter for memory.
class MemoryStory {
 public:
  MemoryStory(const HazardProgram& program, const QueuedProgram& laid_out, const States& states,
              RacingPairs pairs)
      : program_(program), laid_out_(laid_out), states_(states), pairs_(pairs) {
    for (std::size_t at = 0; at < program.steps.size(); ++at) tell(at);
  }
  const FoundHazards& found() const { return found_; }

 private:
  struct Block {
    std::uint32_t device = 0;
    std::uint64_t first_unit = 0;
    std::uint64_t unit_count = 0;
    std::optional<std::uint64_t> freed_by{};
  };
  using Unit = std::pair<std::uint32_t, std::uint64_t>;

  /// `first` always comes before `second`, or one of them never runs.
  bool is_before(std::size_t first, std::size_t second) const {
    return !states_.can_overtake(second, first);
  }
  bool is_unordered(std::size_t first, std::size_t second) const {
    return !is_before(first, second) && !is_before(second, first);
  }
  std::uint64_t tag_of(std::size_t item) const { return laid_out_.items()[item].source->tag; }
  static bool stands_for(const UnitAccess& later, const UnitAccess& earlier) {
    return later.writes || !earlier.writes;
  }

  void tell(std::size_t at) {
    const HazardStep& step = program_.steps[at];
    if (step.kind == StepKind::hand_out) hand_out(at);
    if (step.kind == StepKind::free) free(at);
    for (const std::size_t item : laid_out_.work_of(at)) run(item);
  }

  void run(std::size_t item) {
    const HazardStep& work = *laid_out_.items()[item].source;
    std::map<std::uint64_t, UnitAccess> touched;
    for (const BlockNumber block : work.read) touched[block.value].reads = true;
    for (const BlockNumber block : work.written) touched[block.value].writes = true;
    for (auto& [number, access] : touched) {
      const Block& block = blocks_.at(number);
      access.item = item;
      if (block.freed_by) {
        found_.emplace(HazardKind::use_after_free, *block.freed_by, work.tag);
        continue;
      }
      for (std::uint64_t unit = 0; unit < block.unit_count; ++unit)
        meet({block.device, block.first_unit + unit}, access);
    }
  }

  void meet(Unit unit, const UnitAccess& now) {
    std::vector<UnitAccess>& earlier = accesses_[unit];
    std::vector<UnitAccess> racing;
    for (const UnitAccess& access : earlier)
      if ((access.writes || now.writes) && is_unordered(access.item, now.item))
        racing.push_back(access);
    for (const UnitAccess& access : racing)
      if (pairs_ == RacingPairs::all || !is_stood_for(access, racing))
        found_.insert(race(access, now));
    earlier.push_back(now);
  }

  bool is_stood_for(const UnitAccess& access, const std::vector<UnitAccess>& others) const {
    return std::ranges::any_of(others, [&](const UnitAccess& later) {
      return later.item != access.item && stands_for(later, access) &&
             is_before(access.item, later.item);
    });
  }

  FoundHazards::value_type race(const UnitAccess& first, const UnitAccess& second) const {
    HazardKind kind = HazardKind::write_before_read;
    if (first.writes)
      kind = second.reads ? HazardKind::read_before_write : HazardKind::write_before_write;
    return {kind, tag_of(first.item), tag_of(second.item)};
  }

  void free(std::size_t at) {
    Block& block = blocks_.at(program_.steps[at].subject);
    block.freed_by = program_.steps[at].tag;
    forget_before(block, laid_out_.onlookers_of(at)[0]);
  }

  /// The next owner of the memory gets it after this.
  void forget_before(const Block& block, std::size_t onlooker) {
    for (std::uint64_t unit = 0; unit < block.unit_count; ++unit)
      std::erase_if(accesses_[{block.device, block.first_unit + unit}],
                    [&](const UnitAccess& access) { return is_before(access.item, onlooker); });
  }

  void hand_out(std::size_t at) {
    const HazardStep& step = program_.steps[at];
    const Block block{step.stream.device, step.first_unit, step.unit_count};
    blocks_[step.subject] = block;
    forget_before(block, laid_out_.onlookers_of(at)[0]);
    const std::size_t next_on_stream = laid_out_.onlookers_of(at)[1];
    for (std::uint64_t unit = 0; unit < block.unit_count; ++unit)
      hand_out({block.device, block.first_unit + unit}, next_on_stream, step.tag);
  }

  /// A reported pair stands for all pairs before it.
  void hand_out(Unit unit, std::size_t next_on_stream, std::uint64_t tag) {
    std::vector<UnitAccess>& earlier = accesses_[unit];
    std::vector<UnitAccess> running;
    for (const UnitAccess& access : earlier)
      if (!is_before(access.item, next_on_stream)) running.push_back(access);
    for (const UnitAccess& access : running)
      if (!is_stood_for(access, running))
        found_.emplace(HazardKind::reused_too_early, tag_of(access.item), tag);
    std::erase_if(earlier, [&](const UnitAccess& access) {
      return is_stood_for(access, running) ||
             std::ranges::any_of(
                 running, [&](const UnitAccess& other) { return other.item == access.item; });
    });
  }

  const HazardProgram& program_;
  const QueuedProgram& laid_out_;
  const States& states_;
  RacingPairs pairs_;
  FoundHazards found_;
  std::map<std::uint64_t, Block> blocks_;
  std::map<Unit, std::vector<UnitAccess>> accesses_;
};

}  // namespace

FoundHazards hazards_by_interleavings(const HazardProgram& program, RacingPairs pairs) {
  const QueuedProgram laid_out(program);
  const States states(program, laid_out);
  return MemoryStory(program, laid_out, states, pairs).found();
}

}  // namespace vramlab::tests
