// check(): our own mistakes stop at once, in every build, with a sentence that says what must hold.
#pragma once

namespace vramlab {

[[noreturn]] void check_failed(const char* sentence, const char* file, int line);

constexpr void check(bool holds, const char* sentence, const char* file = __builtin_FILE(),
                     int line = __builtin_LINE()) {
  if (!holds) [[unlikely]]
    check_failed(sentence, file, line);
}

}  // namespace vramlab
