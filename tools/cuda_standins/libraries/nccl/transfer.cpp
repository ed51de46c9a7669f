#include "tools/cuda_standins/libraries/nccl/transfer.h"

#include <cstdint>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/driver.h"

namespace vramlab::dry_run {
namespace {

constexpr std::size_t most_bytes_copied = 4096;

}  // namespace

void carry_out(const Transfer& transfer, void* stream) {
  const bool is_small =
      transfer.bytes * static_cast<std::size_t>(transfer.pieces) <= most_bytes_copied;
  if (!is_small || cuMemcpyDtoDAsync_v2 == nullptr) return put_work(stream);
  const auto from = reinterpret_cast<std::uintptr_t>(transfer.send) +
                    static_cast<std::size_t>(transfer.sent_piece) * transfer.bytes;
  const auto to = reinterpret_cast<std::uintptr_t>(transfer.receive);
  for (int piece = 0; piece < transfer.pieces; ++piece)
    cuMemcpyDtoDAsync_v2(to + static_cast<std::size_t>(piece) * transfer.bytes, from,
                         transfer.bytes, static_cast<CUstream>(stream));
}

}  // namespace vramlab::dry_run
