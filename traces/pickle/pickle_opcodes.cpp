#include "traces/pickle/pickle_opcodes.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

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

}  // namespace vramlab::traces
