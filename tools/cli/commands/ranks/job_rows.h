// JobRows: the recordings of a job as rows, one for each device of each file, with all that sets
// one apart from the others: failures, more or less memory than usual, another line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/explain/device_overview.h"

namespace vramlab::tools {

using allocator::Bytes;

struct JobRow {
  std::string file;
  std::int64_t device = 0;
  std::uint64_t events = 0;
  /// Empty where the file does not tell it.
  std::optional<Bytes> allocated;
  std::optional<Bytes> reserved;
  std::uint64_t failures = 0;
  /// The line of the first failure, otherwise the one that holds most at the peak; may be empty.
  std::string worst_line;
  /// Memory of that line at the peak; empty of a failure.
  std::optional<Bytes> line_bytes;
  /// Phrases such as `reserves 12.0 % more than the median`.
  std::vector<std::string> outlier;
  /// Memory over the history, if it was asked for and the history can be followed.
  std::vector<replay::MemoryLevel> levels;

  friend bool operator==(const JobRow&, const JobRow&) = default;
};

struct JobRows {
  /// Worst first: failures, then the most reserved; equal ones by number and name of the file.
  std::vector<JobRow> rows;
  /// Figures of the rows that tell it.
  Bytes most_reserved;
  Bytes mean_reserved;
  Bytes median_reserved;
  Bytes least_reserved;
  std::uint64_t failed_rows = 0;
  std::uint64_t outliers = 0;

  /// The most by the mean; empty if nothing is reserved.
  std::optional<double> imbalance() const;
};

JobRow job_row_of(const std::string& file, const replay::DeviceOverview& overview);

/// Sorts the rows and finds outliers.
JobRows compare_ranks(std::vector<JobRow> rows);

/// Whether one name stands before the other, with numbers in them by their values: rank2, rank10.
bool stands_before(const std::string& a, const std::string& b);

}  // namespace vramlab::tools
