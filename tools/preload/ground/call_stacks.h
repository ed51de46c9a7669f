// CallStacks: where in the program a call came from, as numbered stacks. A frame is a place in a
// library: the function where the library's own symbol table names it, and the offset, which a
// debugger's tools turn into a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace vramlab::preload {

using ReturnAddresses = std::vector<std::uintptr_t>;

/// From the caller of our function outwards, at most 64. Takes no lock that the program may hold.
void take_call_stack(ReturnAddresses& addresses);

/// What the loader says of an address.
struct CodePlace {
  std::string function = "?";
  std::string file = "?";
  std::uintptr_t offset = 0;
};
using CodePlaces = std::map<std::uintptr_t, CodePlace>;

/// Takes the loader's lock. It is the program's while a library's constructor runs, so this
/// requires that no lock of ours is held.
CodePlaces find_places(const ReturnAddresses& addresses);

class CallStacks {
 public:
  /// Those that find_places() is still to be asked about.
  ReturnAddresses unknown_of(const ReturnAddresses& addresses) const;
  /// The number of the stack, from 1 on; 0 if it is empty. Requires: `places` has what was unknown.
  std::uint32_t number_of(const ReturnAddresses& addresses, const CodePlaces& places);

  /// By their numbers, which begin with 1.
  const std::vector<CodePlace>& frames() const { return frames_; }
  /// As numbers of frames.
  const std::vector<std::vector<std::uint32_t>>& stacks() const { return stacks_; }

 private:
  std::uint32_t frame_of(std::uintptr_t address, const CodePlaces& places);

  std::unordered_map<std::uintptr_t, std::uint32_t> frame_numbers_;
  std::map<ReturnAddresses, std::uint32_t> stack_numbers_;
  std::vector<CodePlace> frames_;
  std::vector<std::vector<std::uint32_t>> stacks_;
};

}  // namespace vramlab::preload
