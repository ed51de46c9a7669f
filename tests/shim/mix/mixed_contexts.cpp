// The part of a mixed program that makes contexts, peers and streams, and ends them.
#include <algorithm>
#include <thread>

#include "tests/shim/mix/mixed_program.h"

namespace vramlab::tests {
namespace {

constexpr std::size_t most_streams = 10;

bool may_use(const MixedPlace& place, const MixedPlace& home) {
  return place.home == &home ||
         std::find(place.peers.begin(), place.peers.end(), &home) != place.peers.end();
}

}  // namespace

const MixedPlace& MixedProgram::some_place() {
  const auto& shared = setup_.places();
  const std::size_t drawn = dice_.below(shared.size() + 2);
  if (drawn < shared.size()) return *shared[drawn];
  return own_ == nullptr ? *shared.front() : *own_;
}

std::vector<const MixedPlace*> MixedProgram::users_of(const MixedBlock& block) const {
  std::vector<const MixedPlace*> users;
  const auto add = [&](const MixedPlace& place) {
    const bool is_for_peers = block.is_cached && !block.is_exported;
    if (place.home == block.home || (is_for_peers && may_use(place, *block.home)))
      users.push_back(&place);
  };
  for (const auto& place : setup_.places()) add(*place);
  if (own_ != nullptr) add(*own_);
  return users;
}

const MixedPlace& MixedProgram::some_user_of(const MixedBlock& block) {
  const std::vector<const MixedPlace*> users = users_of(block);
  return *users[dice_.below(users.size())];
}

CUstream MixedProgram::some_stream(const MixedPlace& place) {
  setup_.enter(place);
  std::vector<CUstream> choice = {CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
  for (const OwnStream& own : streams_)
    if (own.place == &place) choice.push_back(own.stream);
  return choice[dice_.below(choice.size())];
}

void MixedProgram::add_stream(const MixedPlace& place, unsigned flags) {
  setup_.enter(place);
  if (place.green == nullptr) {
    streams_.push_back({setup_.make_stream(flags), &place, flags});
    return;
  }
  const auto create = fake_function<PFN_cuGreenCtxStreamCreate_v12050>("cuGreenCtxStreamCreate");
  OwnStream own{nullptr, &place, CU_STREAM_NON_BLOCKING};
  const CUresult result = create(&own.stream, place.green, own.flags, 0);
  setup_.expect(result, "cuGreenCtxStreamCreate");
  if (result != CUDA_SUCCESS) return;
  setup_.shim().stream_created(own.stream, own.flags, place.context);
  streams_.push_back(own);
}

void MixedProgram::change_streams() {
  if (streams_.size() < most_streams)
    return add_stream(some_place(), dice_.one_in(3) ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);
  const std::size_t which = dice_.below(streams_.size());
  setup_.enter(*streams_[which].place);
  setup_.destroy_stream(streams_[which].stream);
  streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(which));
}

bool MixedProgram::wait_for(const MixedPlace& place) {
  setup_.enter(place);
  const CUresult result = setup_.driver().context_synchronize();
  setup_.expect(result, "cuCtxSynchronize");
  return result == CUDA_SUCCESS;
}

bool MixedProgram::wait_for_users_of(const MixedBlock& block) {
  bool are_over = false;
  setup_.turns().try_do(CaptureTurns::Kind::disturbance, [&] {
    const std::vector<const MixedPlace*> users = users_of(block);
    are_over = std::all_of(users.begin(), users.end(),
                           [this](const MixedPlace* user) { return wait_for(*user); });
  });
  return are_over;
}

void MixedProgram::change_contexts() {
  if (own_ == nullptr)
    open_own_context();
  else
    close_own_context();
}

void MixedProgram::open_own_context() {
  const auto device = static_cast<CUdevice>(dice_.below(2));
  own_ = std::make_unique<MixedPlace>();
  *own_ = {setup_.make_context(device), device, own_.get()};
  add_stream(*own_, CU_STREAM_NON_BLOCKING);
  change_peers();
}

/// With all that is in it. What it does elsewhere has to be over first, as memory of others is
/// used.
void MixedProgram::close_own_context() {
  if (own_ == nullptr) return;
  bool is_over = false;
  while (!is_over) {
    setup_.turns().try_do(CaptureTurns::Kind::disturbance, [&] { is_over = wait_for(*own_); });
    if (!is_over) std::this_thread::yield();
  }
  std::erase_if(streams_, [this](const OwnStream& own) { return own.place == own_.get(); });
  for (auto next = others_.begin(); next != others_.end();) {
    if (next->place != own_.get()) {
      ++next;
      continue;
    }
    setup_.expect(next->give_back(), "giving other memory back");
    next = others_.erase(next);
  }
  for (const MixedBlock& block : held_)
    if (block.home == own_.get())
      setup_.fake()->look([&](fake::FakeCuda& cuda) { cuda.oracle().given_back(block.at); });
  std::erase_if(held_, [this](const MixedBlock& block) { return block.home == own_.get(); });
  setup_.destroy_context(own_->context);
  own_ = nullptr;
  setup_.enter(*setup_.places().front());
}

void MixedProgram::change_peers() {
  if (own_ == nullptr) return;
  const MixedPlace& other = *setup_.places()[dice_.below(2)];
  if (!may_use(*own_, other)) {
    setup_.enable_peer_access(own_->context, other.context);
    own_->peers.push_back(&other);
    return;
  }
  setup_.turns().try_do(CaptureTurns::Kind::disturbance, [&] {
    if (!wait_for(*own_)) return;
    setup_.disable_peer_access(own_->context, other.context);
    std::erase(own_->peers, &other);
  });
}

}  // namespace vramlab::tests
