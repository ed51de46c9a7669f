// The table of metrics, its page, and the metrics of a replay.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "replay/metrics/fragmentation.h"
#include "replay/replayer/pinned_replay.h"
#include "replay/replayer/replay_report.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using replay::Metric;
using replay::MetricOf;

/// `| name | unit | worse | sentence |` of each row of the page, in order.
std::vector<std::string> rows_of_the_page() {
  std::ifstream page(support::source_dir() + "/docs/reference/metrics.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) rows.push_back(line);
  return rows;
}

std::string name_of(replay::WorseWhen worse) {
  if (worse == replay::WorseWhen::neither) return "neither";
  return worse == replay::WorseWhen::more ? "more" : "less";
}

std::vector<std::string> rows_of_the_table() {
  std::vector<std::string> rows;
  for (const Metric& metric : replay::all_metrics())
    rows.push_back("| `" + std::string(metric.name) + "` | " +
                   std::string(metric_unit_name(metric.unit)) + " | " + name_of(metric.worse) +
                   " | " + std::string(metric.sentence) + " |");
  return rows;
}

std::vector<std::string> names_of(MetricOf of) {
  std::vector<std::string> names;
  for (const Metric& metric : replay::all_metrics())
    if (metric.of == of) names.emplace_back(metric.name);
  return names;
}

std::vector<std::string> names_of(const replay::MetricValues& values) {
  std::vector<std::string> names;
  for (const replay::MetricValue& value : values) names.emplace_back(value.name);
  return names;
}

TEST(Metrics, the_page_and_the_table_say_the_same) {
  EXPECT_EQ(rows_of_the_page(), rows_of_the_table());
}

TEST(Metrics, each_name_is_there_once_and_is_found) {
  std::set<std::string_view> names;
  for (const Metric& metric : replay::all_metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_EQ(replay::find_metric(metric.name), &metric);
  }
  EXPECT_EQ(replay::find_metric("peak"), nullptr);
}

TEST(Metrics, a_run_and_a_state_give_all_of_theirs_in_order) {
  std::vector<std::string> of_run = names_of(run_metrics(replay::DeviceReport{}));
  for (std::string& name : names_of(host_metrics(replay::HostReport{}))) of_run.push_back(name);
  EXPECT_EQ(of_run, names_of(MetricOf::run));
  replay::StateFigures figures;
  figures.largest_possible = allocator::Bytes{};
  figures.usable = allocator::Bytes{};
  EXPECT_EQ(names_of(state_metrics(figures)), names_of(MetricOf::state));
}

TEST(Metrics, what_nobody_knows_is_left_out) {
  const replay::MetricValues values = state_metrics(replay::StateFigures{});
  EXPECT_EQ(find_value(values, "largest_possible"), nullptr);
  EXPECT_EQ(find_value(values, "usable_share"), nullptr);
  ASSERT_NE(find_value(values, "reserved"), nullptr);
}

TEST(Metrics, ratios_are_rounded_to_millionths) {
  EXPECT_EQ(replay::ratio_of(1, 3), 333'333);
  EXPECT_EQ(replay::ratio_of(2, 3), 666'667);
  EXPECT_EQ(replay::ratio_of(7, 7), 1'000'000);
  EXPECT_EQ(replay::ratio_of(0, 0), 0);
}

TEST(Metrics, churn_is_what_was_got_again) {
  replay::DeviceReport device;
  // 40 at the start; 60 given back, 100 got: 80 held. Never more than 90 were held.
  device.statistics.reserved_bytes.all = {80, 90, 100, 60};
  const replay::MetricValues values = run_metrics(device);
  EXPECT_EQ(find_value(values, "device_bytes")->value, 100);
  EXPECT_EQ(find_value(values, "device_churn")->value, 50);
}

TEST(Metrics, devices_add_up) {
  replay::ReplayReport report;
  report.devices.resize(2);
  report.devices[0].statistics.reserved_bytes.all.peak = 5;
  report.devices[1].statistics.reserved_bytes.all.peak = 7;
  EXPECT_EQ(find_value(run_metrics(report), "peak_reserved")->value, 12);
}

TEST(Metrics, sums_that_do_not_fit_stay_at_the_largest) {
  constexpr std::int64_t largest = INT64_MAX;
  EXPECT_EQ(replay::metric_of(UINT64_MAX), largest);
  EXPECT_EQ(replay::metric_of(7), 7);
  const replay::MetricValues much{{"reserved", largest - 1}};
  EXPECT_EQ(replay::sum_of_metrics({much, much}).front().value, largest);
}

}  // namespace
}  // namespace vramlab::tests
