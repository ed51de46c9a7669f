// nearest_name: the known name that a misspelt one may stand for, for error messages.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace vramlab::replay {

/// A known name that contains `name`, otherwise the one with the fewest letters to insert, remove
/// or replace; of equal ones the first. Requires: `known` is not empty.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

/// The nearest name among rows, each of which has a name as a member.
template <class Rows, class Member>
std::string_view nearest_name(std::string_view name, const Rows& rows, Member member) {
  std::vector<std::string_view> known;
  for (const auto& row : rows) known.push_back(row.*member);
  return nearest_name(name, known);
}

}  // namespace vramlab::replay
