// The parts of a case's answers that are lists, compared one by one; for case_differences.cpp only.
// Each function gives the first difference of its part.
#pragma once

#include <algorithm>
#include <string_view>

#include "replay/conformance/case_differences.h"

namespace vramlab::replay {

struct ComparedCase {
  const traces::RecordedCase& recorded;
  const CaseAnswers& actual;
};

// answer_differences.cpp
std::optional<Difference> results_difference(const ComparedCase& compared);
std::optional<Difference> trace_difference(const ComparedCase& compared);
std::optional<Difference> trace_pools_difference(const ComparedCase& compared);
std::optional<Difference> snapshots_difference(const ComparedCase& compared);
std::optional<Difference> restores_difference(const ComparedCase& compared);
std::optional<Difference> final_snapshot_difference(const ComparedCase& compared);

/// What stands in a difference where one side has nothing.
inline constexpr const char* no_value = "nothing";

/// The first index at which two lists differ; none where they are equal.
template <typename Left, typename Right, typename Same>
std::optional<std::size_t> first_mismatch(const std::vector<Left>& left,
                                          const std::vector<Right>& right, Same same) {
  const auto [at_left, at_right] = std::ranges::mismatch(left, right, same);
  if (at_left == left.end() && at_right == right.end()) return std::nullopt;
  return static_cast<std::size_t>(at_left - left.begin());
}

template <typename Item, typename TextOf>
std::string text_at(const std::vector<Item>& list, std::size_t index, TextOf text_of) {
  return index < list.size() ? std::string(text_of(list[index])) : no_value;
}

inline std::string place_in(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

/// The index of the nth call of a kind, counted from 0.
std::optional<std::int64_t> nth_call(const traces::RecordedProgram& program,
                                     traces::ProgramEventKind kind, std::size_t n);

}  // namespace vramlab::replay
