#include "tests/support/recordings/waiting_program.h"

#include "tests/support/kit/random_numbers.h"

namespace vramlab::tests {
namespace {

using allocator::Action;
using allocator::Address;
using allocator::BlockState;

class WaitingProgramMaker {
 public:
  explicit WaitingProgramMaker(std::uint64_t seed) : random_(seed) {}

  WaitingProgram make(std::size_t call_count) {
    for (std::size_t i = 0; i < call_count; ++i) call();
    add_final_segments();
    program_.history.traits.requests_frees = true;
    return std::move(program_);
  }

 private:
  struct Live {
    allocator::Bytes bytes;
    allocator::StreamId stream;
    std::size_t alloc_event = 0;
  };

  void call() {
    const std::uint64_t choice = random_.below(10);
    if (choice < 4 || live_.empty()) return alloc();
    if (choice < 6) return free_at_once();
    if (choice < 8) return free_later();
    complete();
  }

  void add(Action action, Address address, const Live& block) {
    now_us_ += random_.below(4) * random_.below(900'000);
    program_.history.events.push_back({action, address, block.bytes, block.stream, {}, now_us_});
    program_.history.stacks.push_back({static_cast<std::uint32_t>(random_.below(4))});
    program_.waiting_after.push_back(waiting_);
  }

  void alloc() {
    Address address{0x1000};
    while (live_.contains(address) || waiting_.contains(address)) address.value += 0x1000;
    const Live block{{1 + random_.below(1'000'000'000)}, {random_.below(3)}, events()};
    live_[address] = block;
    add(Action::alloc, address, block);
  }

  void free_at_once() {
    const auto [address, block] = take_live();
    add(Action::free_requested, address, block);
    add(Action::free_completed, address, block);
  }

  void free_later() {
    const auto [address, block] = take_live();
    waiting_[address] = {block.bytes, block.stream, block.alloc_event, events()};
    add(Action::free_requested, address, block);
    last_requested_ = address;
  }

  /// Never right after its request, as a free that did not wait looks like this.
  void complete() {
    for (const auto& [address, free] : waiting_) {
      if (address == last_requested_ && free.free_event + 1 == events()) continue;
      const Live block{free.bytes, free.stream, free.alloc_event};
      const Address completed = address;
      waiting_.erase(completed);
      return add(Action::free_completed, completed, block);
    }
  }

  std::pair<Address, Live> take_live() {
    auto at = live_.begin();
    std::advance(at, random_.below(live_.size()));
    std::pair<Address, Live> taken = *at;
    live_.erase(at);
    return taken;
  }

  /// A segment for each block, as a segment is of one stream.
  void add_final_segments() {
    for (const auto& [address, free] : waiting_)
      add_final(address, {free.bytes, free.stream}, BlockState::active_pending_free);
    for (const auto& [address, block] : live_)
      add_final(address, block, BlockState::active_allocated);
  }

  void add_final(Address address, const Live& block, BlockState state) {
    allocator::SnapshotSegment& segment = program_.history.final_segments.emplace_back();
    segment.address = address;
    segment.total_size = block.bytes;
    segment.stream = block.stream;
    segment.blocks = {{address, block.bytes, block.bytes, state}};
  }

  std::size_t events() const { return program_.history.events.size(); }

  RandomNumbers random_;
  WaitingProgram program_;
  std::uint64_t now_us_ = 1'700'000'000'000'000;
  std::map<Address, Live> live_;
  std::map<Address, TrulyWaiting> waiting_;
  Address last_requested_;
};

}  // namespace

WaitingProgram random_waiting_program(std::uint64_t seed, std::size_t call_count) {
  return WaitingProgramMaker(seed).make(call_count);
}

replay::DeviceHistory begun_at(const WaitingProgram& program, std::size_t first) {
  replay::DeviceHistory cut = program.history;
  cut.events = {};
  cut.stacks = {};
  for (std::size_t i = first; i < program.history.events.size(); ++i) {
    cut.events.push_back(program.history.events[i]);
    cut.stacks.push_back(program.history.stacks[i]);
  }
  return cut;
}

}  // namespace vramlab::tests
