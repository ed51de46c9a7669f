#include "tools/cuda_standins/model/host_values.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace vramlab::dry_run {
namespace {

static_assert(std::endian::native == std::endian::little, "a word begins with its lowest byte");

/// Drawn numbers are below this, so that one that is taken for a size asks for little.
constexpr std::uint64_t drawn_below = 100;

std::uint64_t word_of(std::uint64_t bytes) {
  for (const std::uint64_t word : {8U, 4U, 2U})
    if (bytes % word == 0) return word;
  return 1;
}

}  // namespace

/// The finalizer of a counter (SplitMix64, which is in the public domain).
std::uint64_t HostValueSource::next() {
  if (values_ == HostValues::ones) return 1;
  std::uint64_t drawn = state_ += 0x9e3779b97f4a7c15;
  drawn = (drawn ^ drawn >> 30) * 0xbf58476d1ce4e5b9;
  drawn = (drawn ^ drawn >> 27) * 0x94d049bb133111eb;
  return (drawn ^ drawn >> 31) % drawn_below;
}

bool HostValueSource::fill(void* at, std::uint64_t bytes) {
  if (values_ == HostValues::zeros) {
    std::memset(at, 0, bytes);
    if (!last_.fits(bytes)) return false;
    std::memcpy(at, &last_.number, std::min(bytes, sizeof last_.number));
    return last_.origin == ValueOrigin::known;
  }
  const std::uint64_t word = word_of(bytes);
  for (std::uint64_t place = 0; place < bytes; place += word) {
    const std::uint64_t value = next();
    std::memcpy(static_cast<char*>(at) + place, &value, word);
  }
  return false;
}

}  // namespace vramlab::dry_run
