#include "tests/support/twin/textbook_shapes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vramlab::tests {
namespace {

void move_to(Block& block, Address address) {
  auto& blocks = block.segment->blocks;
  auto node = blocks.extract(block.address);
  node.key() = address;
  block.address = address;
  blocks.insert(std::move(node));
}

}  // namespace

Block* block_before(const Block& block) {
  const auto& blocks = block.segment->blocks;
  const auto at = blocks.find(block.address);
  return at == blocks.begin() ? nullptr : std::prev(at)->second.get();
}

Block* block_after(const Block& block) {
  const auto& blocks = block.segment->blocks;
  const auto next = std::next(blocks.find(block.address));
  return next == blocks.end() ? nullptr : next->second.get();
}

bool is_split(const Block& block) { return block.segment->blocks.size() > 1; }

Block& add_block(Segment& segment, Address address, Bytes size) {
  auto& place = segment.blocks[address];
  place = std::make_unique<Block>();
  place->address = address;
  place->size = size;
  place->number = ++segment.pool->blocks_made;
  if (segment.number == 0) segment.number = place->number;
  place->segment = &segment;
  return *place;
}

Block& cut_front(Block& block, Bytes size) {
  const Address front = block.address;
  move_to(block, front + size);
  block.size -= size;
  Block& cut = add_block(*block.segment, front, size);
  cut.mapped = block.mapped;
  return cut;
}

void absorb(Block& block, Block& neighbour) {
  const Address start = std::min(block.address, neighbour.address);
  block.size += neighbour.size;
  block.segment->blocks.erase(neighbour.address);
  if (block.address != start) move_to(block, start);
}

std::vector<Block*> blocks_of(const Segment& segment) {
  std::vector<Block*> blocks;
  for (const auto& [address, block] : segment.blocks) blocks.push_back(block.get());
  return blocks;
}

}  // namespace vramlab::tests
