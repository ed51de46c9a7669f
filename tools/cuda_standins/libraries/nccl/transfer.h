// What a collective copies, so that programs find the values that they compare across ranks.
#pragma once

#include <cstddef>

namespace vramlab::dry_run {

/// One piece of what this rank sends, and where it arrives: as many times as there are pieces.
struct Transfer {
  const void* send;
  void* receive;
  std::size_t bytes;  // of one piece
  int pieces = 1;
  int sent_piece = 0;
};

/// Copies the values of a small transfer on the stream. A large one is a kernel of modelled time.
void carry_out(const Transfer& transfer, void* stream);

}  // namespace vramlab::dry_run
