#include "tools/cuda_standins/libraries/nccl/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace vramlab::dry_run {
namespace {

enum NumberKind { int8, uint8, int32, uint32, int64, uint64, half, single, twofold, brain };
enum ReductionKind { sum, product, largest, smallest, average };

// Numbers of 16 bits, which are computed as floats.

struct Half {
  std::uint16_t bits = 0;
};
struct Brain {
  std::uint16_t bits = 0;
};

float float_of(Brain number) { return std::bit_cast<float>(std::uint32_t{number.bits} << 16); }

float float_of(Half number) {
  constexpr int bias = 15;
  constexpr int fraction_bits = 10;
  const int exponent = number.bits >> fraction_bits & 31;
  const float fraction = static_cast<float>(number.bits & 1023) / 1024;
  float value = 0;
  if (exponent == 31)
    value = fraction == 0 ? INFINITY : NAN;
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - bias);
  else
    value = std::ldexp(1 + fraction, exponent - bias);
  return (number.bits >> 15) != 0 ? -value : value;
}

/// The nearest one; of two, the one whose last bit is 0.
void put_float(float value, Brain& number) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  constexpr std::uint16_t quiet_nan = 0x7fc0;
  number.bits = std::isnan(value)
                    ? quiet_nan
                    : static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void put_float(float value, Half& number) {
  constexpr float too_large = 65520;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float size = std::fabs(value);
  if (std::isnan(value)) {
    number.bits = 0x7e00;
  } else if (size >= too_large) {
    number.bits = sign | 0x7c00;
  } else {
    int exponent = 0;
    std::frexp(size, &exponent);
    // The unit of the last place: 2^-24 for the smallest numbers.
    const int unit = std::max(exponent - 11, -24);
    const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, -unit)));
    // A fraction that is rounded up to 2048 goes on into the exponent.
    number.bits = sign | static_cast<std::uint16_t>(units + ((unit + 24) << 10));
  }
}

template <class Value>
Value combined(Value one, Value other, int operation) {
  // Integers may wrap around, as on a GPU.
  if constexpr (std::is_integral_v<Value>) {
    using Wide = std::make_unsigned_t<std::common_type_t<Value, int>>;
    if (operation == sum || operation == average)
      return static_cast<Value>(static_cast<Wide>(one) + static_cast<Wide>(other));
    if (operation == product)
      return static_cast<Value>(static_cast<Wide>(one) * static_cast<Wide>(other));
  } else {
    if (operation == sum || operation == average) return one + other;
    if (operation == product) return one * other;
  }
  return operation == largest ? std::max(one, other) : std::min(one, other);
}

template <class Value>
Value divided(Value value, std::size_t count) {
  if constexpr (std::is_signed_v<Value> && std::is_integral_v<Value>)
    return static_cast<Value>(value / static_cast<std::int64_t>(count));
  else
    return static_cast<Value>(
        value /
        static_cast<std::conditional_t<std::is_integral_v<Value>, std::uint64_t, Value>>(count));
}

template <class Stored>
struct Number {
  static constexpr bool is_wide = std::is_arithmetic_v<Stored>;
  using Value = std::conditional_t<is_wide, Stored, float>;

  static Value value_in(const Bytes& bytes, std::size_t place) {
    Stored stored{};
    std::memcpy(&stored, bytes.data() + place, sizeof stored);
    if constexpr (is_wide)
      return stored;
    else
      return float_of(stored);
  }
  static void put_in(Bytes& bytes, std::size_t place, Value value) {
    Stored stored{};
    if constexpr (is_wide)
      stored = value;
    else
      put_float(value, stored);
    std::memcpy(bytes.data() + place, &stored, sizeof stored);
  }
};

template <class Stored>
Bytes reduced(const std::vector<Bytes>& ranks, int operation) {
  using Kind = Number<Stored>;
  Bytes result = ranks.front();
  for (std::size_t place = 0; place + sizeof(Stored) <= result.size(); place += sizeof(Stored)) {
    auto value = Kind::value_in(ranks.front(), place);
    for (std::size_t rank = 1; rank < ranks.size(); ++rank)
      value = combined(value, Kind::value_in(ranks[rank], place), operation);
    if (operation == average) value = divided(value, ranks.size());
    Kind::put_in(result, place, value);
  }
  return result;
}

}  // namespace

std::size_t bytes_of(int type) {
  switch (type) {
    case int8:
    case uint8:
    case brain + 1:
    case brain + 2:
      return 1;
    case half:
    case brain:
      return 2;
    case int64:
    case uint64:
    case twofold:
      return 8;
    default:
      return 4;
  }
}

std::optional<Bytes> reduce(const std::vector<Bytes>& ranks, const Reduction& reduction) {
  const int operation = reduction.operation;
  if (operation < sum || operation > average) return std::nullopt;
  switch (reduction.type) {
    case int8:
      return reduced<std::int8_t>(ranks, operation);
    case uint8:
      return reduced<std::uint8_t>(ranks, operation);
    case int32:
      return reduced<std::int32_t>(ranks, operation);
    case uint32:
      return reduced<std::uint32_t>(ranks, operation);
    case int64:
      return reduced<std::int64_t>(ranks, operation);
    case uint64:
      return reduced<std::uint64_t>(ranks, operation);
    case half:
      return reduced<Half>(ranks, operation);
    case single:
      return reduced<float>(ranks, operation);
    case twofold:
      return reduced<double>(ranks, operation);
    case brain:
      return reduced<Brain>(ranks, operation);
    default:
      return std::nullopt;
  }
}

}  // namespace vramlab::dry_run
