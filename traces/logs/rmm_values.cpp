#include "traces/logs/rmm_values.h"

#include <array>
#include <cstdio>

#include "traces/files/line_source.h"

namespace vramlab::traces::rmm {
namespace {

constexpr std::uint64_t ns_of_second = 1'000'000'000;

bool has_hexadecimal_sign(std::string_view letters) {
  return letters.starts_with("0x") || letters.starts_with("0X");
}

std::optional<std::uint64_t> fraction_ns(std::string_view digits) {
  constexpr std::size_t most_digits = 9;
  if (digits.empty() || digits.size() > most_digits) return std::nullopt;
  std::string filled(digits);
  filled.resize(most_digits, '0');
  return whole_number(filled);
}

}  // namespace

std::optional<std::uint64_t> time_of_day_ns(std::string_view letters) {
  constexpr std::size_t whole_letters = 8;
  constexpr std::array<std::uint64_t, 3> units = {ns_of_second * 3600, ns_of_second * 60,
                                                  ns_of_second};
  constexpr std::array<std::uint64_t, 3> limits = {24, 60, 60};
  if (letters.size() < whole_letters) return std::nullopt;
  std::uint64_t time = 0;
  for (std::size_t part = 0; part < units.size(); ++part) {
    const std::size_t at = part * 3;
    const auto value = whole_number(letters.substr(at, 2));
    if (!value || *value >= limits[part] || (part > 0 && letters[at - 1] != ':'))
      return std::nullopt;
    time += *value * units[part];
  }
  if (letters.size() == whole_letters) return time;
  if (letters[whole_letters] != ':' && letters[whole_letters] != '.') return std::nullopt;
  const auto fraction = fraction_ns(letters.substr(whole_letters + 1));
  if (!fraction) return std::nullopt;
  return time + *fraction;
}

std::optional<std::uint64_t> pointer(std::string_view letters) {
  if (letters == "(nil)") return 0;
  if (has_hexadecimal_sign(letters)) letters.remove_prefix(2);
  return whole_number(letters, 16);
}

std::optional<std::uint64_t> stream(std::string_view letters) {
  const bool is_decimal = letters.find_first_not_of("0123456789") == std::string_view::npos;
  return is_decimal ? whole_number(letters) : pointer(letters);
}

std::string time_text(std::uint64_t time_ns) {
  const std::uint64_t us = time_ns % day_ns / 1000;
  const std::uint64_t seconds = us / 1'000'000;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%02u:%02u:%02u:%06u",
                static_cast<unsigned>(seconds / 3600), static_cast<unsigned>(seconds / 60 % 60),
                static_cast<unsigned>(seconds % 60), static_cast<unsigned>(us % 1'000'000));
  return text.data();
}

}  // namespace vramlab::traces::rmm
