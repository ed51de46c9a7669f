// PickleTokens: the opcodes of a pickle (protocols 0 to 5), one after another, out of one buffer.
// It decodes arguments and passes over FRAME; it runs nothing, and refuses by name and position
// every opcode that is not plain data. The meaning of opcodes together is for its users, but for
// MARK with DICT, LIST or TUPLE right behind it: protocol 0 spells what is empty so.
//
// A text in a token is valid until the next token is asked for.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "traces/io/byte_source.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

/// The opcodes of plain data. All others run code, make classes or hold texts of Python 2.
enum class PickleOpcode : std::uint8_t {
  mark = '(',
  empty_tuple = ')',
  stop = '.',
  float_line = 'F',
  binfloat = 'G',
  int_line = 'I',
  binint = 'J',
  binint1 = 'K',
  long_line = 'L',
  binint2 = 'M',
  none = 'N',
  unicode_line = 'V',
  binunicode = 'X',
  empty_list = ']',
  append = 'a',
  dict = 'd',
  appends = 'e',
  get_line = 'g',
  binget = 'h',
  long_binget = 'j',
  list = 'l',
  put_line = 'p',
  binput = 'q',
  long_binput = 'r',
  setitem = 's',
  tuple = 't',
  setitems = 'u',
  empty_dict = '}',
  proto = 0x80,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  newtrue = 0x88,
  newfalse = 0x89,
  long1 = 0x8a,
  long4 = 0x8b,
  short_binunicode = 0x8c,
  binunicode8 = 0x8d,
  memoize = 0x94,
  frame = 0x95,
};

/// Such as `REDUCE ('R')`, also for opcodes that are refused; `the byte 0xfe` for a byte that is
/// none.
std::string pickle_opcode_name(std::uint8_t opcode);

enum class PickleTokenKind : std::uint8_t {
  mark,
  stop,
  proto,
  none,
  boolean,
  whole,
  /// A number of more than 64 bits: `text` has its bytes, in two's complement.
  long_whole,
  real,
  text,
  empty_dict,
  empty_list,
  empty_tuple,
  append,
  appends,
  setitem,
  setitems,
  /// DICT, LIST and TUPLE take all values above the mark.
  dict,
  list,
  tuple,
  /// Takes as many values as `number` says.
  small_tuple,
  /// `number` is the place in the memo.
  get,
  put,
  memoize,
};

struct PickleToken {
  PickleTokenKind kind = PickleTokenKind::stop;
  /// The sign of a whole number.
  bool is_negative = false;
  /// The 64 bits of a whole number or a float, or an argument.
  std::uint64_t number = 0;
  std::string_view text;

  double real() const { return std::bit_cast<double>(number); }
};

/// Such as `a text`, for messages.
std::string_view pickle_token_name(PickleTokenKind kind);

class PickleTokens {
 public:
  static constexpr std::size_t default_buffer_bytes = std::size_t{1} << 18;
  static constexpr std::uint64_t longest_text_bytes = std::uint64_t{64} << 20;

  /// Both must outlive it.
  PickleTokens(ByteSource& source, const std::string& file,
               std::size_t buffer_bytes = default_buffer_bytes);

  PickleToken next();
  /// The same, compiled into its caller: for the few loops that take nearly all tokens.
  [[gnu::always_inline]] PickleToken next_inline() {
    if (end_ - at_ < longest_short_token) [[unlikely]]
      return next_near_end();
    begin_token();
    return decode();
  }

  /// Takes references as long as `on_index` accepts the place in the memo by saying true.
  template <typename OnIndex>
  void take_references(const OnIndex& on_index) {
    while (end_ - at_ >= longest_short_token) {
      const char* const start = at_;
      std::uint64_t index = 0;
      if (static_cast<PickleOpcode>(*at_) == PickleOpcode::binget) {
        ++at_;
        index = take<std::uint8_t>();
      } else if (static_cast<PickleOpcode>(*at_) == PickleOpcode::long_binget) {
        ++at_;
        index = take<std::uint32_t>();
      } else {
        return;
      }
      if (!on_index(index)) {
        at_ = start;
        return;
      }
    }
  }

  /// The opcode that next() begins with, FRAME passed over; STOP at the end of the file.
  PickleOpcode peek() {
    if (end_ - at_ < longest_short_token || static_cast<PickleOpcode>(*at_) == PickleOpcode::frame)
        [[unlikely]]
      pass_frames();
    return static_cast<PickleOpcode>(*at_);
  }

  /// The same, or the opcode behind a mark that comes next; EMPTY_LIST also as protocol 0 spells
  /// it.
  PickleOpcode peek_behind_mark() {
    const PickleOpcode first = peek();
    if (first != PickleOpcode::mark) return first;
    const auto behind = static_cast<PickleOpcode>(at_[1]);
    return behind == PickleOpcode::list ? PickleOpcode::empty_list : behind;
  }

  /// Takes the opcode that peek() showed, which has no argument. The last token stays the same.
  void take_peeked() { ++at_; }
  /// The bytes from the next token on; null where fewer than `count` are in the buffer.
  const char* look_ahead(std::size_t count) const {
    return end_ - at_ < static_cast<std::ptrdiff_t>(count) ? nullptr : at_;
  }
  /// Goes on at `place`, which is in the bytes of look_ahead() and behind a whole token.
  void pass_to(const char* place) {
    token_offset_ = place - buffer_.data() - 1;
    at_ = place;
  }
  /// The bytes of the last token.
  std::string_view token_bytes() const {
    return {token_start(), static_cast<std::size_t>(at_ - token_start())};
  }
  /// next() gives the last token once more. Requires: nothing was peeked at since.
  void push_back() { at_ = buffer_.data() + token_offset_; }

  /// The position of the last token's first byte.
  std::uint64_t token_position() const {
    return buffer_position_ + static_cast<std::uint64_t>(token_offset_);
  }
  std::uint64_t bytes_taken() const { return position_of(at_); }
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;

 private:
  static constexpr std::ptrdiff_t longest_short_token = 16;

  // Each opcode is a case: long, but flat. NOLINTNEXTLINE(readability-function-size)
  [[gnu::always_inline]] PickleToken decode() {
    using Kind = PickleTokenKind;
    while (true) {
      const auto opcode = static_cast<std::uint8_t>(*at_++);
      switch (static_cast<PickleOpcode>(opcode)) {
        case PickleOpcode::binget:
          return {Kind::get, false, take<std::uint8_t>(), {}};
        case PickleOpcode::long_binget:
          return {Kind::get, false, take<std::uint32_t>(), {}};
        case PickleOpcode::binint1:
          return {Kind::whole, false, take<std::uint8_t>(), {}};
        case PickleOpcode::binint2:
          return {Kind::whole, false, take<std::uint16_t>(), {}};
        case PickleOpcode::binint: {
          const std::int64_t number = take<std::int32_t>();
          return {Kind::whole, number < 0, static_cast<std::uint64_t>(number), {}};
        }
        case PickleOpcode::long1: {
          const auto length = take<std::uint8_t>();
          if (length == 0 || length > sizeof(std::uint64_t)) return decode_long(length);
          // Takes eight bytes in any case and shifts out the bytes of the next token.
          const unsigned foreign_bits = 64U - 8U * length;
          const auto number =
              static_cast<std::int64_t>(take<std::uint64_t>() << foreign_bits) >> foreign_bits;
          at_ -= sizeof(std::uint64_t) - length;
          return {Kind::whole, number < 0, static_cast<std::uint64_t>(number), {}};
        }
        case PickleOpcode::long4:
          return decode_long(take<std::uint32_t>());
        case PickleOpcode::binfloat: {
          const auto reversed = take<std::uint64_t>();
          return {Kind::real, false, __builtin_bswap64(reversed), {}};
        }
        case PickleOpcode::mark:
          return decode_mark();
        case PickleOpcode::memoize:
          return {Kind::memoize, false, 0, {}};
        case PickleOpcode::binput:
          return {Kind::put, false, take<std::uint8_t>(), {}};
        case PickleOpcode::long_binput:
          return {Kind::put, false, take<std::uint32_t>(), {}};
        case PickleOpcode::empty_dict:
          return {Kind::empty_dict, false, 0, {}};
        case PickleOpcode::empty_list:
          return {Kind::empty_list, false, 0, {}};
        case PickleOpcode::empty_tuple:
          return {Kind::empty_tuple, false, 0, {}};
        case PickleOpcode::append:
          return {Kind::append, false, 0, {}};
        case PickleOpcode::appends:
          return {Kind::appends, false, 0, {}};
        case PickleOpcode::setitem:
          return {Kind::setitem, false, 0, {}};
        case PickleOpcode::setitems:
          return {Kind::setitems, false, 0, {}};
        case PickleOpcode::dict:
          return {Kind::dict, false, 0, {}};
        case PickleOpcode::list:
          return {Kind::list, false, 0, {}};
        case PickleOpcode::tuple:
          return {Kind::tuple, false, 0, {}};
        case PickleOpcode::tuple1:
        case PickleOpcode::tuple2:
        case PickleOpcode::tuple3:
          return {Kind::small_tuple,
                  false,
                  1U + opcode - static_cast<std::uint8_t>(PickleOpcode::tuple1),
                  {}};
        case PickleOpcode::none:
          return {Kind::none, false, 0, {}};
        case PickleOpcode::newtrue:
          return {Kind::boolean, false, 1, {}};
        case PickleOpcode::newfalse:
          return {Kind::boolean, false, 0, {}};
        case PickleOpcode::short_binunicode:
          return decode_text(take<std::uint8_t>());
        case PickleOpcode::binunicode:
          return decode_text(take<std::uint32_t>());
        case PickleOpcode::binunicode8:
          return decode_text(take<std::uint64_t>());
        case PickleOpcode::int_line:
        case PickleOpcode::long_line:
        case PickleOpcode::float_line:
        case PickleOpcode::unicode_line:
        case PickleOpcode::get_line:
        case PickleOpcode::put_line:
          return decode_line(static_cast<PickleOpcode>(opcode));
        case PickleOpcode::proto:
          return {Kind::proto, false, take<std::uint8_t>(), {}};
        case PickleOpcode::stop:
          return {Kind::stop, false, 0, {}};
        case PickleOpcode::frame:
          // FRAME only says how much to read at once.
          at_ += sizeof(std::uint64_t);
          return next_near_end();
      }
      refuse_opcode(opcode);
    }
  }

  /// The bytes behind the mark can be looked at, as the buffer has room for the longest short
  /// token.
  PickleToken decode_mark() {
    const auto behind = static_cast<PickleOpcode>(*at_);
    const PickleTokenKind empty = behind == PickleOpcode::dict    ? PickleTokenKind::empty_dict
                                  : behind == PickleOpcode::list  ? PickleTokenKind::empty_list
                                  : behind == PickleOpcode::tuple ? PickleTokenKind::empty_tuple
                                                                  : PickleTokenKind::mark;
    if (empty != PickleTokenKind::mark) ++at_;
    return {empty, false, 0, {}};
  }

  PickleToken next_near_end();
  void pass_frames();
  PickleToken decode_long(std::uint64_t length);
  PickleToken decode_text(std::uint64_t length);
  // The opcodes of protocols 0 and 1 whose argument is a line of letters.
  PickleToken decode_line(PickleOpcode opcode);
  std::string_view take_line();
  PickleToken whole_of_line(std::string_view line);
  PickleToken real_of_line(std::string_view line);
  PickleToken text_of_line(std::string_view line);
  PickleToken place_of_line(PickleTokenKind kind, std::string_view line);
  /// Gets `count` bytes from at_ on into the buffer, or fails as cut off.
  void need(std::uint64_t count);
  /// Gets more bytes and drops the bytes before `kept_from`. True if there are more now.
  bool fill(const char* kept_from);
  const char* token_start() const { return buffer_.data() + token_offset_; }
  void begin_token() { token_offset_ = at_ - buffer_.data(); }
  [[noreturn]] void refuse_opcode(std::uint8_t opcode) const;
  [[noreturn]] void fail_as_cut_off() const;
  std::uint64_t position_of(const char* place) const {
    return buffer_position_ + static_cast<std::uint64_t>(place - buffer_.data());
  }

  template <typename Number>
  Number take() {
    static_assert(std::endian::native == std::endian::little);
    Number number{};
    std::memcpy(&number, at_, sizeof number);
    at_ += sizeof number;
    return number;
  }

  ByteSource& source_;
  const std::string& file_;
  /// Has room for the longest short token behind the last byte, so decoding may look there.
  std::vector<char> buffer_;
  /// The position of the buffer's first byte in the input.
  std::uint64_t buffer_position_ = 0;
  const char* at_;
  const char* end_;
  /// From the buffer's begin; below 0 once the last token's bytes were dropped, so that errors can
  /// still name its place.
  std::ptrdiff_t token_offset_ = 0;
  bool source_ended_ = false;
  /// The decoded argument of a line that is not spelled as it is meant.
  std::string line_;
};

}  // namespace vramlab::traces
