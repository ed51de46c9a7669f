#include "replay/replayer/host_report.h"

#include <algorithm>

namespace vramlab::replay {
namespace {

std::int64_t as_count(std::uint64_t count) { return static_cast<std::int64_t>(count); }

bool gives_back(const HostCallAt& made) {
  return made.call.action == HostSystemAction::host_free ||
         made.call.action == HostSystemAction::host_unregister;
}

bool obtains(const HostCallAt& made) {
  return made.call.action == HostSystemAction::host_alloc ||
         made.call.action == HostSystemAction::host_register;
}

}  // namespace

MetricValues host_metrics(const HostReport& report) {
  return {{"host_requests", as_count(report.requests)},
          {"host_frees", as_count(report.frees)},
          {"host_peak_requested", as_count(report.peak_requested.bytes.count)},
          {"host_peak_active", as_count(report.peak_active.bytes.count)},
          {"host_peak_pinned", as_count(report.peak_pinned.bytes.count)},
          {"host_end_pinned", as_count(report.end_pinned.count)},
          {"host_allocs", std::ranges::count_if(report.calls, obtains)},
          {"host_releases", std::ranges::count_if(report.calls, gives_back)}};
}

}  // namespace vramlab::replay
