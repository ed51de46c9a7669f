#include "tools/preload/ground/unwind_rules.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

// The compiler's own search for the entry of a place. It is part of what is linked into the
// preload, and its result is described nowhere else.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the compiler's names.
struct dwarf_eh_bases {
  void* text;
  void* data;
  void* function;
};
const void* _Unwind_Find_FDE(void* place, dwarf_eh_bases* bases);
// NOLINTEND(readability-identifier-naming)
}

namespace vramlab::preload {
namespace {

using Register = std::uint64_t;
constexpr Register frame_pointer = 6;
constexpr Register stack_pointer = 7;
constexpr Register return_address = 16;
constexpr std::int64_t word = 8;

/// Bytes of an entry. Whoever reads beyond its end gets zeros.
class EntryBytes {
 public:
  EntryBytes(const std::uint8_t* begin, const std::uint8_t* end) : at_(begin), end_(end) {}

  bool is_at_end() const { return at_ >= end_; }
  const std::uint8_t* place() const { return at_; }
  const std::uint8_t* end() const { return end_; }
  void skip(std::uint64_t bytes) { at_ = bytes > left() ? end_ : at_ + bytes; }

  template <class Number>
  Number take() {
    Number number{};
    if (sizeof number <= left()) std::memcpy(&number, at_, sizeof number);
    skip(sizeof number);
    return number;
  }
  /// A number in groups of seven bits, the lowest first.
  std::uint64_t unsigned_number() { return groups().number; }
  std::int64_t signed_number() {
    const Groups read = groups();
    if (!read.is_negative || read.bits >= 64) return static_cast<std::int64_t>(read.number);
    return static_cast<std::int64_t>(read.number | (~std::uint64_t{0} << read.bits));
  }
  std::string_view text() {
    const std::string_view rest(reinterpret_cast<const char*>(at_), left());
    const std::string_view found = rest.substr(0, rest.find('\0'));
    skip(found.size() + 1);
    return found;
  }

 private:
  struct Groups {
    std::uint64_t number = 0;
    unsigned bits = 0;
    bool is_negative = false;
  };

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  Groups groups() {
    Groups read;
    for (std::uint8_t group = 0x80; (group & 0x80U) != 0 && !is_at_end();) {
      group = take<std::uint8_t>();
      if (read.bits < 64) read.number |= std::uint64_t{group & 0x7fU} << read.bits;
      read.bits += 7;
      read.is_negative = (group & 0x40U) != 0;
    }
    return read;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

/// The bytes behind an entry's length; empty for the long form, which nobody writes here.
EntryBytes entry_at(const std::uint8_t* at) {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  constexpr std::uint32_t is_long = 0xffffffff;
  return {at + sizeof bytes, at + sizeof bytes + (bytes == is_long ? 0 : bytes)};
}

/// Everything that the entries of several functions have in common.
struct Common {
  std::uint64_t code_unit = 1;
  std::int64_t data_unit = 1;
  /// The bytes of the places in a function's entry.
  std::uint64_t place_bytes = 0;
  EntryBytes program;
};

/// The size of a pointer in this encoding; 0 for one of another form.
std::uint64_t bytes_of_encoding(std::uint8_t encoding) {
  constexpr std::array<std::uint8_t, 16> bytes = {8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8, 0, 0, 0};
  return bytes[encoding & 0xfU];
}

std::optional<Common> common_of(const std::uint8_t* at) {
  EntryBytes entry = entry_at(at);
  entry.skip(4);
  const auto version = entry.take<std::uint8_t>();
  const std::string_view letters = entry.text();
  if ((version != 1 && version != 3) || !letters.starts_with('z')) return std::nullopt;
  Common common{.program = entry};
  common.code_unit = entry.unsigned_number();
  common.data_unit = entry.signed_number();
  const Register holds_return = version == 1 ? entry.take<std::uint8_t>() : entry.unsigned_number();
  const std::uint64_t more_bytes = entry.unsigned_number();
  EntryBytes more(entry.place(), entry.end());
  entry.skip(more_bytes);
  common.program = entry;
  std::uint8_t encoding = 0;
  for (const char letter : letters.substr(1)) {
    if (letter == 'R')
      encoding = more.take<std::uint8_t>();
    else if (letter == 'L')
      more.skip(1);
    else if (letter == 'P')
      more.skip(bytes_of_encoding(more.take<std::uint8_t>()));
    else
      return std::nullopt;  // A signal's frame, for one, is told by S.
  }
  common.place_bytes = bytes_of_encoding(encoding);
  if (holds_return != return_address || common.place_bytes == 0) return std::nullopt;
  return common;
}

/// The rows of the table that the instructions of an entry write, up to one place.
class RuleProgram {
 public:
  RuleProgram(const Common& common, std::uint64_t offset) : common_(common), left_(offset) {}

  /// False where an instruction is of no form that is known here.
  bool run(EntryBytes bytes) {
    while (!bytes.is_at_end() && !is_past_) {
      const auto code = bytes.take<std::uint8_t>();
      const std::uint8_t low = code & 0x3fU;
      switch (code >> 6U) {
        case 1:
          advance(low);
          break;
        case 2:
          save(low, static_cast<std::int64_t>(bytes.unsigned_number()) * common_.data_unit);
          break;
        case 3:
          restore(low);
          break;
        default:
          if (!run_longer(low, bytes)) return false;
      }
    }
    return true;
  }
  void keep_as_initial() { initial_ = now_; }
  std::optional<UnwindRule> rule() const {
    if (now_.is_outermost) return UnwindRule{UnwindRule::Base::outermost, 0, 0};
    const bool is_usual = now_.is_known && now_.return_at == -word && now_.offset >= word &&
                          now_.offset < 1 << 20 && now_.frame_pointer_at <= 0 &&
                          now_.frame_pointer_at > -(1 << 16) &&
                          (now_.base == stack_pointer || now_.base == frame_pointer);
    if (!is_usual) return std::nullopt;
    return UnwindRule{now_.base == stack_pointer ? UnwindRule::Base::stack_pointer
                                                 : UnwindRule::Base::frame_pointer,
                      static_cast<std::uint32_t>(now_.offset),
                      static_cast<std::uint32_t>(-now_.frame_pointer_at)};
  }

 private:
  struct Row {
    Register base = 0;
    std::int64_t offset = 0;
    /// From the end of the frame; 0 where the register has not been saved.
    std::int64_t return_at = 0;
    std::int64_t frame_pointer_at = 0;
    bool is_outermost = false;
    bool is_known = true;
  };

  void advance(std::uint64_t units) {
    const std::uint64_t bytes = units * common_.code_unit;
    is_past_ = bytes > left_;
    left_ -= is_past_ ? 0 : bytes;
  }
  void save(Register which, std::int64_t at) {
    if (which == frame_pointer) now_.frame_pointer_at = at;
    if (which == return_address) now_.return_at = at;
  }
  void restore(Register which) {
    if (which == frame_pointer) now_.frame_pointer_at = initial_.frame_pointer_at;
    if (which == return_address) now_.return_at = initial_.return_at;
  }
  /// A register that is saved in a way that rules do not know.
  void lose(Register which) {
    if (which == frame_pointer || which == return_address) now_.is_known = false;
  }
  void define(Register base, std::int64_t offset) {
    now_.base = base;
    now_.offset = offset;
  }

  bool run_longer(std::uint8_t code, EntryBytes& bytes);
  bool run_saves(std::uint8_t code, EntryBytes& bytes);

  const Common& common_;
  std::uint64_t left_;
  bool is_past_ = false;
  Row now_;
  Row initial_;
  std::array<Row, 8> remembered_{};
  std::size_t remembered_count_ = 0;
};

/// Instructions about the place and about the frame as a whole.
bool RuleProgram::run_longer(std::uint8_t code, EntryBytes& bytes) {
  switch (code) {
    case 0x00:  // nothing
      return true;
    case 0x02:  // advance by a number of 1, 2 or 4 bytes
      return advance(bytes.take<std::uint8_t>()), true;
    case 0x03:
      return advance(bytes.take<std::uint16_t>()), true;
    case 0x04:
      return advance(bytes.take<std::uint32_t>()), true;
    case 0x0a:  // remember the row, and go back to it
      if (remembered_count_ == remembered_.size()) return false;
      remembered_[remembered_count_++] = now_;
      return true;
    case 0x0b:
      if (remembered_count_ == 0) return false;
      now_ = remembered_[--remembered_count_];
      return true;
    case 0x0c: {  // the base register and the offset, or one of them
      const Register base = bytes.unsigned_number();
      return define(base, static_cast<std::int64_t>(bytes.unsigned_number())), true;
    }
    case 0x0d:
      return define(bytes.unsigned_number(), now_.offset), true;
    case 0x0e:
      return define(now_.base, static_cast<std::int64_t>(bytes.unsigned_number())), true;
    case 0x12: {  // the same with numbers in units
      const Register base = bytes.unsigned_number();
      return define(base, bytes.signed_number() * common_.data_unit), true;
    }
    case 0x13:
      return define(now_.base, bytes.signed_number() * common_.data_unit), true;
    case 0x2e:  // bytes of arguments
      return bytes.unsigned_number(), true;
    default:
      return run_saves(code, bytes);
  }
}

/// Instructions about one register.
bool RuleProgram::run_saves(std::uint8_t code, EntryBytes& bytes) {
  const Register which = bytes.unsigned_number();
  switch (code) {
    case 0x05:  // saved at an offset, as it was at first, never changed
      save(which, static_cast<std::int64_t>(bytes.unsigned_number()) * common_.data_unit);
      return true;
    case 0x06:
      restore(which);
      return true;
    case 0x08:
      save(which, 0);
      return true;
    case 0x07:  // undefined: the return address of the outermost frame is so
      if (which == return_address) now_.is_outermost = true;
      if (which == frame_pointer) save(which, 0);
      return true;
    case 0x11:
      save(which, bytes.signed_number() * common_.data_unit);
      return true;
    case 0x09:  // in another register, or the value itself
    case 0x14:
      bytes.unsigned_number();
      return lose(which), true;
    case 0x15:
      bytes.signed_number();
      return lose(which), true;
    case 0x10:  // told by an expression
    case 0x16:
      bytes.skip(bytes.unsigned_number());
      return lose(which), true;
    default:
      return false;
  }
}

}  // namespace

std::optional<UnwindRule> rule_of_entry(const void* frame_entry, std::uintptr_t begin,
                                        std::uintptr_t place) {
  const auto* const at = static_cast<const std::uint8_t*>(frame_entry);
  EntryBytes entry = entry_at(at);
  if (place < begin || entry.is_at_end()) return std::nullopt;
  // The distance back to what it has in common with others, from where this is told.
  const std::uint8_t* const told_at = entry.place();
  const std::optional<Common> common = common_of(told_at - entry.take<std::int32_t>());
  if (!common) return std::nullopt;
  entry.skip(2 * common->place_bytes);
  entry.skip(entry.unsigned_number());
  RuleProgram program(*common, place - begin);
  if (!program.run(common->program)) return std::nullopt;
  program.keep_as_initial();
  if (!program.run(entry)) return std::nullopt;
  return program.rule();
}

std::optional<UnwindRule> rule_at(std::uintptr_t place) {
  dwarf_eh_bases bases{};
  const void* const entry = _Unwind_Find_FDE(reinterpret_cast<void*>(place), &bases);
  if (entry == nullptr) return std::nullopt;
  return rule_of_entry(entry, reinterpret_cast<std::uintptr_t>(bases.function), place);
}

namespace {

std::uintptr_t word_at(std::uintptr_t place) {
  std::uintptr_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(place), sizeof value);
  return value;
}

}  // namespace

std::optional<FrameRegisters> caller_of(const FrameRegisters& frame, const UnwindRule& rule,
                                        const StackRange& stack) {
  const std::uintptr_t base =
      rule.base == UnwindRule::Base::stack_pointer ? frame.stack_pointer : frame.frame_pointer;
  const std::uintptr_t end = base + rule.frame_bytes;
  const std::uintptr_t lowest =
      end - std::max<std::uintptr_t>(rule.saved_frame_pointer, sizeof(std::uintptr_t));
  if (end <= frame.stack_pointer || end > stack.end || lowest < stack.begin || lowest > end)
    return std::nullopt;
  return FrameRegisters{word_at(end - sizeof(std::uintptr_t)) - 1, end,
                        rule.saved_frame_pointer == 0 ? frame.frame_pointer
                                                      : word_at(end - rule.saved_frame_pointer)};
}

}  // namespace vramlab::preload
