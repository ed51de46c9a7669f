#include "tools/cuda_standins/model/ordered_numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace vramlab::dry_run {
namespace {

/// A number as an integer without sign that has its place in the order.
template <typename Key>
struct Placed {
  Key key;
  std::uint32_t place;
};

template <typename Number>
using KeyOf = std::conditional_t<
    sizeof(Number) == 8, std::uint64_t,
    std::conditional_t<sizeof(Number) == 4, std::uint32_t,
                       std::conditional_t<sizeof(Number) == 2, std::uint16_t, std::uint8_t>>>;

template <typename Number>
KeyOf<Number> key_of(Number number) {
  using Key = KeyOf<Number>;
  constexpr Key sign = Key{1} << (sizeof(Key) * 8 - 1);
  if constexpr (std::is_unsigned_v<Number>) {
    return number;
  } else if constexpr (std::is_integral_v<Number>) {
    return static_cast<Key>(static_cast<Key>(number) ^ sign);
  } else {
    if (std::isnan(number)) return std::numeric_limits<Key>::max();
    const Key bits = std::bit_cast<Key>(number == 0 ? Number{0} : number);
    return (bits & sign) != 0 ? ~bits : bits | sign;
  }
}

/// Fewer are sorted by comparing.
constexpr std::uint64_t fewest_by_digits = 64;

/// Sorts by some bits of the key after the others, beginning with the lowest ones that differ. Bits
/// above that all keys have in common are passed over.
template <typename Key>
class DigitSort {
 public:
  explicit DigitSort(std::uint64_t count) : other_(count) {}

  void sort(std::vector<Placed<Key>>& numbers) {
    std::uint64_t differing = 0;
    for (const Placed<Key>& number : numbers)
      differing |= std::uint64_t{number.key} ^ numbers.front().key;
    for (auto shift = static_cast<unsigned>(std::countr_zero(differing));
         shift < 64 && differing >> shift != 0; shift += digit_bits)
      sort_by(shift, numbers);
  }

 private:
  static constexpr unsigned digit_bits = 11;
  static constexpr std::size_t digits = std::size_t{1} << digit_bits;

  static std::size_t digit_of(Key key, unsigned shift) {
    return std::uint64_t{key} >> shift & (digits - 1);
  }
  void sort_by(unsigned shift, std::vector<Placed<Key>>& numbers) {
    std::array<std::uint32_t, digits> places = {};
    for (const Placed<Key>& number : numbers) ++places[digit_of(number.key, shift)];
    std::uint32_t begin = 0;
    for (std::uint32_t& place : places) begin += std::exchange(place, begin);
    for (const Placed<Key>& number : numbers)
      other_[places[digit_of(number.key, shift)]++] = number;
    numbers.swap(other_);
  }

  std::vector<Placed<Key>> other_;
};

/// Numbers of one type, and room for their order.
template <typename Number>
class Orderer {
 public:
  using Key = KeyOf<Number>;

  explicit Orderer(std::uint64_t count)
      : placed_(count), digits_(count < fewest_by_digits ? 0 : count) {}

  const std::vector<Placed<Key>>& order(const Number* numbers, SortOrder order) {
    for (std::uint32_t place = 0; place < placed_.size(); ++place) {
      const Key key = key_of(numbers[place]);
      placed_[place] = {order == SortOrder::ascending ? key : static_cast<Key>(~key), place};
    }
    if (placed_.size() >= fewest_by_digits)
      digits_.sort(placed_);
    else
      std::stable_sort(
          placed_.begin(), placed_.end(),
          [](const Placed<Key>& left, const Placed<Key>& right) { return left.key < right.key; });
    return placed_;
  }

 private:
  std::vector<Placed<Key>> placed_;
  DigitSort<Key> digits_;
};

template <typename Number>
void sort_rows_of(const NumberRows& rows, SortOrder order, Number* sorted, std::int64_t* places) {
  const Number* numbers = static_cast<const Number*>(rows.numbers);
  Orderer<Number> orderer(rows.count);
  for (std::uint64_t row = 0; row < rows.rows; ++row, numbers += rows.count)
    for (const auto& placed : orderer.order(numbers, order)) {
      *sorted++ = numbers[placed.place];
      *places++ = placed.place;
    }
}

template <typename Number>
std::uint64_t find_unique_of(const NumberRows& row, const UniqueResults& to) {
  const Number* const numbers = static_cast<const Number*>(row.numbers);
  Number* const unique = static_cast<Number*>(to.numbers);
  Orderer<Number> orderer(row.count);
  std::uint64_t found = 0;
  for (const auto& placed : orderer.order(numbers, SortOrder::ascending)) {
    if (found == 0 || unique[found - 1] != numbers[placed.place]) {
      unique[found++] = numbers[placed.place];
      if (to.counts != nullptr) to.counts[found - 1] = 0;
    }
    if (to.counts != nullptr) ++to.counts[found - 1];
    if (to.places != nullptr) to.places[placed.place] = static_cast<std::int64_t>(found - 1);
  }
  return found;
}

/// Calls `use` with a number of this type.
template <typename Use>
auto with_number(NumberKind kind, const Use& use) {
  switch (kind) {
    case NumberKind::int8:
      return use(std::int8_t{});
    case NumberKind::uint8:
      return use(std::uint8_t{});
    case NumberKind::int16:
      return use(std::int16_t{});
    case NumberKind::int32:
      return use(std::int32_t{});
    case NumberKind::int64:
      return use(std::int64_t{});
    case NumberKind::float32:
      return use(float{});
    case NumberKind::float64:
      break;
  }
  return use(double{});
}

}  // namespace

std::optional<NumberKind> number_kind(int letter) {
  for (const char known : {'b', 'B', 'h', 'i', 'q', 'f', 'd'})
    if (letter == known) return static_cast<NumberKind>(known);
  return std::nullopt;
}

void sort_rows(const NumberRows& rows, SortOrder order, void* sorted, std::int64_t* places) {
  with_number(rows.kind, [&]<typename Number>(Number) {
    sort_rows_of(rows, order, static_cast<Number*>(sorted), places);
  });
}

std::uint64_t find_unique(const NumberRows& row, const UniqueResults& to) {
  return with_number(row.kind,
                     [&]<typename Number>(Number) { return find_unique_of<Number>(row, to); });
}

std::uint64_t pick(const std::uint8_t* mask, std::uint64_t count, const void* pieces,
                   std::uint64_t bytes, void* picked) {
  if (picked == nullptr) return count - std::count(mask, mask + count, std::uint8_t{0});
  const char* from = static_cast<const char*>(pieces);
  char* to = static_cast<char*>(picked);
  const auto pick_each = [&](auto size) {
    std::uint64_t found = 0;
    for (std::uint64_t place = 0; place < count; ++place)
      if (mask[place] != 0) std::memcpy(to + size * found++, from + size * place, size);
    return found;
  };
  if (bytes == 8) return pick_each(std::integral_constant<std::uint64_t, 8>{});
  if (bytes == 4) return pick_each(std::integral_constant<std::uint64_t, 4>{});
  return pick_each(bytes);
}

}  // namespace vramlab::dry_run
