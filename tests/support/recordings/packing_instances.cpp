#include "tests/support/recordings/packing_instances.h"

#include <algorithm>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::support {
namespace {

using replay::Buffer;
using tests::RandomNumbers;

struct Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t bottom = 0;
  std::uint64_t top = 0;
};

/// The largest piece is cut, so that none gets too thin.
void cut_one(std::vector<Piece>& pieces, RandomNumbers& random) {
  const auto at = std::ranges::max_element(pieces, {}, [](const Piece& piece) {
    return (piece.end - piece.begin) * (piece.top - piece.bottom);
  });
  Piece rest = *at;
  if (random.one_in(2) && at->end - at->begin > 1) {
    at->end = rest.begin = random.between(at->begin + 1, at->end - 1);
  } else if (at->top - at->bottom > 1) {
    at->top = rest.bottom = random.between(at->bottom + 1, at->top - 1);
  } else {
    return;
  }
  pieces.push_back(rest);
}

/// Tries all offsets of the buffers from `next` on; those before it are placed.
void try_offsets(const std::vector<Buffer>& buffers, std::vector<std::uint64_t>& offsets,
                 std::uint64_t height, std::uint64_t& best) {
  const std::size_t next = offsets.size();
  if (next == buffers.size()) {
    best = height;
    return;
  }
  const Buffer& buffer = buffers[next];
  for (std::uint64_t at = 0; at + buffer.size.count < best; at += buffer.alignment.count) {
    bool is_free = true;
    for (std::size_t i = 0; i < next; ++i) {
      const bool overlaps = buffers[i].begin < buffer.end && buffer.begin < buffers[i].end;
      if (overlaps && at < offsets[i] + buffers[i].size.count &&
          offsets[i] < at + buffer.size.count)
        is_free = false;
    }
    if (!is_free) continue;
    offsets.push_back(at);
    try_offsets(buffers, offsets, std::max(height, at + buffer.size.count), best);
    offsets.pop_back();
  }
}

}  // namespace

std::vector<Buffer> random_buffers(std::uint64_t seed, std::size_t count, std::uint64_t moments,
                                   std::uint64_t largest) {
  RandomNumbers random(seed);
  const bool has_alignments = random.one_in(2);
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < count; ++i) {
    Buffer buffer;
    buffer.begin = random.below(moments);
    buffer.end = buffer.begin + random.between(1, random.one_in(4) ? moments : 1 + moments / 8);
    buffer.size = {random.between(1, largest)};
    if (has_alignments && random.one_in(3)) buffer.alignment = {random.between(1, 4)};
    buffers.push_back(buffer);
  }
  return buffers;
}

std::vector<Buffer> guillotine_buffers(std::uint64_t seed, std::size_t count,
                                       std::uint64_t height) {
  RandomNumbers random(seed);
  std::vector<Piece> pieces = {{0, 1'000, 0, height}};
  while (pieces.size() < count) cut_one(pieces, random);
  std::vector<Buffer> buffers;
  for (const Piece& piece : pieces)
    buffers.push_back({piece.begin, piece.end, {piece.top - piece.bottom}});
  return buffers;
}

allocator::Bytes textbook_optimum(const std::vector<Buffer>& buffers) {
  std::uint64_t best = 1;
  for (const Buffer& buffer : buffers) best += buffer.size.count + buffer.alignment.count;
  std::vector<std::uint64_t> offsets;
  try_offsets(buffers, offsets, 0, best);
  return {best};
}

}  // namespace vramlab::support
