#include "traces/model/long_number.h"

#include <algorithm>
#include <cstdint>

namespace vramlab::traces {
namespace {

constexpr unsigned sign_bit = 0x80;

bool has_sign(std::string_view bytes) {
  return (static_cast<unsigned char>(bytes.back()) & sign_bit) != 0;
}
char sign_byte(std::string_view bytes) { return has_sign(bytes) ? '\xFF' : '\0'; }

/// The number with the other sign.
void negate(std::string& bytes) {
  unsigned carry = 1;
  for (char& byte : bytes) {
    const unsigned sum = (~static_cast<unsigned>(byte) & 0xFFU) + carry;
    byte = static_cast<char>(sum);
    carry = sum >> 8U;
  }
}

/// Multiplies a row of digits of a base, lowest first, and adds to it.
void shift_in(std::string& digits, unsigned base, unsigned factor, unsigned added) {
  unsigned carry = added;
  for (char& digit : digits) {
    carry += static_cast<unsigned char>(digit) * factor;
    digit = static_cast<char>(carry % base);
    carry /= base;
  }
  for (; carry != 0; carry /= base) digits += static_cast<char>(carry % base);
}

}  // namespace

std::string decimal_of(std::string_view bytes) {
  std::string left(bytes);
  left += sign_byte(left);
  const bool is_negative = has_sign(left);
  if (is_negative) negate(left);
  std::string digits;
  for (auto byte = left.rbegin(); byte != left.rend(); ++byte)
    shift_in(digits, 10, 256, static_cast<unsigned char>(*byte));
  if (digits.empty()) digits += '\0';
  for (char& digit : digits) digit = static_cast<char>(digit + '0');
  if (is_negative) digits += '-';
  std::ranges::reverse(digits);
  return digits;
}

std::string bytes_of_decimal(std::string_view decimal) {
  const bool is_negative = decimal.starts_with('-');
  std::string bytes;
  for (const char digit : decimal.substr(is_negative ? 1 : 0))
    shift_in(bytes, 256, 10, static_cast<unsigned>(digit - '0'));
  bytes += '\0';
  if (is_negative) negate(bytes);
  bytes.resize(without_needless_bytes(bytes).size());
  return bytes;
}

std::string_view without_needless_bytes(std::string_view bytes) {
  while (bytes.size() > 1 && bytes.back() == sign_byte(bytes.substr(0, bytes.size() - 1)))
    bytes.remove_suffix(1);
  return bytes;
}

}  // namespace vramlab::traces
