// Times of day of a log, as a time that goes on: `10:36:59.123456` says no day. A time up to a
// minute before that of the line above (two threads wrote at once) counts as the same; a time that
// is earlier still is of the next day.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vramlab::traces {

inline constexpr std::uint64_t day_ns = std::uint64_t{24} * 60 * 60 * 1'000'000'000;

/// `10:36:59:123456` or with a point before the fraction, which may have up to nine digits: from
/// midnight on. Null if the letters mean no time.
std::optional<std::uint64_t> time_of_day_ns(std::string_view letters);

class TimesOfDay {
 public:
  /// From midnight of the first day on; null after more than 500 years.
  std::optional<std::uint64_t> continued(std::uint64_t time_of_day_ns);

 private:
  std::optional<std::uint64_t> last_ns_;
};

}  // namespace vramlab::traces
