#include "streams/live/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "allocator/types/check.h"
#include "streams/live/live_device.h"

namespace vramlab::streams {
namespace {

using Samples = std::map<std::pair<DriverCallKind, std::uint64_t>, std::vector<std::uint64_t>>;

/// The least sample that this share of all does not exceed. Requires: sorted, not empty.
std::uint64_t at_share(const std::vector<std::uint64_t>& sorted, double share) {
  const auto place =
      static_cast<std::size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)));
  return sorted[std::min(place, sorted.size() - 1)];
}

/// Sorts them.
std::vector<DriverCallRow> calls_of(Samples& samples) {
  std::vector<DriverCallRow> calls;
  for (auto& [key, durations] : samples) {
    std::sort(durations.begin(), durations.end());
    calls.push_back({.kind = key.first,
                     .up_to = Bytes{key.second},
                     .count = durations.size(),
                     .median_ns = at_share(durations, 0.5),
                     .p95_ns = at_share(durations, 0.95),
                     .max_ns = durations.back()});
  }
  return calls;
}

class Calibration {
 public:
  Calibration(const CudaDriver& driver, const CalibrationPlan& plan)
      : plan_(plan),
        gpu_(driver, {.device = plan.device,
                      .timing = {[this](const DriverCall& call) { note(call); }, plan.now}}),
        most_(std::min(plan.largest, Bytes{gpu_.memory_info().free.count / 2})) {}

  std::vector<DriverCallRow> run() {
    for (const Bytes size : sizes({64ULL << 10})) repeat([&] { allocate_and_release(size); });
    for (const Bytes size : sizes(LiveMemory::granularity)) repeat([&] { reserve(size); });
    for (const Bytes unit : {Bytes{2ULL << 20}, Bytes{20ULL << 20}})
      if (unit <= most_) repeat([&] { map_and_unmap(unit); });
    repeat([&] { use_event(); });
    repeat([&] { gpu_.wait_for_stream(stream); });
    repeat([&] { static_cast<void>(gpu_.memory_info()); });
    return calls_of(samples_);
  }

 private:
  static constexpr StreamId stream{1};

  void note(const DriverCall& call) {
    if (is_noting_ && call.succeeded)
      samples_[{call.kind, call.bytes.count}].push_back(call.nanoseconds);
  }

  /// Powers of two from the least on, and the reference's usual size of a large segment.
  std::vector<Bytes> sizes(Bytes least) const {
    std::vector<Bytes> sizes;
    for (Bytes size = least; size <= most_; size = size * 2) sizes.push_back(size);
    if (Bytes{20ULL << 20} <= most_) sizes.push_back({20ULL << 20});
    return sizes;
  }

  template <class Action>
  void repeat(const Action& action) {
    is_noting_ = false;
    action();
    is_noting_ = true;
    for (unsigned i = 0; i < plan_.repeats; ++i) action();
    is_noting_ = false;
  }

  void allocate_and_release(Bytes size) {
    const auto at = gpu_.allocate(size, stream);
    if (at) gpu_.release(*at);
  }

  void reserve(Bytes size) {
    const auto at = gpu_.reserve(size, stream);
    if (at) gpu_.release_reservation(*at, size);
  }

  void map_and_unmap(Bytes unit) {
    const auto at = gpu_.reserve(unit, stream);
    if (!at) return;
    if (gpu_.map({*at, unit, 1})) gpu_.unmap({*at, unit, 1});
    gpu_.release_reservation(*at, unit);
  }

  void use_event() {
    const auto event = gpu_.record_event(stream);
    static_cast<void>(gpu_.is_complete(event));
    gpu_.wait_for_event(event);
    gpu_.forget_event(event);
  }

  CalibrationPlan plan_;
  bool is_noting_ = false;
  Samples samples_;
  LiveDevice gpu_;
  Bytes most_;
};

}  // namespace

std::vector<DriverCallRow> calibrate(const CudaDriver& driver, const CalibrationPlan& plan) {
  check(plan.repeats > 0 && plan.now != nullptr, "calls are measured by a clock, some times");
  return Calibration(driver, plan).run();
}

}  // namespace vramlab::streams
