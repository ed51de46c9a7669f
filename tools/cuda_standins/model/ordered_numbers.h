// Numbers of the host put in order, made unique, picked by a mask, repeated, marked or drawn, as
// PyTorch's operations of these names do: for values that are computed beside a device. In rows of
// a thousand numbers they take a fraction of the time that PyTorch's own ones take.
#pragma once

#include <cstdint>
#include <optional>

namespace vramlab::dry_run {

/// The letters by which Python's `struct` names these types.
enum class NumberKind : char {
  int8 = 'b',
  uint8 = 'B',
  int16 = 'h',
  int32 = 'i',
  int64 = 'q',
  float32 = 'f',
  float64 = 'd',
};

/// None for other letters.
std::optional<NumberKind> number_kind(int letter);

/// Rows of equally many numbers, one after the other.
struct NumberRows {
  NumberKind kind;
  const void* numbers;
  std::uint64_t rows;
  std::uint64_t count;
};

enum class SortOrder : bool { ascending, descending };

/// Each row in order, and the place that each number had in its row. Equal numbers stay in their
/// order, zeros of both signs are equal, and what is not a number is above all numbers.
void sort_rows(const NumberRows& rows, SortOrder order, void* sorted, std::int64_t* places);

/// Room for as many results as there are numbers; any of them may be null but the first.
struct UniqueResults {
  void* numbers;
  std::int64_t* places;
  std::int64_t* counts;
};

/// How many different numbers a row has: in ascending order, for each number its place among them,
/// and how often each is there.
std::uint64_t find_unique(const NumberRows& row, const UniqueResults& to);

/// The same of rows of integers as wholes, in the order of their first numbers, then of the next
/// ones; 0 for other numbers. A row's numbers take the place of a number in the results.
std::uint64_t find_unique_rows(const NumberRows& rows, const UniqueResults& to);

/// How many bytes of the mask are not 0. The pieces beside them, of so many bytes each, lie one
/// after the other in `picked`, unless it is null.
std::uint64_t pick(const std::uint8_t* mask, std::uint64_t count, const void* pieces,
                   std::uint64_t bytes, void* picked);

/// The sum of counts, none of which may be negative: else, or where they are no integers, nothing.
/// The place of each count, as often as it says, lies in `places`, in its type, unless it is null.
std::optional<std::uint64_t> repeat(NumberKind kind, const void* counts, std::uint64_t count,
                                    void* places);

/// The same with the pieces beside the counts, of so many bytes each, in place of their places.
std::optional<std::uint64_t> repeat_pieces(NumberKind kind, const void* counts, std::uint64_t count,
                                           const void* pieces, std::uint64_t bytes, void* repeated);

/// Each piece so many times, one after the other.
void tile(const void* pieces, std::uint64_t count, std::uint64_t bytes, std::uint64_t times,
          void* tiled);

/// One more than the greatest of some places: nothing if one of them is negative, or there is none.
std::optional<std::uint64_t> count_classes(NumberKind kind, const void* places,
                                           std::uint64_t count);

/// For each place a row with so many numbers, which are 0 but for a 1 at that place. False if one
/// has no such place, or they are no integers.
bool mark(NumberKind kind, const void* places, std::uint64_t count, std::uint64_t classes,
          std::int64_t* marks);

struct BinLimits {
  std::int64_t least;
  std::int64_t most;
};

/// How many integers of a row are in each of so many bins of the same size between the limits, of
/// which the last one has the greatest, too, in their own type. Limits that are equal are those of
/// the numbers. False for other numbers, and where no bins can be made.
/// Requires: there are numbers and bins.
bool count_in_bins(const NumberRows& row, BinLimits limits, std::uint64_t bins, void* counts);

/// So many places of numbers above 0 for each row, one after the other from the one that is its
/// number plus `first` on, round and round; where a row has too few, its other places follow. Where
/// the numbers are null, all places are taken for such.
void draw(const NumberRows& rows, std::uint64_t first, std::uint64_t draws, std::int64_t* places);

}  // namespace vramlab::dry_run
