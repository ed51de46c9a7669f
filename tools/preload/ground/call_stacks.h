// CallStacks: the places in the program that calls came from, as numbered stacks. A frame is a
// place in a library: the function where the library's own symbol table names it, and the offset,
// which a debugger's tools turn into a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace vramlab::preload {

using ReturnAddresses = std::vector<std::uintptr_t>;

/// Takes the addresses from the caller of our function outwards, at most 64. It takes no lock that
/// the program may hold.
void take_call_stack(ReturnAddresses& addresses);
/// The same by the compiler's own unwinder, for the frames that have no rule (unwind_rules.h).
void take_call_stack_slowly(ReturnAddresses& addresses);

/// The loader's answer about an address.
struct CodePlace {
  std::string function = "?";
  std::string file = "?";
  std::uintptr_t offset = 0;
};
using CodePlaces = std::map<std::uintptr_t, CodePlace>;

/// Takes the loader's lock, which the program holds while a library's constructor runs. Requires:
/// no lock of ours is held.
CodePlaces find_places(const ReturnAddresses& addresses);

struct HashOfAddresses {
  std::size_t operator()(const ReturnAddresses& addresses) const;
};

class CallStacks {
 public:
  /// The number of a stack that came before; else 0.
  std::uint32_t known_number_of(const ReturnAddresses& addresses) const;
  /// The addresses that find_places() was not asked about yet.
  ReturnAddresses unknown_of(const ReturnAddresses& addresses) const;
  /// The number of the stack, from 1 on; 0 if it is empty. Requires: `places` has the unknown ones.
  std::uint32_t number_of(const ReturnAddresses& addresses, const CodePlaces& places);

  /// The frames by their numbers, which begin with 1.
  const std::vector<CodePlace>& frames() const { return frames_; }
  /// Each stack as numbers of frames.
  const std::vector<std::vector<std::uint32_t>>& stacks() const { return stacks_; }

 private:
  std::uint32_t frame_of(std::uintptr_t address, const CodePlaces& places);

  std::unordered_map<std::uintptr_t, std::uint32_t> frame_numbers_;
  std::unordered_map<ReturnAddresses, std::uint32_t, HashOfAddresses> stack_numbers_;
  std::vector<CodePlace> frames_;
  std::vector<std::vector<std::uint32_t>> stacks_;
};

}  // namespace vramlab::preload
