// UtilizationSearch: the largest share of the device (--gpu-memory-utilization) with which an
// engine still starts, in hundredths. Runs prove it: one that starts, and the next one, which does
// not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/fit/largest_value.h"

namespace vramlab::replay {

/// The word in the place of the utilization, in the program's words.
inline constexpr const char* utilization_placeholder = "{utilization}";

/// `0.92`.
std::string utilization_text(unsigned hundredths);
bool has_utilization(const std::vector<std::string>& words);
/// The words with the utilization filled in.
std::vector<std::string> words_with_utilization(std::vector<std::string> words,
                                                unsigned hundredths);

struct UtilizationRun {
  unsigned hundredths = 0;
  bool has_started = false;
  std::optional<std::uint64_t> cache_tokens;
};

class UtilizationSearch {
 public:
  UtilizationSearch();

  /// The run that is wanted next; empty once the answer is proven.
  std::optional<unsigned> wanted() const;
  /// `device_bytes` and `free_bytes`: as the engine saw them, which guides the search.
  void add(const UtilizationRun& run, std::optional<std::uint64_t> device_bytes,
           std::optional<std::uint64_t> free_bytes);

  const std::vector<UtilizationRun>& runs() const { return runs_; }
  /// Null if none starts.
  const UtilizationRun* largest() const;
  /// The next one, which does not start; null where the largest is all of the device.
  const UtilizationRun* next() const;

 private:
  const UtilizationRun* run_of(std::optional<std::size_t> index) const;

  SearchFacts facts_;
  std::vector<UtilizationRun> runs_;
};

}  // namespace vramlab::replay
