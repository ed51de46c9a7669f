#include "tools/cuda_standins/model/ordered_numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
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

/// Sorts by some bits of the key after the others, as many in each turn, beginning with the lowest
/// ones that differ. Bits above that all keys have in common are passed over.
template <typename Key>
class DigitSort {
 public:
  explicit DigitSort(std::uint64_t count)
      : other_(std::make_unique_for_overwrite<Placed<Key>[]>(count)) {}

  /// The sorted numbers, which lie in the same place or in room of its own.
  const Placed<Key>* sort(Placed<Key>* numbers, std::uint64_t count) {
    Key differing = 0;
    for (std::uint64_t place = 0; place < count; ++place)
      differing |= numbers[place].key ^ numbers[0].key;
    if (differing == 0) return numbers;
    const auto first = static_cast<unsigned>(std::countr_zero(differing));
    const auto bits = static_cast<unsigned>(std::bit_width(differing)) - first;
    const unsigned turns = (bits + most_digit_bits - 1) / most_digit_bits;
    digit_bits_ = (bits + turns - 1) / turns;
    Placed<Key>* to = other_.get();
    for (unsigned turn = 0; turn < turns; ++turn) {
      sort_by(first + turn * digit_bits_, {numbers, count}, to);
      std::swap(numbers, to);
    }
    return numbers;
  }

 private:
  static constexpr unsigned most_digit_bits = 11;

  std::size_t digit_of(Key key, unsigned shift) const {
    return std::uint64_t{key} >> shift & ((std::uint64_t{1} << digit_bits_) - 1);
  }
  void sort_by(unsigned shift, std::span<const Placed<Key>> numbers, Placed<Key>* to) {
    std::array<std::uint32_t, std::size_t{1} << most_digit_bits> places;
    std::fill_n(places.begin(), std::size_t{1} << digit_bits_, 0);
    for (const Placed<Key>& number : numbers) ++places[digit_of(number.key, shift)];
    std::uint32_t begin = 0;
    for (std::size_t digit = 0; digit < std::size_t{1} << digit_bits_; ++digit)
      begin += std::exchange(places[digit], begin);
    for (const Placed<Key>& number : numbers) to[places[digit_of(number.key, shift)]++] = number;
  }

  std::unique_ptr<Placed<Key>[]> other_;
  unsigned digit_bits_ = 0;
};

/// Numbers of one type, and room for their order.
template <typename Number>
class Orderer {
 public:
  using Key = KeyOf<Number>;

  explicit Orderer(std::uint64_t count)
      : count_(count),
        placed_(std::make_unique_for_overwrite<Placed<Key>[]>(count)),
        digits_(count < fewest_by_digits ? 0 : count) {}

  std::span<const Placed<Key>> order(const Number* numbers, SortOrder order) {
    for (std::uint32_t place = 0; place < count_; ++place) {
      const Key key = key_of(numbers[place]);
      placed_[place] = {order == SortOrder::ascending ? key : static_cast<Key>(~key), place};
    }
    if (count_ >= fewest_by_digits) return {digits_.sort(placed_.get(), count_), count_};
    std::stable_sort(
        placed_.get(), placed_.get() + count_,
        [](const Placed<Key>& left, const Placed<Key>& right) { return left.key < right.key; });
    return {placed_.get(), count_};
  }

 private:
  std::uint64_t count_;
  std::unique_ptr<Placed<Key>[]> placed_;
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

/// The rows by their numbers, beginning with the last ones, each time in the order that they had.
template <typename Number>
std::vector<std::uint32_t> order_of_rows(const NumberRows& rows) {
  const Number* const numbers = static_cast<const Number*>(rows.numbers);
  std::vector<std::uint32_t> order(rows.rows), before(rows.rows);
  std::iota(order.begin(), order.end(), 0);
  std::vector<Number> of_column(rows.rows);
  Orderer<Number> orderer(rows.rows);
  for (std::uint64_t column = rows.count; column-- > 0;) {
    std::swap(order, before);
    for (std::uint64_t row = 0; row < rows.rows; ++row)
      of_column[row] = numbers[before[row] * rows.count + column];
    auto next = order.begin();
    for (const auto& placed : orderer.order(of_column.data(), SortOrder::ascending))
      *next++ = before[placed.place];
  }
  return order;
}

template <typename Number>
std::uint64_t find_unique_rows_of(const NumberRows& rows, const UniqueResults& to) {
  const Number* const numbers = static_cast<const Number*>(rows.numbers);
  Number* unique = static_cast<Number*>(to.numbers);
  std::uint64_t found = 0;
  for (const std::uint32_t place : order_of_rows<Number>(rows)) {
    const std::span row(numbers + place * rows.count, rows.count);
    if (found == 0 || !std::ranges::equal(row, std::span(unique - rows.count, rows.count))) {
      unique = std::ranges::copy(row, unique).out;
      if (to.counts != nullptr) to.counts[found] = 0;
      ++found;
    }
    if (to.counts != nullptr) ++to.counts[found - 1];
    if (to.places != nullptr) to.places[place] = static_cast<std::int64_t>(found - 1);
  }
  return found;
}

template <typename Number>
std::optional<std::uint64_t> repeat_each(std::span<const Number> counts, Number* places) {
  std::uint64_t sum = 0;
  for (std::size_t place = 0; place < counts.size(); ++place) {
    if (std::cmp_less(counts[place], 0)) return std::nullopt;
    const std::uint64_t times = static_cast<std::make_unsigned_t<Number>>(counts[place]);
    if (places != nullptr) std::fill_n(places + sum, times, static_cast<Number>(place));
    sum += times;
  }
  return sum;
}

void draw_of_all(std::uint64_t count, std::uint64_t first, std::span<std::int64_t> places) {
  for (std::int64_t& place : places) place = static_cast<std::int64_t>(first++ % count);
}

template <typename Number>
void draw_of_row(std::span<const Number> numbers, std::uint64_t first,
                 std::span<std::int64_t> places) {
  const auto is_possible = [](Number number) { return number > 0; };
  const auto possible = static_cast<std::uint64_t>(std::ranges::count_if(numbers, is_possible));
  const std::uint64_t chosen = std::min<std::uint64_t>(places.size(), possible);
  if (possible != 0) first %= possible;
  std::uint64_t rank = first == 0 ? 0 : possible - first, others = chosen;
  for (std::size_t place = 0; place < numbers.size(); ++place) {
    const bool is_chosen = is_possible(numbers[place]);
    std::uint64_t& next = is_chosen ? rank : others;
    if (next < (is_chosen ? chosen : places.size()))
      places[next] = static_cast<std::int64_t>(place);
    ++next;
    if (is_chosen && rank == possible) rank = 0;
  }
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

std::uint64_t find_unique_rows(const NumberRows& rows, const UniqueResults& to) {
  return with_number(
      rows.kind, [&]<typename Number>(Number) { return find_unique_rows_of<Number>(rows, to); });
}

std::uint64_t pick(const std::uint8_t* mask, std::uint64_t count, const void* pieces,
                   std::uint64_t bytes, void* picked) {
  if (picked == nullptr)
    return static_cast<std::uint64_t>(
        std::ranges::count_if(std::span(mask, count), [](std::uint8_t yes) { return yes != 0; }));
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

std::optional<std::uint64_t> repeat(NumberKind kind, const void* counts, std::uint64_t count,
                                    void* places) {
  return with_number(kind, [&]<typename Number>(Number) -> std::optional<std::uint64_t> {
    if constexpr (std::is_integral_v<Number>)
      return repeat_each(std::span(static_cast<const Number*>(counts), count),
                         static_cast<Number*>(places));
    return std::nullopt;
  });
}

void draw(const NumberRows& rows, std::uint64_t first, std::uint64_t draws, std::int64_t* places) {
  with_number(rows.kind, [&]<typename Number>(Number) {
    const auto* numbers = static_cast<const Number*>(rows.numbers);
    for (std::uint64_t row = 0; row < rows.rows; ++row) {
      const std::span to(places + row * draws, draws);
      if (numbers == nullptr)
        draw_of_all(rows.count, first + row, to);
      else
        draw_of_row(std::span(numbers + row * rows.count, rows.count), first + row, to);
    }
  });
}

}  // namespace vramlab::dry_run
