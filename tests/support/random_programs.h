// RandomProgram: a program of calls made from a seed, the same on every machine. Programs come in
// families, each with its own mix of calls, options and device sizes, like the recorded cases.
//
// They keep to what may be called when, so that what happens is defined; only the family "misuse"
// makes calls that must be refused.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/reference_version.h"
#include "traces/call.h"

namespace vramlab::tests {

struct RandomProgram {
  std::uint64_t seed = 0;
  std::string_view family;
  const allocator::ReferenceVersion* version = nullptr;
  allocator::Bytes device_total;
  std::string config;
  std::optional<double> memory_fraction;
  std::vector<traces::Call> calls;
};

/// The names of the families that a version of the reference has.
std::vector<std::string_view> random_families(const allocator::ReferenceVersion& version);

struct ProgramWish {
  std::string_view family;
  const allocator::ReferenceVersion* version = nullptr;
  std::uint64_t seed = 0;
  std::size_t call_count = 400;
};
RandomProgram make_random_program(const ProgramWish& wish);
/// Family and version are drawn too.
RandomProgram make_random_program(std::uint64_t seed, std::size_t call_count);

/// One line: where the program came from and how it starts.
std::string describe(const RandomProgram& program);
/// Such as "malloc id 7, 1048577 bytes, stream 0".
std::string describe(const traces::Call& call);

}  // namespace vramlab::tests
