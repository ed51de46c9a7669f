#include "tools/cli/commands/ranks/job_rows.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "replay/metrics/metrics.h"
#include "replay/metrics/outliers.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using Member = std::optional<Bytes> JobRow::*;

std::vector<std::uint64_t> known_values(const std::vector<JobRow>& rows, Member member) {
  std::vector<std::uint64_t> values;
  for (const JobRow& row : rows)
    if (row.*member) values.push_back((row.*member)->count);
  return values;
}

void note_far(std::vector<JobRow>& rows, Member member, const std::string& verb) {
  const std::vector<std::uint64_t> values = known_values(rows, member);
  const replay::UsualRange usual = replay::usual_range_of(values);
  const std::uint64_t median = replay::median_of(values);
  for (JobRow& row : rows) {
    if (!(row.*member) || usual.has((row.*member)->count)) continue;
    const std::uint64_t value = (row.*member)->count;
    const std::uint64_t apart = value > median ? value - median : median - value;
    row.outlier.push_back(verb + " " +
                          (median == 0 ? format_bytes({apart}) : percent_of(apart, median)) +
                          (value > median ? " more" : " less") + " than the median");
  }
}

/// A line that nine of ten rows do not have, where nine of ten have one line.
void note_other_lines(std::vector<JobRow>& rows) {
  constexpr std::size_t fewest_rows = 4;
  if (rows.size() < fewest_rows) return;
  std::map<std::string, std::size_t> counts;
  for (const JobRow& row : rows) ++counts[row.worst_line];
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  if (most->second * 10 < rows.size() * 9) return;
  for (JobRow& row : rows)
    if (row.worst_line != most->first) row.outlier.emplace_back("another line than the others");
}

void note_failures(std::vector<JobRow>& rows) {
  for (JobRow& row : rows)
    if (row.failures > 0)
      row.outlier.push_back(counted(row.failures, "request failed", "requests failed"));
}

bool is_number_letter(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

/// The digits from there on, without zeros before them.
std::string number_at(const std::string& text, std::size_t& at) {
  while (at + 1 < text.size() && text[at] == '0' && is_number_letter(text[at + 1])) ++at;
  const std::size_t begin = at;
  while (at < text.size() && is_number_letter(text[at])) ++at;
  return text.substr(begin, at - begin);
}

}  // namespace

bool stands_before(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_number_letter(a[i]) && is_number_letter(b[j])) {
      const std::string left = number_at(a, i);
      const std::string right = number_at(b, j);
      if (left != right) return std::tuple(left.size(), left) < std::tuple(right.size(), right);
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  // Names that differ in zeros before numbers alone have an order, too.
  return std::tuple(a.size() - i, a) < std::tuple(b.size() - j, b);
}

std::optional<double> JobRows::imbalance() const {
  if (mean_reserved == Bytes{}) return std::nullopt;
  return static_cast<double>(most_reserved.count) / static_cast<double>(mean_reserved.count);
}

JobRow job_row_of(const std::string& file, const replay::DeviceOverview& overview) {
  JobRow row{file, overview.device, overview.event_count, {}, {}, overview.failures, {}, {}, {},
             {}};
  const auto has = [&](std::string_view name) {
    return replay::find_value(overview.metrics, name) != nullptr;
  };
  if (has("peak_allocated"))
    row.allocated = overview.metric("peak_allocated");
  else if (!has("peak_requested"))
    row.allocated = overview.metric("end_allocated");
  // A history that requests more than it reserves does not tell what was reserved.
  if (overview.reserved() >= overview.metric("peak_requested")) row.reserved = overview.reserved();
  if (overview.first_failure)
    row.worst_line = overview.first_failure->place;
  else if (!overview.holders.empty())
    row.worst_line = overview.holders.front().key;
  if (!overview.first_failure && !overview.holders.empty())
    row.line_bytes = overview.holders.front().totals.bytes;
  return row;
}

JobRows compare_ranks(std::vector<JobRow> rows) {
  note_failures(rows);
  note_far(rows, &JobRow::reserved, "reserves");
  note_far(rows, &JobRow::allocated, "allocates");
  note_other_lines(rows);
  std::ranges::sort(rows, [](const JobRow& a, const JobRow& b) {
    const auto reserved = [](const JobRow& row) { return row.reserved.value_or(Bytes{}); };
    const bool failed = a.failures > 0;
    if (failed != (b.failures > 0)) return failed;
    if (reserved(a) != reserved(b)) return reserved(a) > reserved(b);
    if (a.file != b.file) return stands_before(a.file, b.file);
    return a.device < b.device;
  });
  JobRows found;
  const std::vector<std::uint64_t> reserved = known_values(rows, &JobRow::reserved);
  if (!reserved.empty()) {
    Bytes all;
    for (const std::uint64_t value : reserved) all += Bytes{value};
    found.most_reserved = {*std::ranges::max_element(reserved)};
    found.least_reserved = {*std::ranges::min_element(reserved)};
    found.mean_reserved = {all.count / reserved.size()};
    found.median_reserved = {replay::median_of(reserved)};
  }
  for (const JobRow& row : rows) {
    found.failed_rows += row.failures > 0 ? 1 : 0;
    found.outliers += row.outlier.empty() ? 0 : 1;
  }
  found.rows = std::move(rows);
  return found;
}

}  // namespace vramlab::tools
