#include "replay/fit/utilization_search.h"

#include <algorithm>

namespace vramlab::replay {
namespace {

constexpr unsigned least = 10;
constexpr unsigned most = 100;
/// The usual one of the engine.
constexpr unsigned first = 92;

}  // namespace

std::string utilization_text(unsigned hundredths) {
  const std::string digits = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (digits.size() == 1 ? "0" : "") + digits;
}

bool has_utilization(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word.find(utilization_placeholder) != std::string::npos;
  });
}

std::vector<std::string> words_with_utilization(std::vector<std::string> words,
                                                unsigned hundredths) {
  const std::string placeholder = utilization_placeholder;
  for (std::string& word : words)
    for (std::size_t at = word.find(placeholder); at != std::string::npos;
         at = word.find(placeholder))
      word.replace(at, placeholder.size(), utilization_text(hundredths));
  return words;
}

UtilizationSearch::UtilizationSearch() {
  for (unsigned hundredths = least; hundredths <= most; ++hundredths) {
    facts_.runs_without_need.insert(facts_.values.size());
    facts_.values.push_back(hundredths / 100.0);
  }
}

std::optional<unsigned> UtilizationSearch::wanted() const {
  if (runs_.empty()) return first;
  for (const WantedRun& run : wanted_runs(facts_))
    if (run.limit == RunLimit::memory_of_gpu) return static_cast<unsigned>(least + run.index);
  return std::nullopt;
}

void UtilizationSearch::add(const UtilizationRun& run, std::optional<std::uint64_t> device_bytes,
                            std::optional<std::uint64_t> free_bytes) {
  runs_.push_back(run);
  facts_.fits[run.hundredths - least] = run.has_started;
  if (!device_bytes || !free_bytes || facts_.memory > Bytes{}) return;
  // An engine takes no more than is free when it starts.
  facts_.memory = Bytes{*free_bytes};
  facts_.runs_without_need.clear();
  for (std::size_t i = 0; i < facts_.values.size(); ++i)
    facts_.needs[i] = Bytes{*device_bytes / 100 * (least + i)};
}

const UtilizationRun* UtilizationSearch::run_of(std::optional<std::size_t> index) const {
  if (!index) return nullptr;
  const auto found = std::ranges::find(runs_, least + *index, &UtilizationRun::hundredths);
  return found == runs_.end() ? nullptr : &*found;
}

const UtilizationRun* UtilizationSearch::largest() const {
  return run_of(largest_value(facts_).fits);
}

const UtilizationRun* UtilizationSearch::next() const { return run_of(largest_value(facts_).next); }

}  // namespace vramlab::replay
