// nearest_hint: the known name that a misspelt one may stand for, for error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vramlab::replay {

/// Such as `; the nearest is replay`: a known name that contains `name`, otherwise the one with the
/// fewest letters to insert, remove, replace or swap; of equal ones the first. Empty if more than a
/// third of the letters would change, those that a long name lacks at its end left out.
std::string nearest_hint(std::string_view name, std::span<const std::string_view> known);

/// The same among rows, each of which has a name as a member.
template <class Rows, class Member>
std::string nearest_hint(std::string_view name, const Rows& rows, Member member) {
  std::vector<std::string_view> known;
  for (const auto& row : rows) known.push_back(row.*member);
  return nearest_hint(name, known);
}

}  // namespace vramlab::replay
