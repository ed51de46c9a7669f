#include "replay/page/report_fragmentation.h"

#include <nlohmann/json.hpp>

#include "replay/page/page_bytes.h"
#include "replay/state/pinners.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;

constexpr std::size_t most_pinners = 20;

struct FigureName {
  const char* name;
  Bytes (*value)(const StateFigures&);
};

/// As docs/metrics.md names them.
constexpr FigureName names[] = {
    {"inactive_split", [](const StateFigures& figures) { return figures.inactive_split; }},
    {"releasable", [](const StateFigures& figures) { return figures.releasable; }},
    {"pool_held", [](const StateFigures& figures) { return figures.pool_held; }},
    {"stranded", [](const StateFigures& figures) { return figures.stranded(); }},
    {"largest_cached", [](const StateFigures& figures) { return figures.largest_cached; }},
};

}  // namespace

void ReportFragmentation::add(HistoryStep step, const allocator::Snapshot& snapshot,
                              const LiveBlocks& in_use) {
  steps_.push_back(step);
  figures_.push_back(find_fragmentation(snapshot, rules_).total);
  offsets_.push_back(pinners_.size());
  const std::vector<Pinner> pinners = find_pinners(snapshot, rules_, most_pinners);
  pinners_.add(pinners.size());
  std::uint64_t before = 0;
  for (const Pinner& pinner : pinners) {
    pinners_.add_step(before, pinner.at.value);
    before = pinner.at.value;
    const LiveBlock& block = *in_use.find(pinner.at.value);
    for (const std::uint64_t number :
         {pinner.size.count, pinner.strands.count, pinner.released_alone.count,
          pinner.segment_size.count, pinner.beside, std::uint64_t{block.life}, step - block.since(),
          std::uint64_t{texts_.node_of(block.stack)}})
      pinners_.add(number);
  }
}

nlohmann::ordered_json ReportFragmentation::take(std::string& bytes) const {
  nlohmann::ordered_json json = {{"step", add_column_section(bytes, steps_)}};
  for (const FigureName& name : names) {
    std::vector<std::uint64_t> numbers;
    for (const StateFigures& figures : figures_) numbers.push_back(name.value(figures).count);
    json[name.name] = add_column_section(bytes, numbers);
  }
  json["pinners_at"] = add_column_section(bytes, offsets_);
  json["pinners"] = add_section(bytes, pinners_.bytes(), steps_.size());
  return json;
}

}  // namespace vramlab::replay
