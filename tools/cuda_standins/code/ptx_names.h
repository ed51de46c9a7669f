// PtxNames: the functions and variables that a text of PTX, NVIDIA's intermediate language,
// defines.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace vramlab::dry_run {

struct PtxNames {
  std::set<std::string, std::less<>> functions;
  std::set<std::string, std::less<>> variables;
};

/// Empty if the text is no PTX, or has no function.
std::optional<PtxNames> ptx_names_of(std::string_view text);
/// The same for an image that a driver is told to load, which ends at its first zero.
std::optional<PtxNames> ptx_names_at(const void* image);

}  // namespace vramlab::dry_run
