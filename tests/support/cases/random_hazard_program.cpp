// Random hazard programs: correct as far as CUDA answers, careless about order.
#include <algorithm>
#include <set>

#include "tests/support/cases/hazard_program.h"
#include "tests/support/kit/random_numbers.h"

namespace vramlab::tests {
namespace {

using streams::BlockNumber;
using streams::StreamAt;

constexpr std::uint64_t unit_count = 4;
constexpr std::uint64_t event_count = 3;
constexpr std::uint64_t flag_count = 3;
constexpr std::uint64_t first_node_tag = 1000;

class RandomSteps {
 public:
  RandomSteps(const HazardProgramTraits& traits, std::uint64_t seed)
      : traits_(traits), random_(seed) {}

  HazardProgram make() {
    make_streams();
    const std::uint64_t blocks = random_.between(1, 3);
    for (std::uint64_t i = 0; i < blocks; ++i) hand_out();
    if (traits_.has_graphs) make_graphs();
    while (work_count_ < traits_.works) {
      if (traits_.has_flags && random_.one_in(3))
        use_flag();
      else if (random_.one_in(3))
        order();
      else if (traits_.has_memory_reuse && random_.one_in(3))
        change_memory();
      else if (random_.one_in(25))
        change_streams();
      else
        work();
    }
    end_waits();
    return program_;
  }

 private:
  void make_streams() {
    const std::uint64_t count = random_.between(2, 3);
    // The legacy stream is one of them every other time.
    if (random_.one_in(2)) streams_.push_back({});
    for (std::uint64_t i = streams_.size(); i < count; ++i) {
      const StreamAt stream{0, {i + 1}};
      (random_.one_in(2) ? program_.blocking_streams : program_.other_streams).push_back(stream);
      streams_.push_back(stream);
    }
    for (std::uint64_t i = 0; i < 3; ++i) captured_.push_back({0, {100 + i}});
    program_.other_streams.insert(program_.other_streams.end(), captured_.begin(), captured_.end());
  }

  HazardStep& add(StepKind kind) {
    program_.steps.push_back({.kind = kind,
                              .thread = static_cast<std::uint32_t>(random_.below(traits_.threads)),
                              .stream = random_.pick(streams_),
                              .tag = program_.steps.size() + 1});
    return program_.steps.back();
  }

  void touch(HazardStep& step) {
    for (const BlockNumber block : live_) {
      if (!random_.one_in(live_.size())) continue;
      if (random_.one_in(2)) step.read.push_back(block);
      if (step.read.empty() || random_.one_in(3)) step.written.push_back(block);
    }
    if (!freed_.empty() && random_.one_in(12)) step.read.push_back(random_.pick(freed_));
  }

  void work() {
    if (!program_.graphs.empty() && random_.one_in(3)) {
      add(StepKind::launch).subject = random_.below(program_.graphs.size());
      work_count_ += 2;
      return;
    }
    touch(add(random_.one_in(8) ? StepKind::blocking_copy : StepKind::work));
    ++work_count_;
  }

  void order() {
    static constexpr StepKind kinds[] = {
        StepKind::record,      StepKind::record,      StepKind::record,      StepKind::wait,
        StepKind::wait,        StepKind::wait,        StepKind::sync_stream, StepKind::sync_event,
        StepKind::sync_device, StepKind::query_event, StepKind::query_stream};
    const StepKind kind = random_.pick(kinds);
    if (kind == StepKind::sync_device && !random_.one_in(3)) return;
    add(kind).subject = random_.below(event_count);
  }

  /// A write that comes after a wait which another write has ended already might have ended it
  /// itself: the checker says nothing about the order of such a wait.
  void use_flag() {
    const std::uint64_t flag = random_.below(flag_count);
    if (random_.one_in(2)) {
      add(StepKind::await_flag).subject = flag;
      awaited_.insert(flag);
    } else if (!awaited_.contains(flag) || !written_.contains(flag)) {
      add(StepKind::write_flag).subject = flag;
      written_.insert(flag);
    }
  }

  /// In most programs a thread of its own writes the flags that nobody wrote.
  void end_waits() {
    if (random_.one_in(4)) return;
    for (const std::uint64_t flag : awaited_) {
      if (written_.contains(flag)) continue;
      HazardStep& step = add(StepKind::write_flag);
      step.subject = flag;
      step.thread = traits_.threads;
      step.stream = captured_.front();
    }
  }

  void change_memory() {
    if (live_.empty() || random_.one_in(3)) return hand_out();
    const BlockNumber block = random_.pick(live_);
    if (random_.one_in(2)) {
      add(StepKind::use).subject = block.value;
      return;
    }
    add(StepKind::free).subject = block.value;
    std::erase(live_, block);
    freed_.push_back(block);
    std::erase_if(units_, [&](const auto& unit) { return unit.second == block; });
  }

  void hand_out() {
    const std::uint64_t first = random_.below(unit_count);
    std::uint64_t count = 0;
    const auto is_taken = [&](std::uint64_t at) {
      return std::ranges::any_of(units_, [&](const auto& unit) { return unit.first == at; });
    };
    while (first + count < unit_count && !is_taken(first + count) && count < 3 &&
           (count == 0 || random_.one_in(2)))
      ++count;
    if (count == 0) return;
    HazardStep& step = add(StepKind::hand_out);
    step.subject = ++last_block_;
    step.first_unit = first;
    step.unit_count = count;
    for (std::uint64_t unit = first; unit < first + count; ++unit)
      units_.insert({unit, BlockNumber{step.subject}});
    live_.push_back({step.subject});
  }

  /// A stream is destroyed; another may be created under its name.
  void change_streams() {
    if (streams_.size() < 3 || streams_.back().stream.value == 0) return;
    const StreamAt stream = streams_.back();
    HazardStep& destroy = add(StepKind::destroy_stream);
    destroy.stream = stream;
    // A thread that waits for ever does neither.
    const std::uint32_t thread = destroy.thread;
    HazardStep& step = add(StepKind::create_stream);
    step.thread = thread;
    step.stream = stream;
    step.is_blocking = random_.one_in(2);
  }

  void make_graphs() {
    const std::uint64_t count = random_.between(1, 2);
    for (std::uint64_t i = 0; i < count; ++i) program_.graphs.push_back(captured_steps());
  }

  HazardStep& capture(CapturedSteps& graph, StepKind kind, StreamAt stream) {
    graph.push_back({.kind = kind, .stream = stream, .tag = ++last_node_tag_});
    return graph.back();
  }

  CapturedSteps captured_steps() {
    CapturedSteps graph;
    std::uint64_t event = 0;
    std::vector<StreamAt> joined{captured_.front()};
    const std::uint64_t works = random_.between(1, 4);
    for (std::uint64_t done = 0; done < works;) {
      if (!random_.one_in(3)) {
        touch(capture(graph, StepKind::work, random_.pick(joined)));
        ++done;
        continue;
      }
      const StreamAt to = random_.pick(captured_);
      capture(graph, StepKind::record, random_.pick(joined)).subject = event;
      capture(graph, StepKind::wait, to).subject = event++;
      if (std::ranges::count(joined, to) == 0) joined.push_back(to);
    }
    for (const StreamAt stream : std::vector(joined.begin() + 1, joined.end())) {
      capture(graph, StepKind::record, stream).subject = event;
      capture(graph, StepKind::wait, joined.front()).subject = event++;
    }
    return graph;
  }

  HazardProgramTraits traits_;
  RandomNumbers random_;
  HazardProgram program_;
  std::vector<StreamAt> streams_;
  std::vector<StreamAt> captured_;
  std::vector<BlockNumber> live_;
  std::vector<BlockNumber> freed_;
  std::set<std::pair<std::uint64_t, BlockNumber>> units_;
  std::set<std::uint64_t> awaited_;
  std::set<std::uint64_t> written_;
  std::uint64_t last_block_ = 0;
  std::uint64_t last_node_tag_ = first_node_tag;
  std::uint32_t work_count_ = 0;
};

}  // namespace

HazardProgram random_hazard_program(const HazardProgramTraits& traits, std::uint64_t seed) {
  return RandomSteps(traits, seed).make();
}

}  // namespace vramlab::tests
