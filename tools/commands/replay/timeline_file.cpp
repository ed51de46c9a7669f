#include "tools/commands/replay/timeline_file.h"

#include "replay/run/device_replay.h"

namespace vramlab::tools {

TimelineFile::TimelineFile(const std::string& path, traces::Overwrite overwrite)
    : output_(path, overwrite) {
  output_.write(
      "event,time_ns,device,requested_bytes,allocated_bytes,active_bytes,reserved_bytes\n");
}

void TimelineFile::add(const replay::DeviceReplay& replay, const traces::ProgramEvent& event,
                       std::uint64_t number) {
  const allocator::StatisticValues values = replay.statistics();
  std::string figures;
  for (const allocator::PooledStatistic* value : {&values.requested_bytes, &values.allocated_bytes,
                                                  &values.active_bytes, &values.reserved_bytes})
    figures += "," + std::to_string(value->all.current);
  std::string& last = last_figures_[replay.device()];
  if (figures == last) return;
  output_.write(std::to_string(number) + "," +
                (event.time_ns ? std::to_string(*event.time_ns) : std::string()) + "," +
                std::to_string(replay.device().value) + figures + "\n");
  last = std::move(figures);
}

}  // namespace vramlab::tools
