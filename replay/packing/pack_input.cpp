#include "replay/packing/pack_input.h"

#include <algorithm>
#include <array>

#include "replay/packing/buffer.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {

using traces::BufferRow;

PackInput read_pack_list(traces::OpenBytes& bytes) {
  PackInput input;
  input.file = bytes.file;
  input.source = PackSource::buffer_list;
  const std::vector<BufferRow> rows = traces::read_buffer_list(*bytes.source, bytes.file);
  if (rows.empty()) throw traces::InputError({bytes.file, "", "a buffer", "none"});
  PackGroup& group = input.groups.emplace_back();
  group.buffers = buffers_of(rows);
  group.load_bound = load_bound_of(rows);
  if (std::ranges::any_of(rows, [](const BufferRow& row) { return !row.gaps.empty(); }))
    input.notes.emplace_back(
        "the bound uses the gaps in lifetimes, the packings do not: buffers keep their place");
  return input;
}

PackGroup pack_group_of(const DeviceLifetimes& device, const std::string& file) {
  check_countable(device, file);
  PackGroup group;
  group.device = device.device;
  group.bounds = lower_bounds_of(device);
  group.buffers = buffers_of(device);
  group.load_bound = group.bounds->peak_rounded;
  group.online_peak_reserved = device.online_peak_reserved;
  return group;
}

std::string_view pack_source_name(PackSource source) {
  constexpr std::array<std::string_view, 3> names = {"recording", "program", "buffer_list"};
  return names[static_cast<std::size_t>(source)];
}

std::vector<Buffer> buffers_of(const std::vector<BufferRow>& rows) {
  std::vector<Buffer> buffers;
  buffers.reserve(rows.size());
  for (const BufferRow& row : rows)
    buffers.push_back({row.lower, row.upper, {row.size}, {row.alignment}});
  return buffers;
}

Bytes load_bound_of(const std::vector<BufferRow>& rows) {
  std::vector<Buffer> needed;
  const auto add = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t size) {
    if (begin < end && size > 0) needed.push_back({begin, end, {size}});
  };
  for (const BufferRow& row : rows) {
    std::uint64_t begin = row.lower;
    for (const traces::BufferGap& gap : row.gaps) {
      add(begin, gap.lower, row.size);
      add(gap.lower, gap.upper, gap.needed_bytes);
      begin = gap.upper;
    }
    add(begin, row.upper, row.size);
  }
  return load_bound(sections_of(needed));
}

namespace {

/// About requests that got no memory, so there is nothing of them to pack.
void note_failed_requests(const RecordedHistory& history, std::vector<std::string>& notes) {
  for (const DeviceHistory& device : history.devices) {
    const auto failed = std::ranges::count(device.events, Action::oom, &AllocatorEvent::action);
    if (failed > 0)
      notes.push_back("device " + std::to_string(device.device) + ": without the " +
                      std::to_string(failed) +
                      (failed == 1 ? " request that failed" : " requests that failed"));
  }
}

}  // namespace

PackInput pack_input_of(Recording& recording) {
  FoundLifetimes found = find_lifetimes(recording);
  PackInput input;
  input.file = recording.file();
  input.source = recording.is_program() ? PackSource::program : PackSource::recording;
  input.notes = std::move(found.notes);
  note_failed_requests(recording.history(), input.notes);
  for (const DeviceLifetimes& device : found.devices)
    input.groups.push_back(pack_group_of(device, recording.file()));
  if (input.groups.empty())
    throw traces::InputError({recording.file(), "", "a device with memory in use", "none"});
  return input;
}

}  // namespace vramlab::replay
