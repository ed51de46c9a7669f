// nearest_name: what somebody may have meant who wrote a name that is not known.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace vramlab::replay {

/// One that `name` is a part of, otherwise the one with the fewest letters to put in, take out or
/// replace; of equals the first. Requires: there is one.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

/// The same among rows, each of which has a name as a member.
template <class Rows, class Member>
std::string_view nearest_name(std::string_view name, const Rows& rows, Member member) {
  std::vector<std::string_view> known;
  for (const auto& row : rows) known.push_back(row.*member);
  return nearest_name(name, known);
}

}  // namespace vramlab::replay
