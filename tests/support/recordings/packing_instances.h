// Buffers to pack: random buffers, and buffers whose optimum is known.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/packing/buffer.h"

namespace vramlab::support {

/// Buffers over a number of moments, with sizes up to a limit and some alignments.
std::vector<replay::Buffer> random_buffers(std::uint64_t seed, std::size_t count,
                                           std::uint64_t moments = 100,
                                           std::uint64_t largest = 1'000);

/// A rectangle of this height, cut into pieces from edge to edge again and again: they fill it
/// without a gap, so its height is both the load and the optimum.
std::vector<replay::Buffer> guillotine_buffers(std::uint64_t seed, std::size_t count,
                                               std::uint64_t height);

/// The lowest height, by trying every offset of every buffer: only for a few very small buffers.
allocator::Bytes textbook_optimum(const std::vector<replay::Buffer>& buffers);

}  // namespace vramlab::support
