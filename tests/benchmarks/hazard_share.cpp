#include "tests/benchmarks/benchmarks.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "streams/hazards/hazard_checker.h"
#include "streams/stream_model/timed_streams.h"
#include "tests/support/kit/random_numbers.h"

namespace vramlab::tests {
namespace {

using namespace streams;

constexpr std::uint64_t stream_count = 64;
constexpr std::uint64_t blocks_per_stream = 64;
constexpr std::uint64_t work_count = 1'000'000;
constexpr std::uint64_t block_bytes = 4096;
constexpr int hazard_runs = 3;

/// A correct program: streams work on memory of their own, in every eighth piece of work on
/// another's, too, with waits on both sides. Every fourth time a block is freed and handed out.
class ManyStreams final : private AccessSource {
 public:
  explicit ManyStreams(bool is_checked)
      : is_checked_(is_checked),
        checker_(*this),
        cuda_({.launch_latency = {100}, .call_time = {}, .limits = {}},
              is_checked ? checker_ : unwatched_) {}

  double ns_per_work() {
    const auto start = std::chrono::steady_clock::now();
    begin();
    for (std::uint64_t i = 0; i < work_count; ++i) issue(i);
    cuda_.finish();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / static_cast<double>(work_count);
  }
  std::size_t hazard_count() const { return checker_.hazards().size(); }

 private:
  static StreamAt stream(std::uint64_t index) { return {0, {index + 1}}; }
  BlockNumber any_block_of(std::uint64_t index) {
    return blocks_[index * blocks_per_stream + numbers_.below(blocks_per_stream)];
  }

  WorkAccesses accesses_of(std::uint64_t /*tag*/) override { return {read_, written_, 1}; }

  void begin() {
    for (std::uint64_t i = 0; i < stream_count; ++i) {
      cuda_.create_stream(stream(i), {.is_blocking = false});
      cuda_.create_event({i}, 0, false);
    }
    blocks_.resize(stream_count * blocks_per_stream);
    for (std::uint64_t place = 0; place < blocks_.size(); ++place) hand_out(place);
  }

  void hand_out(std::uint64_t place) {
    blocks_[place] = {++last_block_};
    if (!is_checked_) return;
    const std::uint64_t begin = place * block_bytes;
    checker_.handed_out({.block = blocks_[place],
                         .range = {{begin}, {begin + block_bytes}},
                         .stream = stream(place / blocks_per_stream),
                         .thread = {},
                         .tag = 2});
  }

  void wait_for(std::uint64_t awaited, std::uint64_t waiting) {
    cuda_.record_event({awaited}, stream(awaited), 0);
    cuda_.wait_for_event(stream(waiting), {awaited}, 0);
  }

  void issue(std::uint64_t number) {
    static_cast<void>(cuda_.begin_call({}, Time{number * 100}));
    const std::uint64_t own = numbers_.below(stream_count);
    read_.clear();
    for (std::uint64_t i = numbers_.between(1, 3); i > 0; --i) read_.push_back(any_block_of(own));
    written_.assign(1, any_block_of(own));
    const bool is_shared = numbers_.one_in(8);
    const std::uint64_t other = numbers_.below(stream_count);
    if (is_shared) {
      wait_for(other, own);
      read_.back() = any_block_of(other);
    }
    cuda_.submit(stream(own), {.duration = {500}, .tag = number});
    if (is_shared) wait_for(own, other);
    if (numbers_.one_in(4)) replace(own * blocks_per_stream + numbers_.below(blocks_per_stream));
  }

  void replace(std::uint64_t place) {
    if (is_checked_) checker_.freed(blocks_[place], {}, 3);
    hand_out(place);
  }

  bool is_checked_;
  RandomNumbers numbers_{1};
  std::vector<BlockNumber> blocks_;
  std::vector<BlockNumber> read_;
  std::vector<BlockNumber> written_;
  std::uint64_t last_block_ = 0;
  StreamWatcher unwatched_;
  HazardChecker checker_;
  TimedStreams cuda_;
};

}  // namespace

void print_hazard_share() {
  double plain = 0;
  double checked = 0;
  std::size_t hazards = 0;
  for (int run = 0; run < hazard_runs; ++run) {
    ManyStreams unwatched(false);
    ManyStreams watched(true);
    const double plain_now = unwatched.ns_per_work();
    const double checked_now = watched.ns_per_work();
    plain = run == 0 ? plain_now : std::min(plain, plain_now);
    checked = run == 0 ? checked_now : std::min(checked, checked_now);
    hazards = watched.hazard_count();
  }
  std::printf("%-24s without %6.1f ns/work   with %6.1f ns/work   ratio %5.2f, %zu hazards\n",
              "64 streams, hazards", plain, checked, checked / plain, hazards);
}

}  // namespace vramlab::tests
