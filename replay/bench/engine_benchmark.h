// What the engine costs per call, on a workload, beside a yardstick measured in the same run on the
// same machine. Machines differ and are noisy; ratios of the two can be compared.
//
// One yardstick is one lower_bound, erase and insert on a std::set of (int, size, address) of a
// given number of elements, with random sizes (4,000 multiples of 512) and random addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "traces/cases/recorded_case.h"

namespace vramlab::replay {

/// The next number of a row that the state names (xorshift).
inline std::uint64_t next_random(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// The yardstick of the benchmarks: an ordered set under random best-fit look-ups.

class Yardstick {
 public:
  explicit Yardstick(std::size_t set_size);

  /// Nanoseconds per operation over a slice of the 2,000,000 that seven slices make up.
  double measure_slice(const std::function<double()>& clock);

 private:
  using Element = std::tuple<int, std::size_t, std::size_t>;

  std::size_t random_size();
  Element random_element();

  std::set<Element> elements_;
  std::uint64_t random_state_ = 0x9E3779B97F4A7C15ULL;
};

/// Nanoseconds since some fixed moment.
using Clock = std::function<double()>;

enum class HistoryKept : bool { no, yes };

struct BenchmarkRow {
  std::string workload;
  std::string conf;
  HistoryKept history = HistoryKept::no;
  /// The best of several runs.
  double ns_per_call = 0;
  /// The best of several slices, between those runs.
  double yardstick_ns = 0;
  /// What this costs as a share of what the reference was measured to cost, both in yardsticks;
  /// nothing where the reference was not measured on this workload.
  std::optional<double> share_of_reference;
};

/// Measures one workload under an option string, without and with history. Requires: only malloc
/// and free; other calls are refused by an InputError that names `file`.
std::vector<BenchmarkRow> benchmark_engine(const traces::RecordedProgram& program,
                                           const std::string& file, const std::string& conf,
                                           const Clock& clock);

}  // namespace vramlab::replay
