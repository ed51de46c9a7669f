// The opcodes of Python's pickle format (protocols 0 to 5): their names, for messages, and the ones
// that the reader understands.
#pragma once

#include <cstdint>
#include <string>

namespace vramlab::traces {

/// The opcodes of plain data. All others run code, make classes or belong to protocols 0 and 1.
enum class PickleOpcode : std::uint8_t {
  mark = '(',
  empty_tuple = ')',
  stop = '.',
  binfloat = 'G',
  binint = 'J',
  binint1 = 'K',
  binint2 = 'M',
  none = 'N',
  binunicode = 'X',
  empty_list = ']',
  append = 'a',
  dict = 'd',
  appends = 'e',
  binget = 'h',
  long_binget = 'j',
  list = 'l',
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

/// Such as `REDUCE ('R')`, also of opcodes that are refused; `the byte 0xfe` where there is none.
std::string pickle_opcode_name(std::uint8_t opcode);

}  // namespace vramlab::traces
