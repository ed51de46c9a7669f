#include "tools/pytorch/torch_json.h"

#include <nlohmann/json.hpp>

#include "replay/recording/recorded_states.h"
#include "traces/json/snapshot_json.h"

namespace vramlab::pytorch {
namespace {

using allocator::PooledStatistic;
using nlohmann::ordered_json;

void add(ordered_json& json, const std::string& name, const StatisticValue& value) {
  json[name + ".current"] = value.current;
  json[name + ".peak"] = value.peak;
  json[name + ".allocated"] = value.allocated;
  json[name + ".freed"] = value.freed;
}

void add(ordered_json& json, const std::string& name, const PooledStatistic& value) {
  add(json, name + ".all", value.all);
  add(json, name + ".small_pool", value.small_pool);
  add(json, name + ".large_pool", value.large_pool);
}

class TextSink final : public traces::ByteSink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

}  // namespace

std::string statistics_json(const StatisticValues& values, const Settings& settings) {
  ordered_json json = ordered_json::object();
  add(json, "allocation", values.allocation);
  add(json, "segment", values.segment);
  add(json, "active", values.active);
  add(json, "inactive_split", values.inactive_split);
  add(json, "allocated_bytes", values.allocated_bytes);
  add(json, "reserved_bytes", values.reserved_bytes);
  add(json, "active_bytes", values.active_bytes);
  add(json, "inactive_split_bytes", values.inactive_split_bytes);
  add(json, "requested_bytes", values.requested_bytes);
  add(json, "oversize_allocations", values.oversize_allocations);
  add(json, "oversize_segments", values.oversize_segments);
  json["num_alloc_retries"] = values.num_alloc_retries;
  json["num_ooms"] = values.num_ooms;
  // PyTorch has it from 2.12 on.
  json["num_oom_rejections"] = values.num_oom_rejections;
  json["num_sync_all_streams"] = values.num_sync_all_streams;
  json["num_device_alloc"] = values.num_device_alloc;
  json["num_device_free"] = values.num_device_free;
  // PyTorch's number for "no limit".
  json["max_split_size"] = settings.max_split_size == allocator::unlimited
                               ? -1
                               : static_cast<std::int64_t>(settings.max_split_size.count);
  return json.dump();
}

std::string snapshot_json(const std::map<int, TorchDevice*>& devices) {
  traces::SnapshotTables tables;
  std::vector<replay::DeviceState> states;
  std::string options;
  for (const auto& [index, device] : devices) {
    replay::DeviceState state;
    state.device = {static_cast<std::uint32_t>(index)};
    device->with_engine([&](auto& engine) {
      options = engine.settings().text;
      // The entries come first: the snapshot's own entry belongs to the next one.
      state.history = engine.listeners().entries();
      state.snapshot = engine.take_snapshot();
    });
    states.push_back(std::move(state));
  }
  TextSink sink;
  const auto writer = traces::make_snapshot_json_writer(sink, tables);
  replay::write_states(states, replay::settings_value(options, tables.texts), *writer);
  writer->finish();
  return sink.text;
}

std::string segment_counts_json(const SegmentCounts& counts) {
  return ordered_json({{"given", counts.given},
                       {"taken_back", counts.taken_back},
                       {"refused", counts.refused},
                       {"bytes", counts.bytes},
                       {"peak_bytes", counts.peak_bytes}})
      .dump();
}

}  // namespace vramlab::pytorch
