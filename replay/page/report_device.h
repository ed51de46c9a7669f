// The part of a report page that is about one device of one run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "replay/page/page_texts.h"
#include "replay/page/report_page.h"

namespace vramlab::replay {

struct ReportDeviceInput {
  const DeviceHistory& history;
  const VerifyConditions& conditions;
  const ReportLimits& limits;
};

/// Adds to the page's texts and bytes. Requires: the history has no impossible part.
nlohmann::ordered_json report_device(const ReportDeviceInput& input, PageTexts& texts,
                                     std::string& bytes);

}  // namespace vramlab::replay
