// The names under which recorded cases and reports know the statistics, one table for all.
#pragma once

#include <array>
#include <string_view>

#include "allocator/types/snapshot.h"

namespace vramlab::traces {

template <typename Member>
struct StatisticName {
  std::string_view name;
  Member StatisticValues::*member;
};

inline constexpr std::array<StatisticName<allocator::PooledStatistic>, 9> pooled_statistic_names = {
    {
        {"allocation", &StatisticValues::allocation},
        {"segment", &StatisticValues::segment},
        {"active", &StatisticValues::active},
        {"inactive_split", &StatisticValues::inactive_split},
        {"allocated_bytes", &StatisticValues::allocated_bytes},
        {"reserved_bytes", &StatisticValues::reserved_bytes},
        {"active_bytes", &StatisticValues::active_bytes},
        {"inactive_split_bytes", &StatisticValues::inactive_split_bytes},
        {"requested_bytes", &StatisticValues::requested_bytes},
    }};

inline constexpr std::array<StatisticName<StatisticValue>, 2> plain_statistic_names = {{
    {"oversize_allocations", &StatisticValues::oversize_allocations},
    {"oversize_segments", &StatisticValues::oversize_segments},
}};

/// A counter that recordings of older versions do not have.
inline constexpr std::string_view oom_rejections_name = "num_oom_rejections";

inline constexpr std::array<StatisticName<std::int64_t>, 5> counter_names = {{
    {"num_alloc_retries", &StatisticValues::num_alloc_retries},
    {"num_ooms", &StatisticValues::num_ooms},
    {"num_sync_all_streams", &StatisticValues::num_sync_all_streams},
    {"num_device_alloc", &StatisticValues::num_device_alloc},
    {"num_device_free", &StatisticValues::num_device_free},
}};

struct PoolPartName {
  std::string_view name;
  StatisticValue allocator::PooledStatistic::*member;
};

inline constexpr std::array<PoolPartName, 3> pool_part_names = {{
    {"all", &allocator::PooledStatistic::all},
    {"small_pool", &allocator::PooledStatistic::small_pool},
    {"large_pool", &allocator::PooledStatistic::large_pool},
}};

}  // namespace vramlab::traces
