#include "traces/pickle/pickle_tokens.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string_view>
#include <utility>

#include "allocator/types/real_numbers.h"
#include "traces/io/input_error.h"
#include "traces/io/letters.h"
#include "traces/model/generic_text.h"

namespace vramlab::traces {
namespace {

struct NamedOpcode {
  std::uint8_t opcode;
  std::string_view name;
};

constexpr std::array named_opcodes = {
    NamedOpcode{'(', "MARK"},          NamedOpcode{')', "EMPTY_TUPLE"},
    NamedOpcode{'.', "STOP"},          NamedOpcode{'0', "POP"},
    NamedOpcode{'1', "POP_MARK"},      NamedOpcode{'2', "DUP"},
    NamedOpcode{'B', "BINBYTES"},      NamedOpcode{'C', "SHORT_BINBYTES"},
    NamedOpcode{'F', "FLOAT"},         NamedOpcode{'G', "BINFLOAT"},
    NamedOpcode{'I', "INT"},           NamedOpcode{'J', "BININT"},
    NamedOpcode{'K', "BININT1"},       NamedOpcode{'L', "LONG"},
    NamedOpcode{'M', "BININT2"},       NamedOpcode{'N', "NONE"},
    NamedOpcode{'P', "PERSID"},        NamedOpcode{'Q', "BINPERSID"},
    NamedOpcode{'R', "REDUCE"},        NamedOpcode{'S', "STRING"},
    NamedOpcode{'T', "BINSTRING"},     NamedOpcode{'U', "SHORT_BINSTRING"},
    NamedOpcode{'V', "UNICODE"},       NamedOpcode{'X', "BINUNICODE"},
    NamedOpcode{']', "EMPTY_LIST"},    NamedOpcode{'a', "APPEND"},
    NamedOpcode{'b', "BUILD"},         NamedOpcode{'c', "GLOBAL"},
    NamedOpcode{'d', "DICT"},          NamedOpcode{'e', "APPENDS"},
    NamedOpcode{'g', "GET"},           NamedOpcode{'h', "BINGET"},
    NamedOpcode{'i', "INST"},          NamedOpcode{'j', "LONG_BINGET"},
    NamedOpcode{'l', "LIST"},          NamedOpcode{'o', "OBJ"},
    NamedOpcode{'p', "PUT"},           NamedOpcode{'q', "BINPUT"},
    NamedOpcode{'r', "LONG_BINPUT"},   NamedOpcode{'s', "SETITEM"},
    NamedOpcode{'t', "TUPLE"},         NamedOpcode{'u', "SETITEMS"},
    NamedOpcode{'}', "EMPTY_DICT"},    NamedOpcode{0x80, "PROTO"},
    NamedOpcode{0x81, "NEWOBJ"},       NamedOpcode{0x82, "EXT1"},
    NamedOpcode{0x83, "EXT2"},         NamedOpcode{0x84, "EXT4"},
    NamedOpcode{0x85, "TUPLE1"},       NamedOpcode{0x86, "TUPLE2"},
    NamedOpcode{0x87, "TUPLE3"},       NamedOpcode{0x88, "NEWTRUE"},
    NamedOpcode{0x89, "NEWFALSE"},     NamedOpcode{0x8a, "LONG1"},
    NamedOpcode{0x8b, "LONG4"},        NamedOpcode{0x8c, "SHORT_BINUNICODE"},
    NamedOpcode{0x8d, "BINUNICODE8"},  NamedOpcode{0x8e, "BINBYTES8"},
    NamedOpcode{0x8f, "EMPTY_SET"},    NamedOpcode{0x90, "ADDITEMS"},
    NamedOpcode{0x91, "FROZENSET"},    NamedOpcode{0x92, "NEWOBJ_EX"},
    NamedOpcode{0x93, "STACK_GLOBAL"}, NamedOpcode{0x94, "MEMOIZE"},
    NamedOpcode{0x95, "FRAME"},        NamedOpcode{0x96, "BYTEARRAY8"},
    NamedOpcode{0x97, "NEXT_BUFFER"},  NamedOpcode{0x98, "READONLY_BUFFER"},
};

}  // namespace

std::string pickle_opcode_name(std::uint8_t opcode) {
  const auto found = std::ranges::find(named_opcodes, opcode, &NamedOpcode::opcode);
  if (found == named_opcodes.end()) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "0x%02x", static_cast<unsigned>(opcode));
    return std::string("the byte ") + text.data();
  }
  std::string name = "the opcode " + std::string(found->name);
  const bool is_letter = opcode > ' ' && opcode <= '~';
  return is_letter ? name + " ('" + static_cast<char>(opcode) + "')" : name;
}

std::string_view pickle_token_name(PickleTokenKind kind) {
  static constexpr std::array names =
      std::to_array<std::string_view>({"the mark before items",
                                       "the end of the pickle",
                                       "a protocol number",
                                       "None",
                                       "a boolean",
                                       "a whole number",
                                       "a whole number",
                                       "a float",
                                       "a text",
                                       "a dict",
                                       "a list",
                                       "a tuple",
                                       "the end of a list's items",
                                       "the end of a list's items",
                                       "the end of a dict's items",
                                       "the end of a dict's items",
                                       "a dict made of marked items",
                                       "a list made of marked items",
                                       "a tuple",
                                       "a tuple",
                                       "a reference",
                                       "the storing of a value in the memo",
                                       "the storing of a value in the memo"});
  static_assert(names.size() == static_cast<std::size_t>(PickleTokenKind::memoize) + 1);
  return names[static_cast<std::size_t>(kind)];
}

PickleTokens::PickleTokens(ByteSource& source, const std::string& file, std::size_t buffer_bytes)
    : source_(source),
      file_(file),
      buffer_(buffer_bytes + longest_short_token),
      at_(buffer_.data()),
      end_(buffer_.data()) {}

void PickleTokens::fail(const std::string& expected, const std::string& found) const {
  throw InputError({file_, "byte " + std::to_string(token_position()), expected, found});
}

void PickleTokens::fail_as_cut_off() const {
  throw InputError({file_, "byte " + std::to_string(position_of(end_)), "the rest of a pickle",
                    "the end of the file"});
}

void PickleTokens::refuse_opcode(std::uint8_t opcode) const {
  const std::uint64_t position = position_of(at_) - 1;
  throw InputError({file_, "byte " + std::to_string(position),
                    "plain data of pickle protocol 0 to 5", pickle_opcode_name(opcode)});
}

PickleToken PickleTokens::next() { return next_inline(); }

bool PickleTokens::fill(const char* kept_from) {
  if (source_ended_) return false;
  const std::ptrdiff_t dropped = kept_from - buffer_.data();
  const auto kept = static_cast<std::size_t>(end_ - kept_from);
  const std::ptrdiff_t at_offset = at_ - kept_from;
  std::memmove(buffer_.data(), kept_from, kept);
  buffer_position_ += static_cast<std::uint64_t>(dropped);
  token_offset_ -= dropped;
  // Only a long text fills the buffer; the text's bytes are really there, so growing is safe.
  if (kept + longest_short_token >= buffer_.size()) buffer_.resize(buffer_.size() * 2);
  const std::size_t got =
      source_.read(buffer_.data() + kept, buffer_.size() - longest_short_token - kept);
  source_ended_ = got == 0;
  at_ = buffer_.data() + at_offset;
  end_ = buffer_.data() + kept + got;
  // Decoding sees the same bytes behind the end in every run.
  std::fill_n(buffer_.data() + kept + got, longest_short_token, '\0');
  return !source_ended_;
}

void PickleTokens::need(std::uint64_t count) {
  // at_ may be behind the end, in the room for the longest short token.
  while (end_ - at_ < static_cast<std::ptrdiff_t>(count))
    if (!fill(token_start())) fail_as_cut_off();
}

PickleToken PickleTokens::next_near_end() {
  if (at_ > end_) fail_as_cut_off();
  while (end_ - at_ < longest_short_token && fill(at_)) {
  }
  if (at_ == end_) fail_as_cut_off();
  begin_token();
  if (end_ - at_ >= longest_short_token) return decode();
  const PickleToken token = decode();
  if (at_ > end_) fail_as_cut_off();
  return token;
}

void PickleTokens::pass_frames() {
  while (true) {
    while (end_ - at_ < longest_short_token && fill(at_)) {
    }
    if (at_ == end_ || static_cast<PickleOpcode>(*at_) != PickleOpcode::frame) return;
    constexpr std::ptrdiff_t frame_bytes = 1 + sizeof(std::uint64_t);
    if (end_ - at_ < frame_bytes) fail_as_cut_off();
    at_ += frame_bytes;
  }
}

PickleToken PickleTokens::decode_long(std::uint64_t length) {
  if (length > most_number_bytes)
    fail("a whole number of at most " + std::to_string(most_number_bytes) + " bytes",
         "one of " + std::to_string(length));
  need(length);
  if (length == 0) return {PickleTokenKind::whole, false, 0, {}};
  const std::string_view bytes = without_needless_bytes({at_, static_cast<std::size_t>(length)});
  at_ += length;
  std::uint64_t bits = 0;
  // A number without a sign has a byte for the sign above its 64 bits.
  const bool is_unsigned = bytes.size() == sizeof bits + 1 && bytes.back() == '\0';
  if (bytes.size() > sizeof bits && !is_unsigned)
    return {PickleTokenKind::long_whole, false, length, bytes};
  std::memcpy(&bits, bytes.data(), std::min(bytes.size(), sizeof bits));
  const bool is_negative = (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0;
  if (is_negative && bytes.size() < sizeof bits) bits |= ~std::uint64_t{0} << (8 * bytes.size());
  return {PickleTokenKind::whole, is_negative, bits, {}};
}

PickleToken PickleTokens::decode_text(std::uint64_t length) {
  if (at_ > end_) fail_as_cut_off();
  if (length > longest_text_bytes)
    fail("a text of at most " + std::to_string(longest_text_bytes) + " bytes",
         "one of " + std::to_string(length));
  need(length);
  const std::string_view text(at_, static_cast<std::size_t>(length));
  at_ += length;
  return {PickleTokenKind::text, false, length, text};
}

std::string_view PickleTokens::take_line() {
  if (at_ > end_) fail_as_cut_off();
  std::size_t looked_at = 0;
  while (true) {
    const std::string_view letters(at_, static_cast<std::size_t>(end_ - at_));
    const std::size_t line_end = letters.find('\n', looked_at);
    if (std::min(line_end, letters.size()) > longest_text_bytes)
      fail("a line of at most " + std::to_string(longest_text_bytes) + " bytes", "a longer one");
    if (line_end != std::string_view::npos) {
      at_ += line_end + 1;
      return letters.substr(0, line_end);
    }
    looked_at = letters.size();
    if (!fill(token_start())) fail_as_cut_off();
  }
}

PickleToken PickleTokens::decode_line(PickleOpcode opcode) {
  std::string_view line = take_line();
  switch (opcode) {
    case PickleOpcode::int_line:
      if (line == "00" || line == "01") return {PickleTokenKind::boolean, false, line == "01", {}};
      return whole_of_line(line);
    case PickleOpcode::long_line:
      if (line.ends_with('L')) line.remove_suffix(1);
      return whole_of_line(line);
    case PickleOpcode::float_line:
      return real_of_line(line);
    case PickleOpcode::unicode_line:
      return text_of_line(line);
    case PickleOpcode::get_line:
      return place_of_line(PickleTokenKind::get, line);
    default:
      return place_of_line(PickleTokenKind::put, line);
  }
}

PickleToken PickleTokens::whole_of_line(std::string_view line) {
  const bool has_minus = line.starts_with('-');
  const std::string_view digits = line.substr(has_minus ? 1 : 0);
  const bool are_digits = !digits.empty() && std::ranges::all_of(digits, is_digit);
  if (!are_digits || digits.size() > most_number_digits)
    fail("a whole number of at most " + std::to_string(most_number_digits) + " digits",
         are_digits ? "one of " + std::to_string(digits.size()) : "other letters");
  constexpr std::uint64_t most_below_zero = std::uint64_t{1} << 63;
  const auto number = whole_number(digits);
  if (number && (!has_minus || *number <= most_below_zero))
    return {
        PickleTokenKind::whole, has_minus && *number != 0, has_minus ? ~*number + 1 : *number, {}};
  line_ = bytes_of_decimal(line);
  return {PickleTokenKind::long_whole, has_minus, line_.size(), line_};
}

PickleToken PickleTokens::real_of_line(std::string_view line) {
  double number = 0;
  const char* const end = line.data() + line.size();
  const auto [stop, error] = read_real(line.data(), end, number);
  if (error != std::errc() || stop != end) fail("a number", "other letters");
  return {PickleTokenKind::real, false, std::bit_cast<std::uint64_t>(number), {}};
}

PickleToken PickleTokens::text_of_line(std::string_view line) {
  decode_python_letters(line, line_);
  return {PickleTokenKind::text, false, line_.size(), line_};
}

PickleToken PickleTokens::place_of_line(PickleTokenKind kind, std::string_view line) {
  const auto place = whole_number(line);
  if (!place) fail("the number of a place in the memo", "other letters");
  return {kind, false, *place, {}};
}

}  // namespace vramlab::traces
