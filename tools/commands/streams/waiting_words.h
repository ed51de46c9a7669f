// The words and figures of a report on waiting frees.
#pragma once

#include <string>

#include "replay/waiting/recorded_waiting.h"

namespace vramlab::tools {

/// `329.10 KiB-seconds`, of very little `2.00 KiB-microseconds`, without times `2.50 MiB-events`.
std::string cost_text(const replay::WaitingTotals& totals, const replay::WaitingCost& cost);

/// `train.py:12 step`, or why there is no such thing.
std::string allocated_text(const replay::WaitingPlace& place);
std::string freed_text(const replay::WaitingPlace& place);

/// In percent; 0 of nothing. By time, or by events where no time goes by.
std::uint64_t share_percent(const replay::WaitingTotals& part, const replay::WaitingTotals& whole);

/// Held on average over the whole history; by events where no time goes by.
allocator::Bytes mean_held(const replay::WaitingCost& cost);

/// What the figures mean for who wrote the program, as sentences: where waiting costs most, whether
/// it raised the peak, and what would mend it. None where no free waited.
std::vector<std::string> findings_of(const replay::DeviceWaiting& device);

}  // namespace vramlab::tools
