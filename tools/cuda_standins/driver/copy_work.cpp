#include "tools/cuda_standins/driver/copy_work.h"

#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tools/cuda_standins/notes/notes.h"
#include "tools/cuda_standins/notes/own_values.h"

namespace vramlab::dry_run {
namespace {

using streams::WorkKind;

bool is_ours(StandInDriver& driver, std::uint64_t at) {
  return driver.memory().is_device_address(at) || driver.memory().find(at) != nullptr;
}

WorkKind kind_of(bool to_device, bool from_device) {
  if (to_device && from_device) return WorkKind::copy_on_device;
  return to_device ? WorkKind::copy_to_device : WorkKind::copy_to_host;
}

std::uint64_t bytes_of(const Copy& copy) { return copy.row_bytes * copy.rows * copy.slices; }

/// From the first byte to the last.
std::uint64_t extent(const CopySide& side, const Copy& copy) {
  return (copy.slices - 1) * side.slice_pitch + (copy.rows - 1) * side.row_pitch + copy.row_bytes;
}

template <class Use>
void for_each_row(const Copy& copy, const Use& use) {
  for (std::uint64_t slice = 0; slice < copy.slices; ++slice)
    for (std::uint64_t row = 0; row < copy.rows; ++row)
      use(copy.to.at + slice * copy.to.slice_pitch + row * copy.to.row_pitch,
          copy.from.at + slice * copy.from.slice_pitch + row * copy.from.row_pitch);
}

void move_rows(const Copy& copy) {
  for_each_row(copy, [&](std::uint64_t to, std::uint64_t from) {
    std::memmove(pointer_to(to), pointer_to(from), copy.row_bytes);
  });
}

/// From memory that is only the host's the bytes are taken at once.
std::function<void()> staged_mover(const Copy& copy) {
  const auto* const first = static_cast<const char*>(pointer_to(copy.from.at));
  const auto taken = std::make_shared<std::vector<char>>(first, first + extent(copy.from, copy));
  return [copy, taken] {
    Copy staged = copy;
    staged.from.at = as_number(taken->data());
    move_rows(staged);
  };
}

/// Device memory without bytes takes everything, and small copies are remembered.
void keep_rows(StandInDriver& driver, const Copy& copy) {
  const bool from_host = has_bytes(driver, copy.from.at);
  for_each_row(copy, [&](std::uint64_t to, std::uint64_t from) {
    driver.host_values().truths().carry(to, from, copy.row_bytes);
    if (from_host)
      driver.remembered().remember(to, pointer_to(from), copy.row_bytes);
    else
      driver.remembered().carry(to, from, copy.row_bytes);
  });
}

using Rows = std::vector<std::span<char>>;

/// From such memory the host gets what is remembered, or made-up values; the rows of the latter.
Rows make_up_rows(StandInDriver& driver, const Copy& copy) {
  Rows made_up;
  for_each_row(copy, [&](std::uint64_t to, std::uint64_t from) {
    if (driver.remembered().read(pointer_to(to), from, copy.row_bytes)) return;
    driver.host_values().fill(pointer_to(to), copy.row_bytes);
    made_up.emplace_back(static_cast<char*>(pointer_to(to)), copy.row_bytes);
  });
  return made_up;
}

struct Moving {
  std::function<void()> body;
  Rows made_up;
};

/// What moves bytes when the copy ends. From memory without bytes the host gets its values at once:
/// who waits for the copy finds them there.
Moving mover(StandInDriver& driver, const Copy& copy, bool is_staged) {
  if (!has_bytes(driver, copy.to.at)) {
    keep_rows(driver, copy);
    return {};
  }
  if (has_bytes(driver, copy.from.at)) {
    if (is_staged) return {.body = staged_mover(copy), .made_up = {}};
    return {.body = [copy] { move_rows(copy); }, .made_up = {}};
  }
  return {.body = {}, .made_up = make_up_rows(driver, copy)};
}

struct Submitted {
  CUresult result = CUDA_SUCCESS;
  Rows made_up;
};

Submitted submit_copy(StandInDriver& driver, const CallSite& site, const Copy& copy,
                      const CopyWay& way) {
  const bool to_ours = is_ours(driver, copy.to.at);
  const bool from_ours = is_ours(driver, copy.from.at);
  WorkOrder order;
  order.work.kind = kind_of(to_ours, from_ours);
  order.work.duration = {copy_start_ns + bytes_of(copy) / copied_bytes_per_ns};
  order.work.blocks_host = way.waits == HostWaits::yes || !to_ours;
  order.uses.reserve(2);
  if (to_ours) order.uses.push_back({copy.to.at, extent(copy.to, copy), UseMode::writes});
  if (from_ours) order.uses.push_back({copy.from.at, extent(copy.from, copy), UseMode::reads});
  Moving moving = mover(driver, copy, to_ours && !from_ours);
  order.body = std::move(moving.body);
  return {driver.submit(way.stream, site, std::move(order)), std::move(moving.made_up)};
}

}  // namespace

bool has_bytes(StandInDriver& driver, std::uint64_t at) {
  return driver.memory().is_backed() || !driver.memory().is_device_address(at);
}

CUresult call_copy(const CallSite& site, const Copy& copy, const CopyWay& way) {
  Rows made_up;
  const auto body = [&](StandInDriver& driver) {
    if (bytes_of(copy) == 0) return CUDA_SUCCESS;
    Submitted submitted = submit_copy(driver, site, copy, way);
    if (submitted.result == CUDA_SUCCESS) made_up = std::move(submitted.made_up);
    return submitted.result;
  };
  const CUresult result =
      driver_call(site, body, copy.to.at, copy.from.at, bytes_of(copy), way.stream);
  // Outside of the driver's lock: who tells the place may wait for a thread that waits for it.
  bool is_known = true;
  for (const std::span<char> row : made_up)
    is_known = fill_with_own_values(row.data(), row.size()) && is_known;
  if (!is_known) vramlab_dry_run_note("host_read", "copy to the host");
  return result;
}

}  // namespace vramlab::dry_run
