// Histories of one device, made without a file: written out, drawn, or the same again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/packing/lifetimes.h"

namespace vramlab::support {

struct Lifetimes {
  replay::DeviceLifetimes device;
  std::vector<std::uint64_t> iteration_ends;

  /// By ascending begin. [begin, end) in steps.
  void add(std::uint64_t begin, std::uint64_t end, allocator::Bytes bytes,
           allocator::StreamId stream = {}, allocator::PoolId pool = {});
};

/// Sizes from one byte to 100 MiB, some streams and private pools, some blocks from before the
/// first event, some that are never freed, iterations of random lengths.
Lifetimes random_lifetimes(std::uint64_t seed, std::size_t count);

/// A number of iterations with a number of requests each, all freed before the iteration ends.
Lifetimes repeated_lifetimes(std::uint64_t seed, std::size_t requests, std::size_t iterations);

}  // namespace vramlab::support
