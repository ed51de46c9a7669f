// Metrics as JSON: an object of names and numbers, in the order of the table.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/figures/metrics.h"

namespace vramlab::tools {

nlohmann::ordered_json metrics_json(const replay::MetricValues& values);

/// A ratio as a number from 0 to 1, others as they are.
nlohmann::ordered_json metric_number(const replay::MetricValue& value);

}  // namespace vramlab::tools
