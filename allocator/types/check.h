// Ground that every folder stands on. check(): our own mistakes stop at once, in every build, with
// a sentence that says what must hold. as_index(), as_limit(): a number of 64 bits as an index or a
// size in memory, which may have 32. Interface: the base of classes with virtual functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace vramlab {

[[noreturn]] void check_failed(const char* sentence, const char* file, int line);

constexpr void check(bool holds, const char* sentence, const char* file = __builtin_FILE(),
                     int line = __builtin_LINE()) {
  if (!holds) [[unlikely]]
    check_failed(sentence, file, line);
}

/// Requires: the number counts things that fit into memory.
constexpr std::size_t as_index(std::uint64_t number) {
  if constexpr (sizeof(std::size_t) < sizeof(number))
    check(number <= std::numeric_limits<std::size_t>::max(), "an index fits into memory");
  return static_cast<std::size_t>(number);
}

/// A bound on a count; a bound that no count can reach is as good as none.
constexpr std::size_t as_limit(std::uint64_t number) {
  constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(number < most ? number : most);
}

/// The base of classes that are called through virtual functions. It is never copied.
class Interface {
 public:
  Interface() = default;
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;
  virtual ~Interface() = default;
};

}  // namespace vramlab
