// Numbers of the host put in order, made unique or picked by a mask, as PyTorch's operations of
// these names do: for values that are computed beside a device. In rows of a thousand numbers they
// take a fraction of the time that PyTorch's own ones take.
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

/// How many bytes of the mask are not 0. The pieces beside them, of so many bytes each, lie one
/// after the other in `picked`, unless it is null.
std::uint64_t pick(const std::uint8_t* mask, std::uint64_t count, const void* pieces,
                   std::uint64_t bytes, void* picked);

}  // namespace vramlab::dry_run
