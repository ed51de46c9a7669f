// UnwindRule: how to get from one frame of a call stack to that of its caller, for one place of
// code on x86-64. The rules stand in the code's call frame information (.eh_frame, as the Linux
// Standard Base and DWARF describe it), which compilers write for every function. To read them for
// each frame of each stack costs more than all the rest of a recorded event, so they are read once
// for each place. Rules that are not of the usual form are left to the compiler's own unwinder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace vramlab::preload {

struct UnwindRule {
  enum class Base : std::uint8_t { stack_pointer, frame_pointer, outermost };

  Base base = Base::stack_pointer;
  /// From the base register to the end of the frame, right above the return address.
  std::uint32_t frame_bytes = 0;
  /// The caller's frame pointer lies so far below that end; 0 where it is still in its register.
  std::uint32_t saved_frame_pointer = 0;

  friend bool operator==(const UnwindRule&, const UnwindRule&) = default;
};

/// The rule at this place of a function that begins at `begin`; empty where it has another form.
/// Requires: the entry is that of the function, and is whole.
std::optional<UnwindRule> rule_of_entry(const void* frame_entry, std::uintptr_t begin,
                                        std::uintptr_t place);

/// The rule at a place of the program, by its own libraries. It takes no lock where the C library
/// is of 2021 or later (2.35).
std::optional<UnwindRule> rule_at(std::uintptr_t place);

/// The registers of one frame while it calls: a place within its call, not behind it.
struct FrameRegisters {
  std::uintptr_t place = 0;
  std::uintptr_t stack_pointer = 0;
  std::uintptr_t frame_pointer = 0;
};

/// The addresses of one thread's stack.
struct StackRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// The caller's frame; empty where the rule does not lead further up this stack. Nothing else is
/// read. Requires: the frame is not the outermost one.
std::optional<FrameRegisters> caller_of(const FrameRegisters& frame, const UnwindRule& rule,
                                        const StackRange& stack);

}  // namespace vramlab::preload
