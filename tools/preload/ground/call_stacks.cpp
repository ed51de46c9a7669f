#include "tools/preload/ground/call_stacks.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include <cstdlib>
#include <memory>
#include <utility>

// Our own code begins and ends here. Its frames are no part of a program's stack.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the linker's names.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));
// NOLINTEND(readability-identifier-naming)
}

namespace vramlab::preload {
namespace {

constexpr std::size_t deepest_stack = 64;

bool is_our_own(std::uintptr_t address) {
  return address >= reinterpret_cast<std::uintptr_t>(&__ehdr_start[0]) &&
         address < reinterpret_cast<std::uintptr_t>(&etext[0]);
}

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* addresses) {
  auto& taken = *static_cast<ReturnAddresses*>(addresses);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || taken.size() == deepest_stack) return _URC_END_OF_STACK;
  // The call is the instruction before the return address.
  if (!is_our_own(address)) taken.push_back(address - 1);
  return _URC_NO_REASON;
}

std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : symbol;
}

}  // namespace

void take_call_stack(ReturnAddresses& addresses) {
  addresses.clear();
  _Unwind_Backtrace(add_frame, &addresses);
}

CodePlaces find_places(const ReturnAddresses& addresses) {
  CodePlaces places;
  for (const std::uintptr_t address : addresses) {
    CodePlace& place = places[address];
    Dl_info info{};
    const bool found = dladdr(reinterpret_cast<const void*>(address), &info) != 0;
    place.offset = address - (found ? reinterpret_cast<std::uintptr_t>(info.dli_fbase) : 0);
    if (found && info.dli_sname != nullptr) place.function = readable(info.dli_sname);
    if (found && info.dli_fname != nullptr) place.file = info.dli_fname;
  }
  return places;
}

ReturnAddresses CallStacks::unknown_of(const ReturnAddresses& addresses) const {
  ReturnAddresses unknown;
  for (const std::uintptr_t address : addresses)
    if (!frame_numbers_.contains(address)) unknown.push_back(address);
  return unknown;
}

std::uint32_t CallStacks::frame_of(std::uintptr_t address, const CodePlaces& places) {
  const auto [known, is_new] =
      frame_numbers_.try_emplace(address, static_cast<std::uint32_t>(frames_.size() + 1));
  if (is_new) frames_.push_back(places.at(address));
  return known->second;
}

std::uint32_t CallStacks::number_of(const ReturnAddresses& addresses, const CodePlaces& places) {
  if (addresses.empty()) return 0;
  const auto [known, is_new] =
      stack_numbers_.try_emplace(addresses, static_cast<std::uint32_t>(stacks_.size() + 1));
  if (!is_new) return known->second;
  std::vector<std::uint32_t> frames;
  for (const std::uintptr_t address : addresses) frames.push_back(frame_of(address, places));
  stacks_.push_back(std::move(frames));
  return known->second;
}

}  // namespace vramlab::preload
