#include "tests/support/recordings/random_lifetimes.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "tests/support/kit/random_numbers.h"

namespace vramlab::support {
namespace {

using tests::RandomNumbers;

std::uint64_t random_size(RandomNumbers& random) {
  const std::uint64_t largest = std::uint64_t{1} << random.between(0, 26);
  return random.between(1, largest);
}

}  // namespace

void Lifetimes::add(std::uint64_t begin, std::uint64_t end, allocator::Bytes bytes,
                    allocator::StreamId stream, allocator::PoolId pool) {
  device.blocks.push_back(
      {begin, end, bytes, round_up(bytes, allocator::minimum_block), stream, pool, {}});
  device.steps = std::max(device.steps, end);
}

/// Each begin and each end has a step of its own.
Lifetimes random_lifetimes(std::uint64_t seed, std::size_t count) {
  RandomNumbers random(seed);
  Lifetimes made;
  const std::uint64_t streams = random.between(1, 3);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t begin = i < 5 ? 0 : 2 * i;
    const std::uint64_t longest = random.one_in(5) ? 2 * count : 20;
    const std::uint64_t end = random.one_in(20) ? 8 * count : 2 * i + 1 + 2 * random.below(longest);
    const allocator::PoolId pool{random.one_in(6) ? random.between(1, 2) : 0, 0};
    made.add(begin, end, {random_size(random)}, {random.below(streams)}, pool);
    if (begin > 0 && random.one_in(60)) made.iteration_ends.push_back(i - 4);
  }
  made.device.steps = 8 * count;
  return made;
}

Lifetimes repeated_lifetimes(std::uint64_t seed, std::size_t requests, std::size_t iterations) {
  Lifetimes made;
  for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
    RandomNumbers random(seed);
    const std::uint64_t first = 1 + iteration * 3 * requests;
    for (std::size_t i = 0; i < requests; ++i) {
      const std::uint64_t end = first + 2 * i + 1 + 2 * random.below(requests / 4);
      made.add(first + 2 * i, end, {random_size(random)});
    }
    made.iteration_ends.push_back((iteration + 1) * requests);
  }
  ++made.device.steps;
  return made;
}

}  // namespace vramlab::support
