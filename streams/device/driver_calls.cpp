#include "streams/device/driver_calls.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "allocator/types/check.h"

namespace vramlab::streams {

std::string_view driver_call_name(DriverCallKind kind) {
  static constexpr std::array<std::string_view, driver_call_kind_count> names = {
      "cuMemAlloc",
      "cuMemFree",
      "cuMemAddressReserve",
      "cuMemAddressFree",
      "cuMemCreate",
      "cuMemMap",
      "cuMemSetAccess",
      "cuMemUnmap",
      "cuMemRelease",
      "cuMemGetInfo",
      "cuCtxSynchronize",
      "cuStreamCreate",
      "cuStreamSynchronize",
      "cuEventCreate",
      "cuEventRecord",
      "cuEventQuery",
      "cuEventSynchronize",
      "cuStreamGetCaptureInfo",
      "cuGraphNodeGetDependencies"};
  return names.at(static_cast<std::size_t>(kind));
}

/// Durations below the number of bins have a bin each; from there on each doubling has that many.
std::size_t DurationBins::bin_of(std::uint64_t nanoseconds) {
  if (nanoseconds < bins_per_doubling) return as_index(nanoseconds);
  const auto shift = static_cast<std::size_t>(std::bit_width(nanoseconds / bins_per_doubling)) - 1;
  return (shift + 1) * bins_per_doubling + as_index(nanoseconds >> shift) - bins_per_doubling;
}

/// The last duration that belongs to the bin.
std::uint64_t DurationBins::end_of(std::size_t bin) {
  if (bin < bins_per_doubling) return bin;
  const std::size_t shift = bin / bins_per_doubling - 1;
  return ((std::uint64_t{bin % bins_per_doubling} + bins_per_doubling + 1) << shift) - 1;
}

void DurationBins::add(std::uint64_t nanoseconds) {
  ++bins_[bin_of(nanoseconds)];
  ++count_;
  sum_ += nanoseconds;
  max_ = std::max(max_, nanoseconds);
}

std::uint64_t DurationBins::at_share(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (const auto& [bin, count] : bins_) {
    seen += count;
    if (seen >= wanted) return std::min(end_of(bin), max_);
  }
  return max_;
}

void DriverCallTimings::add(const DriverCall& call) {
  const std::uint64_t bytes = call.bytes.count;
  Calls& calls = calls_[{call.kind, bytes == 0 ? 0 : std::bit_ceil(bytes)}];
  calls.durations.add(call.nanoseconds);
  if (call.succeeded)
    ++succeeded_[static_cast<std::size_t>(call.kind)];
  else
    ++calls.failed;
}

std::vector<DriverCallRow> DriverCallTimings::rows() const {
  std::vector<DriverCallRow> rows;
  for (const auto& [key, calls] : calls_) {
    const DurationBins& durations = calls.durations;
    rows.push_back({key.kind, Bytes{key.up_to}, durations.count(), calls.failed,
                    durations.at_share(0.5), durations.at_share(0.95), durations.max(),
                    durations.sum()});
  }
  return rows;
}

}  // namespace vramlab::streams
