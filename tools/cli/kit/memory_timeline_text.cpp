#include "tools/cli/kit/memory_timeline_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using traces::sum_of;

std::string signed_bytes(std::int64_t bytes) {
  return bytes < 0 ? "-" + format_bytes({static_cast<std::uint64_t>(-bytes)})
                   : format_bytes({static_cast<std::uint64_t>(bytes)});
}

std::string name_of_kind(std::size_t kind) {
  return std::string(category_name(static_cast<traces::ProfilerCategory>(kind)));
}

std::string kinds_table(const traces::MemoryTimeline& timeline) {
  Table table(
      {left("kind", line_name_width), {"at the peak", 14}, {"most", 14}, {"at the end", 14}});
  for (std::size_t i = 0; i < traces::category_count; ++i)
    if (timeline.most[i] != 0)
      table.add({name_of_kind(i), signed_bytes(timeline.at_peak[i]), signed_bytes(timeline.most[i]),
                 signed_bytes(timeline.at_end[i])});
  return table.text();
}

}  // namespace

std::string memory_timeline_text(const traces::MemoryTimeline& timeline) {
  std::string lines;
  add_line(lines, "moments",
           std::to_string(timeline.moment_count) + ", for " +
               duration_text(timeline.last_us - timeline.first_us));
  add_line(lines, "peak",
           signed_bytes(sum_of(timeline.at_peak)) + " after " +
               duration_text(timeline.peak_us - timeline.first_us));
  add_line(lines, "replay",
           "not possible: the file has sums over time, without requests; "
           "torch.cuda.memory._record_memory_history records them");
  return lines + kinds_table(timeline);
}

ordered_json memory_timeline_json(const traces::MemoryTimeline& timeline) {
  ordered_json kinds = ordered_json::array();
  for (std::size_t i = 0; i < traces::category_count; ++i)
    kinds.push_back({{"kind", name_of_kind(i)},
                     {"at_peak_bytes", timeline.at_peak[i]},
                     {"most_bytes", timeline.most[i]},
                     {"at_end_bytes", timeline.at_end[i]}});
  return {{"moments", timeline.moment_count},       {"first_time_us", timeline.first_us},
          {"last_time_us", timeline.last_us},       {"peak_time_us", timeline.peak_us},
          {"peak_bytes", sum_of(timeline.at_peak)}, {"kinds", kinds}};
}

AnswerText memory_timeline_answer(const traces::MemoryTimeline& timeline) {
  AnswerText answer;
  const std::int64_t peak = sum_of(timeline.at_peak);
  answer.headline = "peak " + signed_bytes(peak) + " after " +
                    duration_text(timeline.peak_us - timeline.first_us) +
                    ", in the profiler's sums";
  std::vector<std::pair<std::int64_t, std::size_t>> kinds;
  for (std::size_t i = 0; i < traces::category_count; ++i)
    if (timeline.at_peak[i] > 0) kinds.emplace_back(timeline.at_peak[i], i);
  std::ranges::stable_sort(kinds, std::ranges::greater{},
                           [](const auto& kind) { return kind.first; });
  for (const auto& [bytes, kind] : kinds)
    answer.lines.push_back(
        {answer.lines.empty() ? "holds most" : "",
         right(signed_bytes(bytes), 10) + "  " + name_of_kind(kind) + "  (" +
             percent_of(static_cast<std::uint64_t>(bytes),
                        static_cast<std::uint64_t>(std::max<std::int64_t>(peak, bytes))) +
             ")"});
  answer.lines.push_back(
      {"certainty", "sums over time: without requests, lines, settings and GPUs stay unknown"});
  answer.lines.push_back(
      {"ask next", "record the requests: torch.cuda.memory._record_memory_history()", true});
  return answer;
}

}  // namespace vramlab::tools
