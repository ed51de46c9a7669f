// Memory over time as two sparklines, one below the other.
#pragma once

#include "replay/run/replay_report.h"
#include "tools/commands/replay/sparkline.h"

namespace vramlab::tools {

struct CurveStyle {
  Letters letters = Letters::ascii;
  /// Of the screen; the curves have 60 at most.
  std::size_t columns = 80;
};

/// Empty where there was no event.
std::string replay_curve_text(const replay::DeviceReport& device, const CurveStyle& style);

}  // namespace vramlab::tools
