#include "tools/cli/kit/out_of_memory_report.h"

#include "allocator/options/size_rules.h"
#include "allocator/types/bytes_and_ids.h"
#include "replay/replayer/replayer.h"
#include "tools/cli/printers/fragmentation_text.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::OutOfMemoryReason;

replay::MemoryShare share_of(const replay::DeviceState& state) {
  return state.rules.allowed ? replay::MemoryShare::limited : replay::MemoryShare::whole;
}

std::string asked_text(const OutOfMemoryReason& story) {
  const Bytes asked = story.refused.request.value_or(story.refused.rounded);
  return "out of memory at event " + std::to_string(story.refused.event) + ": " +
         format_bytes(asked) + " on stream " + std::to_string(story.refused.stream.value) +
         (story.refused.request ? "" : " (rounded)") + ", " + format_bytes(story.device_size) +
         " as a segment\n";
}

std::string lane_text(const OutOfMemoryReason& story) {
  std::string text = "the " + std::string(pool_kind_name(story.lane.kind)) + " half of ";
  text += story.lane.pool == default_pool ? std::string("the device's own pool")
                                          : "pool " + name_of(story.lane.pool);
  return "  " + text + " has " + format_bytes(story.in_lane.free) + " free on this stream in " +
         std::to_string(story.in_lane.holes) + " holes, the largest " +
         format_bytes(story.in_lane.largest_free) + "\n";
}

std::string unusable_text(const OutOfMemoryReason& story) {
  std::string text;
  const auto add = [&text](Bytes bytes, const char* where) {
    if (bytes > Bytes{}) text += "  " + format_bytes(bytes) + " free " + where + "\n";
  };
  add(story.kept_by_split_limit, "in blocks large enough that max_split_size keeps whole");
  add(story.passed_over, "in expandable segments, passed over while the option is off");
  add(story.free_on_other_streams, "for other streams only");
  add(story.free_in_other_half, "in the half of the pool for other sizes");
  add(story.free_in_other_pools, "in other pools");
  return text;
}

std::string device_line(const OutOfMemoryReason& story) {
  if (!story.refused.device_free) return "  the free memory of the device is unknown\n";
  std::string text = "  the device had " + format_bytes(*story.refused.device_free) + " left";
  if (story.allowed) text += ", and " + format_bytes(*story.allowed) + " in all are allowed";
  if (story.is_limited_by_unknown_share)
    text +=
        ", which is enough: a memory fraction must have limited it, and recordings don't contain "
        "it";
  if (story.shortfall) text += ": " + format_bytes(*story.shortfall) + " too little";
  return text + "\n";
}

std::string enough_text(const OutOfMemoryExplanation& explained,
                        const traces::SnapshotTables& tables) {
  const auto& blocks = explained.story.enough_to_free;
  if (blocks.empty()) {
    if (!explained.story.shortfall) return {};
    return "  freeing up to 64 blocks, each the last live one in its segment, would not have been "
           "enough\n";
  }
  Bytes held;
  Bytes released;
  for (const replay::Pinner& block : blocks) {
    held += block.size;
    released += block.released_alone;
  }
  std::string text = "  freeing " + std::to_string(blocks.size()) + " blocks of " +
                     format_bytes(held) + " together would have released " +
                     format_bytes(released) + ":\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(3, blocks.size()); ++i) {
    const std::string origin = origin_text(explained.state, blocks[i].at, tables);
    text += "    " + name_of(blocks[i].at) + ", " + format_bytes(blocks[i].size) +
            (origin.empty() ? "" : ", " + shown_name(origin)) + "\n";
  }
  return text;
}

std::string memory_text(const OutOfMemoryExplanation& explained) {
  if (explained.least_memory)
    return "  passes with " + format_bytes(*explained.least_memory) + " of memory, " +
           format_bytes(*explained.least_memory - *explained.memory) +
           " more (found by replaying)\n";
  if (!explained.story.shortfall) return {};
  return "  would pass with " + format_bytes(*explained.story.shortfall) +
         " more memory (by calculation)\n";
}

std::string tried_text(const OutOfMemoryExplanation& explained) {
  std::string text;
  for (const replay::TriedOptions& tried : explained.tried) {
    const char* outcome = !tried.passes        ? "still fails"
                          : tried.runs_through ? "passes, and so do all later requests"
                                               : "passes, but a later request fails";
    text += "  with " + shown_name(tried.added) + " it " + outcome + " (found by replaying)\n";
  }
  return text;
}

ordered_json tried_json(const replay::TriedOptions& tried) {
  return {{"added_options", tried.added},
          {"passes", tried.passes},
          {"runs_through", tried.runs_through}};
}

}  // namespace

replay::ReplayTry tries_of(replay::Recording& recording, const ReplayArguments& arguments) {
  replay::ReplayConditions asked = conditions_of(arguments);
  asked.on_out_of_memory = replay::OnOutOfMemory::stop;
  std::shared_ptr<const replay::Replayer> replayer;
  return [asked, replayer, &recording](const replay::ReplayChange& change) mutable {
    if (!replayer) replayer = std::make_shared<replay::Replayer>(recording);
    replay::ReplayConditions conditions = asked;
    if (change.memory) conditions.memory = change.memory;
    if (change.options) conditions.options = change.options;
    return replayer->run(conditions);
  };
}

std::optional<OutOfMemoryExplanation> explain_recorded(const replay::DeviceState& state,
                                                       const replay::ReplayTry& tries) {
  const auto refused = refused_by(state);
  if (!refused) return std::nullopt;
  OutOfMemoryExplanation explained{state, explain_out_of_memory(state, *refused), std::nullopt};
  if (tries)
    explained.tried = try_likely_options(tries, {state.device, refused->event},
                                         state.rules.settings, share_of(state));
  return explained;
}

OutOfMemoryExplanation explain_replayed(const replay::DeviceState& state,
                                        const replay::DeviceReport& report,
                                        const replay::ReplayTry& tries) {
  const replay::FailedRequest& failure = report.failures.front();
  const Bytes rounded = failure.figures.request < allocator::request_limit
                            ? round_request(failure.figures.request, state.rules.settings)
                            : failure.figures.request;
  const replay::RefusedRequest refused{failure.event, failure.figures.request,
                                       rounded,       failure.stream,
                                       default_pool,  failure.figures.device_free};
  OutOfMemoryExplanation explained{state, explain_out_of_memory(state, refused), report.memory};
  if (!tries) return explained;
  const replay::FailedAt failed{state.device, failure.event};
  explained.least_memory =
      least_memory(tries, failed, report.memory,
                   explained.story.shortfall.value_or(explained.story.device_size));
  explained.tried = try_likely_options(tries, failed, state.rules.settings, share_of(state));
  return explained;
}

std::string out_of_memory_text(const OutOfMemoryExplanation& explained,
                               const traces::SnapshotTables& tables) {
  const OutOfMemoryReason& story = explained.story;
  return asked_text(story) + lane_text(story) + unusable_text(story) + device_line(story) +
         enough_text(explained, tables) + memory_text(explained) + tried_text(explained);
}

ordered_json out_of_memory_json(const OutOfMemoryExplanation& explained,
                                const traces::SnapshotTables& tables) {
  const OutOfMemoryReason& story = explained.story;
  const auto of_block = [&](const auto& block) {
    return pinner_json(explained.state, block, tables);
  };
  return {{"device", explained.state.device.value},
          {"event", story.refused.event},
          {"requested_bytes", or_null(story.refused.request)},
          {"rounded_bytes", story.refused.rounded.count},
          {"stream", story.refused.stream.value},
          {"pool_kind", pool_kind_name(story.lane.kind)},
          {"pool_id", {story.lane.pool.graph, story.lane.pool.user}},
          {"device_request_bytes", story.device_size.count},
          {"free_in_lane_bytes", story.in_lane.free.count},
          {"largest_free_in_lane_bytes", story.in_lane.largest_free.count},
          {"kept_by_split_limit_bytes", story.kept_by_split_limit.count},
          {"passed_over_bytes", story.passed_over.count},
          {"free_on_other_streams_bytes", story.free_on_other_streams.count},
          {"free_in_other_half_bytes", story.free_in_other_half.count},
          {"free_in_other_pools_bytes", story.free_in_other_pools.count},
          {"device_free_bytes", or_null(story.refused.device_free)},
          {"allowed_bytes", or_null(story.allowed)},
          {"shortfall_bytes", or_null(story.shortfall)},
          {"enough_to_free", json_list(story.enough_to_free, of_block)},
          {"least_memory_bytes", or_null(explained.least_memory)},
          {"tried", json_list(explained.tried, tried_json)},
          {"text", out_of_memory_text(explained, tables)}};
}

}  // namespace vramlab::tools
