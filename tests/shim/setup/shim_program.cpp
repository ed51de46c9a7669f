#include "tests/shim/setup/shim_program.h"

namespace vramlab::tests {

ShimProgram::ShimProgram(ShimSetup& setup, std::uint64_t seed, Streams streams)
    : setup_(setup), random_(seed), how_streams_(streams) {
  streams_ = {CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, setup_.make_stream(CU_STREAM_DEFAULT),
              setup_.make_stream(CU_STREAM_NON_BLOCKING)};
}

ShimProgram::~ShimProgram() {
  for (const Held& held : held_) setup_.free(held.at);
}

CUstream ShimProgram::some_stream() { return streams_[draw(streams_.size())]; }

void ShimProgram::step() {
  const std::uint64_t what = draw(100);
  if (what < 35)
    allocate();
  else if (what < 60)
    use();
  else if (what < 94)
    free();
  else if (what < 97)
    setup_.advance(draw(200000));
  else
    change_streams();
}

void ShimProgram::allocate() {
  const bool is_small = draw(2) == 0;
  const std::size_t bytes = 1 + draw(is_small ? mib : 24 * mib);
  CUdeviceptr at = 0;
  if (held_.size() > 64 || setup_.try_alloc(&at, bytes) != CUDA_SUCCESS) {
    ++refusals_;
    free();
    return;
  }
  held_.push_back({at, bytes});
}

void ShimProgram::use() {
  if (held_.empty()) return;
  const Held& held = held_[draw(held_.size())];
  setup_.work(some_stream(), held.at, held.bytes, 1 + draw(50000));
}

void ShimProgram::free() {
  if (held_.empty()) return;
  const std::size_t which = draw(held_.size());
  const Held held = held_[which];
  held_[which] = held_.back();
  held_.pop_back();
  // Often right behind work, which is what a fence is for.
  if (draw(2) == 0) setup_.work(some_stream(), held.at, held.bytes, 1 + draw(100000));
  if (how_streams_ == Streams::come_and_go && draw(16) == 0) {
    const CUstream stream = some_stream();
    setup_.wait_for_all(stream);
    setup_.free_on(held.at, stream);
  } else {
    setup_.free(held.at);
  }
}

void ShimProgram::change_streams() {
  if (how_streams_ == Streams::fixed) return;
  if (streams_.size() < 8) {
    streams_.push_back(setup_.make_stream(static_cast<unsigned>(draw(2))));
    return;
  }
  setup_.destroy_stream(streams_.back());
  streams_.pop_back();
}

}  // namespace vramlab::tests
