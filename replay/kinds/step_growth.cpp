#include "replay/kinds/step_growth.h"

#include <algorithm>
#include <map>

#include "allocator/options/size_rules.h"
#include "replay/kinds/held_by_group.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;

constexpr Bytes least_growth = 64_KiB;
/// Optimizers that take turns.
constexpr std::size_t most_steps_in_round = 2;
constexpr std::size_t fewest_rounds = 2;
constexpr std::uint64_t least_share = 10;

/// The memory at the end of a step, by group.
struct StepEnd {
  Bytes allocated;
  std::vector<Bytes> by_group;

  Bytes of(std::size_t group) const { return group < by_group.size() ? by_group[group] : Bytes{}; }
};

/// Groups are modules with a kind.
class StepEnds : public HeldByGroup {
 public:
  StepEnds(const DeviceHistory& history, const StartedHistory* started, const RecordingKinds& kinds,
           const BlockKinds& of_blocks)
      : HeldByGroup(history, started), kinds_(kinds), of_blocks_(of_blocks) {}

  std::vector<StepEnd> find() {
    run();
    while (ends_.size() < of_blocks_.step_ends.size()) ends_.push_back(now_);
    return std::move(ends_);
  }
  const std::vector<std::string>& group_names() const { return group_names_; }

 private:
  void comes_to(const MemoryEvent& event) override {
    while (ends_.size() < of_blocks_.step_ends.size() &&
           of_blocks_.step_ends[ends_.size()] <= event.number)
      ends_.push_back(now_);
  }
  void came(std::size_t group, Bytes bytes) override {
    now_.allocated += bytes;
    now_.by_group[group] += bytes;
  }
  void went(std::size_t group, Bytes bytes) override {
    now_.allocated -= bytes;
    now_.by_group[group] -= bytes;
  }
  /// A block's rest that was too small to be split off comes and goes with the block that happens
  /// to be free.
  Bytes bytes_of(const LiveBlock& block) override {
    return std::min(block.bytes, allocator::round_to_minimum(block.requested));
  }
  std::size_t group_of(const LiveBlock& block) override {
    const BlockKind& kind = of_blocks_.of(block);
    const auto [known, is_new] = known_.try_emplace({kind.kind, kind.name}, 0);
    if (!is_new) return known->second;
    const std::string name = module_text(kind, kinds_);
    const auto [number, is_new_name] = group_numbers_.try_emplace(name, group_names_.size());
    if (is_new_name) {
      group_names_.push_back(name);
      now_.by_group.emplace_back();
    }
    return known->second = number->second;
  }

  const RecordingKinds& kinds_;
  const BlockKinds& of_blocks_;
  StepEnd now_;
  std::vector<StepEnd> ends_;
  std::vector<std::string> group_names_;
  std::map<std::string, std::size_t> group_numbers_;
  std::map<std::pair<MemoryKind, KindNameIndex>, std::size_t> known_;
};

/// The number of rounds at the end of the history in which memory grew, as far as they are enough.
std::optional<std::size_t> growing_rounds(const std::vector<StepEnd>& ends, std::size_t steps) {
  const std::size_t all = (ends.size() - 1) / steps;
  const std::size_t rounds = std::max(fewest_rounds, all / 2);
  if (ends.size() < rounds * steps + steps) return std::nullopt;
  for (std::size_t i = ends.size() - rounds * steps; i < ends.size(); ++i)
    if (ends[i].allocated < ends[i - steps].allocated + least_growth) return std::nullopt;
  return rounds;
}

std::vector<StepGrowth::Part> growing_parts(const StepEnd& from, const StepEnd& to,
                                            const StepGrowth& growth,
                                            const std::vector<std::string>& names) {
  std::vector<StepGrowth::Part> parts;
  for (std::size_t group = 0; group < names.size(); ++group) {
    if (to.of(group) <= from.of(group)) continue;
    const Bytes bytes{(to.of(group) - from.of(group)).count / growth.rounds};
    if (bytes.count * least_share >= growth.bytes.count) parts.push_back({names[group], bytes});
  }
  std::ranges::stable_sort(parts, std::greater<>(), &StepGrowth::Part::bytes);
  return parts;
}

}  // namespace

std::optional<StepGrowth> find_step_growth(const DeviceHistory& history,
                                           const StartedHistory* started,
                                           const RecordingKinds& kinds) {
  const BlockKinds* const of_blocks = kinds.of_device(history.device);
  if (of_blocks == nullptr || of_blocks->step_ends.size() <= fewest_rounds) return std::nullopt;
  StepEnds walk(history, started, kinds, *of_blocks);
  const std::vector<StepEnd> ends = walk.find();
  for (std::size_t steps = 1; steps <= most_steps_in_round; ++steps) {
    const auto rounds = growing_rounds(ends, steps);
    if (!rounds) continue;
    const StepEnd& from = ends[ends.size() - 1 - *rounds * steps];
    StepGrowth growth{steps, *rounds, {}, {}};
    growth.bytes = {(ends.back().allocated - from.allocated).count / *rounds};
    growth.parts = growing_parts(from, ends.back(), growth, walk.group_names());
    return growth;
  }
  return std::nullopt;
}

}  // namespace vramlab::replay
