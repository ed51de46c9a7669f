#include "tests/support/interleavings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace vramlab::tests {
namespace {

using streams::BlockNumber;
using streams::HazardKind;
using streams::StreamAt;

/// Something on a stream: work, a mark, or what nothing else waits for: an onlooker, of which is
/// only asked what may still run when it could.
struct QueuedItem {
  enum class Nature : std::uint8_t { work, mark, onlooker };
  Nature nature = Nature::mark;
  /// The call that puts it there.
  std::size_t step = 0;
  std::vector<std::size_t> after{};
  /// It runs once one of these was written: any one of them is enough.
  std::optional<std::uint64_t> awaited_flag{};
  std::optional<std::uint64_t> written_flag{};
  const HazardStep* source = nullptr;
};

/// One access of work to one unit of memory.
struct UnitAccess {
  std::size_t item = 0;
  bool reads = false;
  bool writes = false;
};

/// The program laid out as queues.
class LaidOut {
 public:
  explicit LaidOut(const HazardProgram& program) : program_(program) {
    for (const StreamAt stream : program.blocking_streams) is_blocking_[stream] = true;
    for (const StreamAt stream : program.other_streams) is_blocking_[stream] = false;
    call_waits_.resize(program.steps.size());
    onlookers_.resize(program.steps.size());
    items_of_.resize(program.steps.size());
    for (std::size_t at = 0; at < program.steps.size(); ++at) lay_out(at);
  }

  const std::vector<QueuedItem>& items() const { return items_; }
  /// What must be done before the call returns.
  const std::vector<std::size_t>& waits_of_call(std::size_t step) const {
    return call_waits_[step];
  }
  /// The work that a step put on streams.
  const std::vector<std::size_t>& work_of(std::size_t step) const { return items_of_[step]; }
  /// Of a free: it is complete. Of a hand-out: the thread has it; work of its stream has it.
  const std::vector<std::size_t>& onlookers_of(std::size_t step) const { return onlookers_[step]; }

 private:
  struct Queue {
    StreamAt name;
    bool is_blocking = true;
    std::vector<std::size_t> items;
  };

  static bool is_legacy(StreamAt stream) { return stream.stream.value == 0; }

  Queue& queue(StreamAt stream) {
    if (!open_.contains(stream)) {
      open_[stream] = queues_.size();
      queues_.push_back({stream, !is_legacy(stream) && is_blocking_[stream], {}});
    }
    return queues_[open_[stream]];
  }

  /// What the next on the stream is behind.
  std::vector<std::size_t> before_next(StreamAt stream) {
    std::vector<std::size_t> before;
    const Queue on = queue(stream);
    if (!on.items.empty()) before.push_back(on.items.back());
    for (const Queue& other : queues_) {
      if (other.name.device != stream.device || other.items.empty()) continue;
      if (is_legacy(stream) ? other.is_blocking : on.is_blocking && is_legacy(other.name))
        before.push_back(other.items.back());
    }
    return before;
  }

  std::size_t add(const QueuedItem& item) {
    items_.push_back(item);
    return items_.size() - 1;
  }
  std::size_t put(std::size_t step, StreamAt stream, QueuedItem::Nature nature) {
    const std::size_t item = add({.nature = nature, .step = step, .after = before_next(stream)});
    items_[item].source = &program_.steps[step];
    queue(stream).items.push_back(item);
    return item;
  }
  void look_on(std::size_t step, const std::vector<std::size_t>& after) {
    onlookers_[step].push_back(
        add({.nature = QueuedItem::Nature::onlooker, .step = step, .after = after}));
  }

  void lay_out(std::size_t at) {
    const HazardStep& step = program_.steps[at];
    switch (step.kind) {
      case StepKind::work:
      case StepKind::blocking_copy:
      case StepKind::write_flag:
      case StepKind::await_flag:
        lay_out_work(at);
        break;
      case StepKind::record:
        records_[step.subject] = put(at, step.stream, QueuedItem::Nature::mark);
        break;
      case StepKind::wait: {
        const std::size_t item = put(at, step.stream, QueuedItem::Nature::mark);
        if (const auto found = records_.find(step.subject); found != records_.end())
          items_[item].after.push_back(found->second);
        break;
      }
      case StepKind::launch:
        lay_out_launch(at);
        break;
      case StepKind::create_stream:
        is_blocking_[step.stream] = step.is_blocking;
        break;
      case StepKind::destroy_stream:
        open_.erase(step.stream);
        break;
      case StepKind::hand_out:
        homes_[step.subject] = step.stream;
        look_on(at, {});
        look_on(at, before_next(step.stream));
        break;
      case StepKind::use:
        // The allocator takes no note of the block's own stream.
        if (step.stream != homes_[step.subject]) uses_[step.subject].push_back(step.stream);
        break;
      case StepKind::free:
        lay_out_free(at);
        break;
      default:
        lay_out_waiting_call(at);
    }
  }

  void lay_out_work(std::size_t at) {
    const HazardStep& step = program_.steps[at];
    const std::size_t item = put(at, step.stream, QueuedItem::Nature::work);
    items_of_[at].push_back(item);
    if (step.kind == StepKind::blocking_copy) call_waits_[at].push_back(item);
    if (step.kind == StepKind::write_flag) items_[item].written_flag = step.subject;
    if (step.kind == StepKind::await_flag) items_[item].awaited_flag = step.subject;
  }

  void lay_out_free(std::size_t at) {
    std::vector<std::size_t> after;
    for (const StreamAt stream : uses_[program_.steps[at].subject]) {
      const std::vector<std::size_t> before = before_next(stream);
      after.insert(after.end(), before.begin(), before.end());
    }
    look_on(at, after);
  }

  /// A query that was not successful tells nothing.
  void lay_out_waiting_call(std::size_t at) {
    const HazardStep& step = program_.steps[at];
    const bool is_query = step.kind == StepKind::query_stream || step.kind == StepKind::query_event;
    if (is_query && !step.is_successful) return;
    if (step.kind == StepKind::sync_stream || step.kind == StepKind::query_stream) {
      const std::vector<std::size_t> ends = before_next(step.stream);
      // Waiting for a blocking stream is not waiting for the legacy one.
      const Queue& asked = queue(step.stream);
      for (const std::size_t item : ends)
        if (is_legacy(step.stream) || std::ranges::count(asked.items, item) > 0)
          call_waits_[at].push_back(item);
    } else if (step.kind == StepKind::sync_device) {
      for (const Queue& other : queues_)
        if (other.name.device == step.stream.device && !other.items.empty())
          call_waits_[at].push_back(other.items.back());
    } else if (const auto found = records_.find(step.subject); found != records_.end()) {
      call_waits_[at].push_back(found->second);
    }
  }

  void lay_out_launch(std::size_t at) {
    const HazardStep& step = program_.steps[at];
    const std::size_t begin = put(at, step.stream, QueuedItem::Nature::mark);
    if (const auto found = launch_ends_.find(step.subject); found != launch_ends_.end())
      items_[begin].after.push_back(found->second);
    std::vector<std::size_t> all{begin};
    std::map<StreamAt, std::size_t> last;
    std::map<std::uint64_t, std::size_t> records;
    for (const HazardStep& node : program_.graphs[step.subject]) {
      const bool is_work = node.kind == StepKind::work;
      const std::size_t item =
          add({.nature = is_work ? QueuedItem::Nature::work : QueuedItem::Nature::mark,
               .step = at,
               .after = {last.contains(node.stream) ? last[node.stream] : begin},
               .source = &node});
      last[node.stream] = item;
      if (node.kind == StepKind::record) records[node.subject] = item;
      if (node.kind == StepKind::wait) items_[item].after.push_back(records.at(node.subject));
      if (is_work) items_of_[at].push_back(item);
      all.push_back(item);
    }
    const std::size_t end = put(at, step.stream, QueuedItem::Nature::mark);
    items_[end].after.insert(items_[end].after.end(), all.begin(), all.end());
    launch_ends_[step.subject] = end;
  }

  const HazardProgram& program_;
  std::vector<QueuedItem> items_;
  std::vector<std::vector<std::size_t>> call_waits_;
  std::vector<std::vector<std::size_t>> onlookers_;
  std::vector<std::vector<std::size_t>> items_of_;
  std::vector<Queue> queues_;
  std::map<StreamAt, std::size_t> open_;
  std::map<StreamAt, bool> is_blocking_;
  std::map<std::uint64_t, std::size_t> records_;
  std::map<std::uint64_t, StreamAt> homes_;
  std::map<std::uint64_t, std::vector<StreamAt>> uses_;
  std::map<std::uint64_t, std::size_t> launch_ends_;
};

/// All that can be so far: which work has run, in whatever order.
class States {
 public:
  States(const HazardProgram& program, const LaidOut& laid_out)
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
    if (const Done called = let_go_on(done); seen_.insert(done).second) go_on_from(done, called);
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
      const Done called = calls_made(done);
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
  const LaidOut& laid_out_;
  std::set<Done> seen_;
  std::vector<std::vector<bool>> can_overtake_;
  std::vector<bool> can_run_;
};

/// What of the orders matters for memory.
class MemoryStory {
 public:
  MemoryStory(const HazardProgram& program, const LaidOut& laid_out, const States& states,
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

  /// Whoever gets the memory next gets it after this.
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

  /// What is reported stands for all that comes before it.
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
  const LaidOut& laid_out_;
  const States& states_;
  RacingPairs pairs_;
  FoundHazards found_;
  std::map<std::uint64_t, Block> blocks_;
  std::map<Unit, std::vector<UnitAccess>> accesses_;
};

}  // namespace

FoundHazards hazards_by_interleavings(const HazardProgram& program, RacingPairs pairs) {
  const LaidOut laid_out(program);
  const States states(program, laid_out);
  return MemoryStory(program, laid_out, states, pairs).found();
}

}  // namespace vramlab::tests
