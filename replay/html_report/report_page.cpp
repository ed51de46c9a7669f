#include "replay/html_report/report_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "replay/html_report/packed_parts.h"
#include "replay/html_report/report_timeline.h"
#include "replay/packing/best_packing.h"
#include "replay/packing/lifetimes.h"
#include "replay/packing/pack_input.h"
#include "replay/recording/pinned_history.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;
using nlohmann::ordered_json;

struct DeviceInput {
  /// For messages.
  const std::string& file;
  const DeviceHistory& history;
  const ExplainedHistory& explained;
  const Settings& settings;
  const ReportLimits& limits;
  /// Null where nobody knows them.
  const RecordingKinds* kinds = nullptr;
  /// Is told now and then how many events were walked past; each is twice.
  std::function<void(std::uint64_t)> passed;
};

ordered_json moment_json(const MomentFigures& moment) {
  return {{"step", moment.step},
          {"time_us", moment.time_us},
          {"allocated", moment.allocated.count},
          {"requested", moment.requested.count},
          {"active", moment.active.count},
          {"reserved", moment.reserved.count}};
}

/// The part of a page about one device of one run. Adds to the page's texts and bytes. Requires:
/// the history has no impossible part.
class DevicePart {
 public:
  DevicePart(const DeviceInput& input, PageTexts& texts, std::string& bytes)
      : input_(input),
        history_(input.history),
        walk_(input.explained),
        doubts_(input.explained.doubts),
        texts_(texts),
        bytes_(bytes) {}

  ordered_json build() {
    json_ = {{"device", history_.device}, {"events_total", history_.events.size()}};
    survey();
    detail();
    add_lives();
    add_events();
    add_labels();
    add_failures();
    add_packing();
    json_["notes"] = doubts_;
    return std::move(json_);
  }

 private:
  /// Left out where it would take longer than the rest of the page.
  void add_packing() {
    constexpr std::size_t most_events = 300'000;
    json_["best_packing"] = nullptr;
    if (history_.device == host_device || history_.events.size() > most_events) return;
    const DeviceLifetimes lifetimes = lifetimes_of(history_, input_.settings);
    if (lifetimes.blocks.empty()) return;
    const PackGroup group = pack_group_of(lifetimes, input_.file);
    const PackingResult best = best_packing(group.buffers, packing_beside_replays());
    json_["best_packing"] = {{"bytes", best.packing.height.count},
                             {"load_bound", best.load_bound.count}};
    if (!json_["failures"].empty())
      doubts_.emplace_back("the best packing is without the requests that failed");
  }

  void survey() {
    ReportSurvey survey(history_, walk_, texts_, kinds(),
                        {input_.limits.moments, input_.limits.blocks});
    survey.when_passed(input_.passed);
    watch_placements(history_, walk_, survey);
    moments_ = survey.take_moments();
    for (const MomentFigures& moment : moments_) plan_.moments.push_back(moment.step);
    plan_.sites = survey.sites().largest(input_.limits.sites);
    // In the order of the kinds, so that what stays all the time is below.
    plan_.kinds = survey.kinds().kinds().largest(input_.limits.sites);
    std::ranges::sort(plan_.kinds);
    plan_.modules = survey.kinds().modules().largest(input_.limits.sites);
    plan_.blocks = survey.drawn_sizes();
    std::vector<HistoryStep> always = {survey.peak_allocated().step, survey.peak_reserved().step,
                                       survey.last().step};
    constexpr std::size_t most_failures = 100;
    for (std::size_t i = 0; i < history_.events.size() && always.size() < most_failures; ++i)
      if (history_.events[i].action == allocator::Action::oom) always.push_back(i);
    const HistoryStep last = survey.last().step;
    plan_.states = choose_steps(last, survey.most_blocks(), input_.limits.changes, always);
    plan_.snapshots = choose_snapshots(last, survey.most_blocks(), always);
    json_["events_per_stretch"] = survey.events_per_stretch();
    json_["peak_allocated"] = moment_json(survey.peak_allocated());
    json_["peak_reserved"] = moment_json(survey.peak_reserved());
    json_["last"] = moment_json(survey.last());
  }

  /// Each costs a walk over all blocks, so there are fewer where there are many blocks.
  std::vector<HistoryStep> choose_snapshots(HistoryStep last, std::size_t most_blocks,
                                            const std::vector<HistoryStep>& always) const {
    constexpr std::size_t most_work = 3'000'000;
    const std::size_t count =
        std::min(input_.limits.snapshots,
                 std::max<std::size_t>(100, most_work / std::max<std::size_t>(1, most_blocks)));
    std::vector<HistoryStep> steps = always;
    for (std::size_t i = 0; i < count && count > 1; ++i)
      steps.push_back(last < count ? std::min<HistoryStep>(i, last) : last * i / (count - 1));
    return in_order(std::move(steps));
  }

  void detail() {
    ReportDetail detail(history_, walk_, texts_, kinds(), plan_);
    const HistoryStep last = json_["last"]["step"];
    ReportFragmentation fragmentation({.settings = input_.settings}, texts_);
    detail.when_seen(
        [&](HistoryStep step, const allocator::Snapshot& snapshot, const LiveBlocks& in_use) {
          fragmentation.add(step, snapshot, in_use);
          if (step == last) compare_end(snapshot);
        });
    if (input_.passed)
      detail.when_passed(
          [this](HistoryStep step) { input_.passed(history_.events.size() + step); });
    watch_placements(history_, walk_, detail);
    json_["fragmentation"] = fragmentation.take(bytes_);
    json_["fragmentation"]["time_us"] =
        column(fragmentation.steps(), [this](HistoryStep step) { return time_of(step); });
    add_moments();
    add_bands(detail);
    add_states(detail.states());
    add_holders(detail.kinds());
    json_["blocks"] = detail.blocks().take(bytes_);
  }

  ReportKinds kinds() const {
    const RecordingKinds* const kinds = input_.kinds;
    return {kinds, kinds == nullptr ? nullptr : kinds->of_device(history_.device)};
  }

  void add_moments() {
    using Row = MomentFigures;
    ordered_json moments;
    moments["step"] = column(moments_, [](const Row& row) { return row.step; });
    moments["time_us"] = column(moments_, [](const Row& row) { return row.time_us; });
    moments["allocated"] = column(moments_, [](const Row& row) { return row.allocated.count; });
    moments["requested"] = column(moments_, [](const Row& row) { return row.requested.count; });
    moments["active"] = column(moments_, [](const Row& row) { return row.active.count; });
    moments["reserved"] = column(moments_, [](const Row& row) { return row.reserved.count; });
    moments["largest_free"] =
        column(moments_, [](const Row& row) { return row.largest_free.count; });
    moments["device_gets"] = column(moments_, [](const Row& row) { return row.device_gets; });
    moments["device_releases"] =
        column(moments_, [](const Row& row) { return row.device_releases; });
    json_["moments"] = std::move(moments);
  }

  void add_bands(const ReportDetail& detail) {
    json_["sites"] = ordered_json::array();
    for (std::size_t i = 0; i < plan_.sites.size(); ++i)
      json_["sites"].push_back(
          {{"site", plan_.sites[i]}, {"allocated", column(detail.site_bytes()[i])}});
    json_["kinds"] = ordered_json::array();
    for (std::size_t i = 0; i < plan_.kinds.size(); ++i)
      json_["kinds"].push_back({{"name", ReportKinds::kind_name(plan_.kinds[i])},
                                {"allocated", column(detail.kind_bytes()[i])}});
    json_["modules"] = ordered_json::array();
    for (std::size_t i = 0; i < plan_.modules.size(); ++i)
      json_["modules"].push_back({{"name", detail.kinds().module_name(plan_.modules[i])},
                                  {"allocated", column(detail.module_bytes()[i])}});
  }

  void add_states(const ReportStates& states) {
    json_["states"] = {
        {"step", column(states.steps())},
        {"time_us", column(states.steps(), [this](HistoryStep step) { return time_of(step); })},
        {"offset", column(states.offsets())},
        {"is_whole", column(states.are_whole())},
        {"bytes", add_section(bytes_, states.bytes().bytes(), states.steps().size())}};
  }

  /// Each path once. Null where nobody knows what blocks hold.
  void add_holders(const ReportKinds& kinds) {
    json_["holders"] = nullptr;
    if (!kinds.is_known()) return;
    std::map<std::string, std::uint64_t> numbers;
    ordered_json paths = ordered_json::array();
    std::vector<std::uint64_t> path_of_holder;
    for (const ReportKinds::Holder& holder : kinds.holders()) {
      const auto [number, is_new] = numbers.try_emplace(holder.module, numbers.size());
      if (is_new) paths.push_back(holder.module);
      path_of_holder.push_back(number->second);
    }
    ordered_json names = ordered_json::array();
    for (std::uint32_t kind = 0; kind < traces::memory_kind_names.size(); ++kind)
      names.push_back(ReportKinds::kind_name(kind));
    json_["holders"] = {{"paths", std::move(paths)},
                        {"kinds", std::move(names)},
                        {"path", column(path_of_holder)},
                        {"kind", column(kinds.holders(), [](const ReportKinds::Holder& holder) {
                           return static_cast<std::uint64_t>(holder.kind);
                         })}};
  }

  /// Streams as they come, pools by name.
  void add_lives() {
    const std::vector<SegmentLife>& lives = walk_.placements.lives;
    ordered_json pools = ordered_json::array();
    std::map<allocator::PoolId, std::uint64_t> numbers;
    for (const allocator::PoolId pool : walk_.pools)
      if (numbers.try_emplace(pool, numbers.size()).second)
        pools.push_back(pool == allocator::default_pool ? std::string("default") : name_of(pool));
    std::vector<std::uint64_t> pool_of_life;
    for (const allocator::PoolId pool : walk_.pools) pool_of_life.push_back(numbers[pool]);
    using Life = SegmentLife;
    ordered_json json;
    json["base"] = column(lives, [](const Life& life) { return life.base.value; });
    json["size"] = column(lives, [](const Life& life) { return life.size.count; });
    json["stream"] = column(lives, [](const Life& life) { return life.stream.value; });
    json["traits"] = column(lives, [](const Life& life) {
      return std::uint64_t{life.kind == allocator::PoolKind::large} +
             2 * std::uint64_t{life.is_expandable};
    });
    json["pool"] = column(pool_of_life);
    json["begin"] = column(lives, [](const Life& life) { return std::uint64_t{life.begin}; });
    json_["lives"] = std::move(json);
    json_["pools"] = std::move(pools);
  }

  void add_events() {
    const std::vector<std::size_t> chosen = choose_events(history_, input_.limits.events);
    const auto event = [this](std::size_t i) { return history_.events[i]; };
    ordered_json json;
    json["index"] = column(chosen, [](std::size_t i) { return std::uint64_t{i}; });
    json["action"] = column(chosen, [&](std::size_t i) { return std::uint64_t(event(i).action); });
    json["time_us"] = column(chosen, [&](std::size_t i) { return walk_.times_us[i]; });
    json["address"] = column(chosen, [&](std::size_t i) { return event(i).address.value; });
    json["size"] = column(chosen, [&](std::size_t i) { return event(i).size.count; });
    json["stream"] = column(chosen, [&](std::size_t i) { return event(i).stream.value; });
    json["stack"] = column(chosen, [&](std::size_t i) -> std::uint64_t {
      return history_.stacks.empty() ? 0 : texts_.node_of(history_.stacks[i]);
    });
    json_["events"] = std::move(json);
  }

  /// By the step that handed memory out.
  void add_labels() {
    std::vector<std::uint64_t> steps;
    std::vector<std::uint64_t> labels;
    for (const auto& [event, text] : labels_by_request(history_)) {
      steps.push_back(event + 1);
      labels.push_back(texts_.text_of(text));
    }
    ordered_json json;
    json["since"] = column(steps);
    json["text"] = column(labels);
    json_["labels"] = std::move(json);
  }

  void add_failures() {
    ordered_json failures = ordered_json::array();
    constexpr std::size_t most = 1000;
    for (std::size_t i = 0; i < history_.events.size() && failures.size() < most; ++i)
      if (history_.events[i].action == allocator::Action::oom)
        failures.push_back({{"event", i},
                            {"time_us", walk_.times_us[i]},
                            {"wanted", history_.events[i].size.count},
                            {"device_free", history_.events[i].address.value}});
    json_["failures"] = std::move(failures);
  }

  /// If the walk ends elsewhere than the file, its states are not what was there.
  void compare_end(const allocator::Snapshot& walked) {
    std::map<allocator::Address, std::pair<Bytes, allocator::BlockState>> blocks;
    for (const auto& segment : history_.final_segments)
      for (const auto& block : segment.blocks) blocks[block.address] = {block.size, block.state};
    std::uint64_t same = 0;
    std::uint64_t count = 0;
    for (const auto& segment : walked.segments)
      for (const auto& block : segment.blocks) {
        ++count;
        const auto found = blocks.find(block.address);
        if (found != blocks.end() && found->second == std::pair{block.size, block.state}) ++same;
      }
    const std::uint64_t different = std::max<std::uint64_t>(blocks.size(), count) - same;
    json_["blocks_unlike_file_at_end"] = different;
    if (different > 0)
      doubts_.push_back("at the end " + std::to_string(different) + " of " +
                        std::to_string(blocks.size()) +
                        " blocks differ from the final state in the file: the states shown here "
                        "are guessed");
  }

  std::uint64_t time_of(HistoryStep step) const {
    if (walk_.times_us.empty()) return 0;
    return walk_.times_us[step == 0 ? 0 : as_index(step - 1)];
  }

  template <class Of, class Numbers>
  ordered_json column(const std::vector<Of>& rows, Numbers number_of) {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(rows.size());
    for (const Of& row : rows) numbers.push_back(number_of(row));
    return add_column_section(bytes_, numbers);
  }

  ordered_json column(const std::vector<std::uint64_t>& numbers) {
    return add_column_section(bytes_, numbers);
  }

  const DeviceInput input_;
  const DeviceHistory& history_;
  const HistoryWalk& walk_;
  std::vector<std::string> doubts_;
  PageTexts& texts_;
  std::string& bytes_;
  ordered_json json_;
  std::vector<MomentFigures> moments_;
  ReportDetail::Plan plan_;
};

ordered_json texts_json(const PageTexts& texts, const traces::SnapshotTables& tables,
                        std::string& bytes) {
  ordered_json json;
  json["texts"] = ordered_json::array();
  for (const traces::TextId id : texts.texts()) json["texts"].push_back(tables.texts.text(id));
  json["sites"] = texts.sites();
  PageBytes frames;
  for (const PageTexts::Frame& frame : texts.frames()) {
    frames.add(frame.name);
    frames.add(frame.file);
    frames.add_signed(frame.line);
  }
  json["frames"] = add_section(bytes, frames.bytes(), texts.frames().size());
  PageBytes nodes;
  for (const PageTexts::Node& node : texts.nodes()) {
    nodes.add(node.parent);
    nodes.add(node.frame);
    nodes.add(node.site);
  }
  json["nodes"] = add_section(bytes, nodes.bytes(), texts.nodes().size());
  return json;
}

ordered_json spans_json(const std::vector<AnnotationSpan>& spans, const traces::TextTable& texts) {
  constexpr std::size_t most = 5'000;
  ordered_json json = ordered_json::array();
  for (const AnnotationSpan& span : spans) {
    if (json.size() == most) break;
    ordered_json one = {{"device", span.device}, {"name", texts.text(span.name)}};
    if (span.begin_us) one["begin_us"] = *span.begin_us;
    if (span.end_us) one["end_us"] = *span.end_us;
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace

ReportLimits ReportLimits::halved() const {
  ReportLimits half = *this;
  half.moments /= 2;
  half.changes /= 2;
  half.events /= 2;
  half.snapshots /= 2;
  half.blocks /= 2;
  return half;
}

ReportLimits ReportLimits::lowered() const {
  constexpr std::size_t few_blocks = 125'000;
  if (blocks <= few_blocks) return halved();
  ReportLimits fewer = *this;
  fewer.blocks = few_blocks;
  return fewer;
}

ordered_json report_run(const ReportInput& input, const traces::SnapshotTables& tables,
                        const Settings& settings, const ReportLimits& limits, std::string& bytes) {
  PageTexts texts(tables);
  ordered_json json = {{"file", input.file},
                       {"title", input.title},
                       {"origin", input.origin == ReportOrigin::recorded ? "recorded" : "replayed"},
                       {"reference", input.reference},
                       {"options", input.options},
                       {"notes", input.notes}};
  json["devices"] = ordered_json::array();
  std::uint64_t total = 0;
  for (const ReportDevice& device : input.devices) total += 2 * device.history.events.size();
  std::uint64_t before = 0;
  for (const ReportDevice& device : input.devices) {
    std::function<void(std::uint64_t)> passed;
    if (input.progress) passed = [&](std::uint64_t done) { input.progress(before + done, total); };
    json["devices"].push_back(DevicePart({input.file, device.history, device.explained, settings,
                                          limits, input.kinds.get(), passed},
                                         texts, bytes)
                                  .build());
    before += 2 * device.history.events.size();
  }
  json["spans"] = spans_json(input.spans, tables.texts);
  json["stacks"] = texts_json(texts, tables, bytes);
  return json;
}

}  // namespace vramlab::replay
