// The families of random programs, as rows of data: how often each call is made, what the options
// and the device are drawn from.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "allocator/types/reference_version.h"
#include "tests/support/kit/random_numbers.h"

namespace vramlab::tests {

/// The weight of each step, relative to the others.
struct StepWeights {
  std::uint32_t malloc = 40;
  std::uint32_t free = 36;
  std::uint32_t record_stream = 0;
  std::uint32_t work = 0;
  std::uint32_t complete = 0;
  std::uint32_t external = 0;
  std::uint32_t empty_cache = 0;
  std::uint32_t empty_pool_cache = 0;
  std::uint32_t snapshot = 1;
  std::uint32_t reset_statistics = 0;
  std::uint32_t set_config = 0;
  std::uint32_t set_fraction = 0;
  std::uint32_t begin_pool = 0;
  std::uint32_t end_pool = 0;
  std::uint32_t release_pool = 0;
  std::uint32_t create_pool = 0;
  std::uint32_t destroy_pool = 0;
  std::uint32_t checkpoint = 0;
  std::uint32_t restore = 0;
  std::uint32_t begin_capture = 0;
  std::uint32_t end_capture = 0;
  std::uint32_t wait = 0;
  /// A pass of many requests, all given back again, as a training step does.
  std::uint32_t pass = 0;
  std::uint32_t misuse = 0;
};

/// The sizes of a family's requests.
enum class Sizes : std::uint8_t { mixed, tiny, borders, large };

/// The options that a family draws beside the common ones.
struct OptionMix {
  /// One program in this many has the option; none if it is 0.
  std::uint32_t expandable = 3;
  std::uint32_t split_limit = 3;
  std::uint32_t collection = 0;
  std::uint32_t rounding = 5;
  std::uint32_t segment_size = 0;
  std::uint32_t rejection = 0;
  std::uint32_t reuse = 0;
  std::uint32_t invalid = 0;
  /// One program in this many starts with a memory fraction.
  std::uint32_t fraction = 6;
};

enum class Since : std::uint8_t { every_version, pools_as_objects };

struct RandomFamily {
  std::string_view name;
  Since since = Since::every_version;
  Sizes sizes = Sizes::mixed;
  StepWeights steps = {};
  OptionMix options = {};
  /// In MiB.
  std::array<std::uint64_t, 3> device_sizes = {1024, 4096, 24576};
};

std::span<const RandomFamily> all_random_families();

/// An option string that the version accepts, or refuses if the family wants that.
std::string random_options(RandomNumbers& numbers, const RandomFamily& family,
                           const allocator::ReferenceVersion& version);
double random_fraction(RandomNumbers& numbers);

/// True if the version has the newer calls and options.
bool has_pools_as_objects(const allocator::ReferenceVersion& version);

}  // namespace vramlab::tests
