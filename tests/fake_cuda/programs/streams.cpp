// Several streams at random: memory is taken, used on some streams, passed on with events, and
// given back while work on it is pending. Arguments: operations, seed.
#include <random>

#include "tests/fake_cuda/programs/program.h"

using namespace vramlab::fake_programs;

namespace {

struct Block {
  CUdeviceptr at = 0;
  std::uint64_t bytes = 0;
};

class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed), kernel_(find_kernel("fake_use")) {
    streams_ = {nullptr, CU_STREAM_PER_THREAD};
    for (unsigned flags : {0U, 0U, 1U, 1U}) {
      CUstream stream = nullptr;
      MUST(cuStreamCreate(&stream, flags));
      streams_.push_back(stream);
    }
  }

  void step() {
    const std::uint64_t choice = random_() % 100;
    if (blocks_.size() < 4 || (choice < 30 && blocks_.size() < 64))
      take();
    else if (choice < 55)
      give_back();
    else if (choice < 90)
      use();
    else if (choice < 95)
      renew_stream();
    else
      fake_cuda_advance(random_() % 20000);
  }
  void end() {
    while (!blocks_.empty()) give_back();
    MUST(cuCtxSynchronize());
  }

 private:
  void take() {
    const std::uint64_t bytes = 512 + random_() % (random_() % 4 == 0 ? 6 << 20 : 200 << 10);
    blocks_.push_back({take_memory(bytes), bytes});
  }
  void give_back() {
    const std::size_t place = random_() % blocks_.size();
    give_back_memory(blocks_[place].at);
    blocks_[place] = blocks_.back();
    blocks_.pop_back();
  }
  void use() {
    const Block& block = blocks_[random_() % blocks_.size()];
    std::uint64_t ns = 1000 + random_() % 50000;
    const fake_cuda_use used{block.at, block.bytes, 1};
    const fake_cuda_use* uses = &used;
    std::uint32_t count = 1;
    void* arguments[] = {&ns, &uses, &count};
    MUST(cuLaunchKernel(kernel_, 1, 1, 1, 1, 1, 1, 0, streams_[random_() % streams_.size()],
                        arguments, nullptr));
  }
  /// The work on the old one still runs.
  void renew_stream() {
    const std::size_t place = 2 + random_() % (streams_.size() - 2);
    MUST(cuStreamDestroy_v2(streams_[place]));
    MUST(cuStreamCreate(&streams_[place], place % 2 == 0 ? 0U : 1U));
  }

  std::mt19937_64 random_;
  CUfunction kernel_;
  std::vector<CUstream> streams_;
  std::vector<Block> blocks_;
};

}  // namespace

int main(int count, char** arguments) {
  open_device();
  const std::uint64_t steps = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 2000;
  Program program(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1);
  for (std::uint64_t step = 0; step < steps; ++step) program.step();
  program.end();
  return end_of_program();
}
