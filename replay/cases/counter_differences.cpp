#include <array>

#include "replay/cases/difference_parts.h"
#include "replay/cases/difference_text.h"
#include "traces/values/statistic_names.h"

namespace vramlab::replay {
namespace {

using namespace allocator;

using replay::text_of;
std::string text_of(std::int64_t count) { return std::to_string(count); }

template <typename Value>
std::optional<Difference> difference_of(const std::string& where, const Value& expected,
                                        const Value& actual) {
  if (expected == actual) return std::nullopt;
  Difference difference;
  difference.where = where;
  difference.expected = text_of(expected);
  difference.actual = text_of(actual);
  return difference;
}

}  // namespace

std::optional<Difference> statistics_difference(const ComparedCase& compared) {
  const StatisticValues& left = compared.recorded.expected.final_statistics;
  const StatisticValues& right = compared.actual.final_statistics;
  const auto where = [](std::string_view name) { return "final_stats." + std::string(name); };
  for (const auto& row : traces::pooled_statistic_names)
    for (const auto& part : traces::pool_part_names)
      if (auto difference =
              difference_of(where(row.name) + "." + std::string(part.name),
                            left.*row.member.*part.member, right.*row.member.*part.member))
        return difference;
  for (const auto& row : traces::plain_statistic_names)
    if (auto difference = difference_of(where(row.name), left.*row.member, right.*row.member))
      return difference;
  for (const auto& row : traces::counter_names)
    if (auto difference = difference_of(where(row.name), left.*row.member, right.*row.member))
      return difference;
  if (!compared.recorded.expected.has_oom_rejections) return std::nullopt;
  return difference_of(where(traces::oom_rejections_name), left.num_oom_rejections,
                       right.num_oom_rejections);
}

std::optional<Difference> device_calls_difference(const ComparedCase& compared) {
  struct Count {
    const char* name;
    std::uint64_t expected;
    std::uint64_t actual;
  };
  const traces::RecordedDeviceCalls& left = compared.recorded.expected.device_calls;
  const streams::DeviceCallCounts& right = compared.actual.device_calls;
  const std::array<Count, 4> counts = {{
      {"cudaMalloc", left.cuda_malloc, right.allocations},
      {"cudaFree", left.cuda_free, right.releases},
      {"cuMemCreate", left.cu_mem_create, right.units_created},
      {"cudaEventSynchronize", left.cuda_event_synchronize, right.event_waits},
  }};
  for (const Count& count : counts) {
    if (count.expected == count.actual) continue;
    Difference difference;
    difference.where = std::string("device_calls.") + count.name;
    difference.expected = std::to_string(count.expected);
    difference.actual = std::to_string(count.actual);
    return difference;
  }
  return std::nullopt;
}

}  // namespace vramlab::replay
