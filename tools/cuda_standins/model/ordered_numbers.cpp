#include "tools/cuda_standins/model/ordered_numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
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

/// Puts rows of equally many keys in order.
template <typename Key>
class Orderer {
 public:
  explicit Orderer(std::uint64_t count)
      : count_(count),
        placed_(std::make_unique_for_overwrite<Placed<Key>[]>(count)),
        digits_(count < fewest_by_digits ? 0 : count) {}

  /// `key_at`: gives the key of a place.
  std::span<const Placed<Key>> order(const auto& key_at) {
    for (std::uint32_t place = 0; place < count_; ++place)
      placed_[place] = {static_cast<Key>(key_at(place)), place};
    if (count_ >= fewest_by_digits) return {digits_.sort(placed_.get(), count_), count_};
    std::stable_sort(
        placed_.get(), placed_.get() + count_,
        [](const Placed<Key>& left, const Placed<Key>& right) { return left.key < right.key; });
    return {placed_.get(), count_};
  }
  std::span<const Placed<Key>> order_numbers(const auto* numbers, SortOrder order) {
    if (order == SortOrder::ascending)
      return this->order([=](std::uint32_t place) { return key_of(numbers[place]); });
    return this->order([=](std::uint32_t place) { return ~key_of(numbers[place]); });
  }

 private:
  std::uint64_t count_;
  std::unique_ptr<Placed<Key>[]> placed_;
  DigitSort<Key> digits_;
};

template <typename Number>
void sort_rows_of(const NumberRows& rows, SortOrder order, Number* sorted, std::int64_t* places) {
  const Number* numbers = static_cast<const Number*>(rows.numbers);
  Orderer<KeyOf<Number>> orderer(rows.count);
  for (std::uint64_t row = 0; row < rows.rows; ++row, numbers += rows.count)
    for (const auto& placed : orderer.order_numbers(numbers, order)) {
      *sorted++ = numbers[placed.place];
      *places++ = placed.place;
    }
}

/// Numbers what is different in an order. `is_new`: says whether one differs from the one before
/// it. `put`: is called with each place and the number of different ones before it, whether it is
/// new or not, as a branch would be taken at random. The next new one takes the same room.
template <typename Key>
std::uint64_t number_different(std::span<const Placed<Key>> ordered, const UniqueResults& to,
                               const auto& put, const auto& is_new) {
  std::uint64_t found = 0;
  const Placed<Key>* last = nullptr;
  for (const Placed<Key>& placed : ordered) {
    put(placed.place, found);
    if (to.counts != nullptr) to.counts[found] = 0;
    found += last == nullptr || is_new(placed, *last) ? 1 : 0;
    last = &placed;
    if (to.counts != nullptr) ++to.counts[found - 1];
    if (to.places != nullptr) to.places[placed.place] = static_cast<std::int64_t>(found - 1);
  }
  return found;
}

template <typename Number>
std::uint64_t find_unique_of(const NumberRows& row, const UniqueResults& to) {
  using Key = KeyOf<Number>;
  const Number* const numbers = static_cast<const Number*>(row.numbers);
  Number* const unique = static_cast<Number*>(to.numbers);
  Orderer<Key> orderer(row.count);
  const auto put = [=](std::uint32_t place, std::uint64_t at) { unique[at] = numbers[place]; };
  const auto is_new = [=](const Placed<Key>& placed, const Placed<Key>& last) {
    if constexpr (std::is_floating_point_v<Number>)
      return placed.key != last.key || std::isnan(numbers[placed.place]);
    else
      return placed.key != last.key;
  };
  return number_different(orderer.order_numbers(numbers, SortOrder::ascending), to, put, is_new);
}

/// The keys of a column: the least one, and the bits of the most that one of them is above it.
struct ColumnKeys {
  std::uint64_t least;
  unsigned bits;
};

template <typename Number>
ColumnKeys keys_of_column(const Number* first, const NumberRows& rows) {
  std::uint64_t least = key_of(*first), most = least;
  for (std::uint64_t row = 1; row < rows.rows; ++row) {
    first += rows.count;
    least = std::min<std::uint64_t>(least, key_of(*first));
    most = std::max<std::uint64_t>(most, key_of(*first));
  }
  return {least, static_cast<unsigned>(std::bit_width(most - least))};
}

/// Columns one after the other, whose keys fit into so many bits together.
struct Columns {
  std::uint64_t first;
  std::span<const ColumnKeys> keys;
  unsigned bits;
};

/// The last ones before `end` that fit into 63 bits, or a single one.
Columns columns_before(std::uint64_t end, std::span<const ColumnKeys> all) {
  std::uint64_t first = end - 1;
  unsigned bits = all[first].bits;
  for (; first > 0 && bits + all[first - 1].bits < 64; --first) bits += all[first - 1].bits;
  return {first, all.subspan(first, end - first), bits};
}

/// The keys of these columns as one number, for the row whose first of them is given.
template <typename Number>
std::uint64_t key_of_row(const Number* number, std::span<const ColumnKeys> columns) {
  std::uint64_t key = key_of(*number++) - columns[0].least;
  for (const ColumnKeys& column : columns.subspan(1))
    key = key << column.bits | (key_of(*number++) - column.least);
  return key;
}

/// The different ones of some rows. They are short: calls that copy memory would take longer than
/// their numbers do.
template <typename Number>
class UniqueRows {
 public:
  UniqueRows(const NumberRows& rows, const UniqueResults& to)
      : rows_(rows), to_(to), numbers_(static_cast<const Number*>(rows.numbers)) {
    for (std::uint64_t column = 0; column < rows.count; ++column)
      keys_.push_back(keys_of_column(numbers_ + column, rows));
  }

  std::uint64_t find() const {
    const Columns columns = columns_before(rows_.count, keys_);
    if (columns.first > 0) return find_by_parts();
    return columns.bits <= 32 ? find_by_keys<std::uint32_t>() : find_by_keys<std::uint64_t>();
  }

 private:
  /// Keys of all columns fit into one number.
  template <typename Key>
  std::uint64_t find_by_keys() const {
    Orderer<Key> orderer(rows_.rows);
    const auto key_at = [this](std::uint32_t place) { return key_of_row(row(place), {keys_}); };
    return number(orderer.order(key_at), [](const Placed<Key>& placed, const Placed<Key>& last) {
      return placed.key != last.key;
    });
  }
  /// Rows are put in order by the last columns first, as many at once as fit, each time in the
  /// order before.
  std::uint64_t find_by_parts() const {
    std::vector<Placed<std::uint64_t>> order(rows_.rows);
    for (std::uint32_t place = 0; place < rows_.rows; ++place) order[place].place = place;
    for (std::uint64_t end = rows_.count; end > 0;) {
      const Columns columns = columns_before(end, keys_);
      order_by(columns, order);
      end = columns.first;
    }
    return number<std::uint64_t>(order, [this](const auto& placed, const auto& last) {
      return !std::equal(row(placed.place), row(placed.place) + rows_.count, row(last.place));
    });
  }
  void order_by(const Columns& columns, std::vector<Placed<std::uint64_t>>& order) const {
    Orderer<std::uint64_t> orderer(rows_.rows);
    const auto key_at = [&](std::uint32_t place) {
      return key_of_row(row(order[place].place) + columns.first, columns.keys);
    };
    const std::vector<Placed<std::uint64_t>> before = order;
    auto next = order.begin();
    for (const auto& placed : orderer.order(key_at)) *next++ = before[placed.place];
  }
  template <typename Key>
  std::uint64_t number(std::span<const Placed<Key>> ordered, const auto& is_new) const {
    Number* const unique = static_cast<Number*>(to_.numbers);
    const auto put = [&](std::uint32_t place, std::uint64_t at) {
      for (std::uint64_t column = 0; column < rows_.count; ++column)
        unique[at * rows_.count + column] = row(place)[column];
    };
    return number_different(ordered, to_, put, is_new);
  }
  const Number* row(std::uint32_t place) const { return numbers_ + place * rows_.count; }

  NumberRows rows_;
  UniqueResults to_;
  const Number* numbers_;
  std::vector<ColumnKeys> keys_;
};

/// `repeat_one`: is called with each place and how often it is there.
template <typename Number>
std::optional<std::uint64_t> repeat_each(const void* first, std::uint64_t count,
                                         const auto& repeat_one) {
  const Number* const counts = static_cast<const Number*>(first);
  std::uint64_t sum = 0;
  for (std::uint64_t place = 0; place < count; ++place) {
    if (std::cmp_less(counts[place], 0)) return std::nullopt;
    const std::uint64_t times = static_cast<std::make_unsigned_t<Number>>(counts[place]);
    repeat_one(place, times);
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
  std::span<std::int64_t> others = places.subspan(std::min<std::size_t>(places.size(), possible));
  std::size_t place = 0;
  const auto next = [&] {
    while (!is_possible(numbers[place % numbers.size()])) ++place;
    return place++ % numbers.size();
  };
  for (std::uint64_t passed = possible == 0 ? 0 : first % possible; passed > 0; --passed) next();
  for (std::int64_t& drawn : places.first(places.size() - others.size()))
    drawn = static_cast<std::int64_t>(next());
  for (place = 0; place < numbers.size() && !others.empty(); ++place) {
    if (is_possible(numbers[place])) continue;
    others.front() = static_cast<std::int64_t>(place);
    others = others.subspan(1);
  }
}

/// A range times the number of its bins has to be a number of 64 bits.
constexpr std::uint64_t most_counted_range = std::numeric_limits<std::uint64_t>::max();

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

/// The same for integers; for other numbers an answer that says nothing.
template <typename Answer>
Answer with_integer(NumberKind kind, const auto& use) {
  return with_number(kind, [&]<typename Number>(Number number) -> Answer {
    if constexpr (std::is_integral_v<Number>)
      return use(number);
    else
      return {};
  });
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
  return with_integer<std::uint64_t>(
      rows.kind, [&]<typename Number>(Number) { return UniqueRows<Number>(rows, to).find(); });
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
  return with_integer<std::optional<std::uint64_t>>(kind, [&]<typename Number>(Number) {
    Number* to = static_cast<Number*>(places);
    return repeat_each<Number>(counts, count, [&](std::uint64_t place, std::uint64_t times) {
      if (to != nullptr) to = std::fill_n(to, times, static_cast<Number>(place));
    });
  });
}

std::optional<std::uint64_t> repeat_pieces(NumberKind kind, const void* counts, std::uint64_t count,
                                           const void* pieces, std::uint64_t bytes,
                                           void* repeated) {
  const char* const from = static_cast<const char*>(pieces);
  char* to = static_cast<char*>(repeated);
  const auto repeat_all = [&](auto size) {
    return with_integer<std::optional<std::uint64_t>>(kind, [&]<typename Number>(Number) {
      return repeat_each<Number>(counts, count, [&](std::uint64_t place, std::uint64_t times) {
        for (; times > 0; --times, to += size) std::memcpy(to, from + size * place, size);
      });
    });
  };
  if (bytes == 8) return repeat_all(std::integral_constant<std::uint64_t, 8>{});
  return repeat_all(bytes);
}

void tile(const void* pieces, std::uint64_t count, std::uint64_t bytes, std::uint64_t times,
          void* tiled) {
  const char* from = static_cast<const char*>(pieces);
  char* to = static_cast<char*>(tiled);
  for (std::uint64_t piece = 0; piece < count; ++piece, from += bytes)
    for (std::uint64_t time = 0; time < times; ++time, to += bytes) std::memcpy(to, from, bytes);
}

std::optional<std::uint64_t> count_classes(NumberKind kind, const void* places,
                                           std::uint64_t count) {
  using Classes = std::optional<std::uint64_t>;
  return with_integer<Classes>(kind, [&]<typename Number>(Number) -> Classes {
    const std::span all(static_cast<const Number*>(places), count);
    if (all.empty() || std::ranges::min(all) < 0) return std::nullopt;
    return static_cast<std::uint64_t>(std::ranges::max(all)) + 1;
  });
}

bool mark(NumberKind kind, const void* places, std::uint64_t count, std::uint64_t classes,
          std::int64_t* marks) {
  std::fill_n(marks, count * classes, 0);
  return with_integer<bool>(kind, [&]<typename Number>(Number) {
    for (const Number number : std::span(static_cast<const Number*>(places), count)) {
      if (std::cmp_less(number, 0) || std::cmp_greater_equal(number, classes)) return false;
      marks[static_cast<std::make_unsigned_t<Number>>(number)] = 1;
      marks += classes;
    }
    return true;
  });
}

bool count_in_bins(const NumberRows& row, BinLimits limits, std::uint64_t bins, void* counts) {
  return with_integer<bool>(row.kind, [&]<typename Number>(Number) {
    const std::span numbers(static_cast<const Number*>(row.numbers), row.count);
    if (limits.least == limits.most) {
      const auto [least, most] = std::ranges::minmax(numbers);
      limits = {least, most};
    }
    const std::uint64_t least = static_cast<std::uint64_t>(limits.least),
                        range = static_cast<std::uint64_t>(limits.most) - least;
    if (limits.least >= limits.most || range > most_counted_range / bins) return false;
    Number* const of_bins = static_cast<Number*>(counts);
    std::fill_n(of_bins, bins, Number{0});
    for (const Number number : numbers) {
      if (number < limits.least || number > limits.most) continue;
      const std::uint64_t place = static_cast<std::uint64_t>(number) - least;
      ++of_bins[std::min(place * bins / range, bins - 1)];
    }
    return true;
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
