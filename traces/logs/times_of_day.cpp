#include "traces/logs/times_of_day.h"

#include <array>
#include <string>

#include "traces/io/byte_source.h"

namespace vramlab::traces {
namespace {

constexpr std::uint64_t ns_of_second = 1'000'000'000;

/// The most by which a line may be older than the line above it.
constexpr std::uint64_t most_backward_ns = std::uint64_t{60} * ns_of_second;

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

std::optional<std::uint64_t> TimesOfDay::continued(std::uint64_t time_of_day_ns) {
  if (!last_ns_) return last_ns_ = time_of_day_ns;
  const std::uint64_t last_of_day = *last_ns_ % day_ns;
  const std::uint64_t forward = (time_of_day_ns + day_ns - last_of_day) % day_ns;
  if (forward > day_ns - most_backward_ns) return last_ns_;
  std::uint64_t now_ns = 0;
  if (__builtin_add_overflow(*last_ns_, forward, &now_ns)) return std::nullopt;
  return last_ns_ = now_ns;
}

}  // namespace vramlab::traces
