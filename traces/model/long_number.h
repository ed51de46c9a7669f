// Whole numbers of more than 64 bits, as the formats write them: the bytes of a pickle and the
// digits of JSON. They are kept, not calculated with.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vramlab::traces {

inline constexpr std::size_t most_number_bytes = 255;
/// Numbers of so many digits fit into that many bytes.
inline constexpr std::size_t most_number_digits = 613;

/// The digits of a two's complement, lowest byte first. Requires: there is a byte.
std::string decimal_of(std::string_view bytes);
/// The reverse, in as few bytes as leave the highest bit as the sign. Requires: digits, perhaps
/// behind a `-`.
std::string bytes_of_decimal(std::string_view decimal);
/// Without the last bytes that only repeat the sign.
std::string_view without_needless_bytes(std::string_view bytes);

}  // namespace vramlab::traces
