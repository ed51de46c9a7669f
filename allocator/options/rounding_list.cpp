#include "allocator/options/rounding_list.h"

#include <algorithm>
#include <bit>

#include "allocator/options/option_reader.h"

namespace vramlab::allocator {
namespace {

// Divisions above this could only matter to requests of more than a TiB.
constexpr std::uint64_t largest_divisions = 1ULL << 31;

/// How far a list has come.
struct ListPosition {
  /// Of the last size that was given.
  std::size_t slot = 0;
  bool has_size = false;
};

void check_power_of_two(const OptionInHand& option, std::uint64_t number, std::string_view needs) {
  if (!std::has_single_bit(number))
    refuse(option, SettingsErrorKind::out_of_range, needs, in_quotes(std::to_string(number)));
}

/// Zero is allowed, and says that the slot does not round to steps.
std::uint32_t list_divisions(const OptionInHand& option, std::string_view word) {
  constexpr std::string_view needs = "takes 0 or a power of two up to 2147483648 for each size";
  const std::uint64_t divisions = whole_number(option, word);
  if (divisions != 0) check_power_of_two(option, divisions, needs);
  if (divisions > largest_divisions)
    refuse(option, SettingsErrorKind::out_of_range, needs, in_quotes(word));
  return static_cast<std::uint32_t>(divisions);
}

std::size_t slot_of_size(const OptionInHand& option, std::string_view word) {
  const std::uint64_t mib = whole_number(option, word);
  check_power_of_two(option, mib, "takes sizes in MiB that are powers of two");
  const auto exponent = static_cast<std::size_t>(std::countr_zero(mib));
  return std::min(exponent, option.parse.settings.roundup_divisions.size() - 1);
}

void fill_rest(const OptionInHand& option, const ListPosition& position, std::uint32_t divisions) {
  auto& slots = option.parse.settings.roundup_divisions;
  const bool keeps_last =
      option.parse.version.rest_of_list == RestOfListStart::after_last_given_slot;
  const std::size_t first = position.slot + (keeps_last ? 1 : 0);
  for (std::size_t slot = first; slot < slots.size(); ++slot) slots[slot] = divisions;
}

void read_entry(const OptionInHand& option, ListPosition& position) {
  const std::string size = take_value(option);
  take_separator(option, ":");
  const std::uint32_t divisions = list_divisions(option, take_value(option));
  if (size == ">") return fill_rest(option, position, divisions);
  const std::size_t slot = slot_of_size(option, size);
  auto& slots = option.parse.settings.roundup_divisions;
  const std::size_t first = position.has_size ? slot : 0;
  for (std::size_t at = first; at <= slot; ++at) slots[at] = divisions;
  position = {slot, true};
}

void read_list(const OptionInHand& option) {
  OptionTokens& tokens = option.parse.tokens;
  ListPosition position;
  while (!tokens.at_end() && !tokens.next_is("]")) {
    read_entry(option, position);
    if (tokens.at_end())
      refuse(option, option.parse.rules.list_ends_after_entry, "has a list that needs a ']'",
             found_next(tokens));
    if (!tokens.next_is("]")) take_separator(option, ",");
  }
  if (tokens.at_end())
    refuse(option, SettingsErrorKind::unclosed_list, "has a list that needs a ']'",
           found_next(tokens));
  tokens.take();
}

}  // namespace

void read_rounding_divisions(const OptionInHand& option) {
  const std::string word = take_value(option);
  if (word == "[") return read_list(option);
  const std::uint64_t divisions = whole_number(option, word);
  constexpr std::string_view needs = "takes a power of two up to 2147483648, or a list";
  check_power_of_two(option, divisions, needs);
  if (divisions > largest_divisions)
    refuse(option, SettingsErrorKind::out_of_range, needs, in_quotes(word));
  option.parse.settings.roundup_divisions.fill(static_cast<std::uint32_t>(divisions));
}

}  // namespace vramlab::allocator
