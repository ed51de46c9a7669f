#include "tools/cuda_standins/libraries/nccl/communicators.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/driver.h"

namespace vramlab::dry_run {
namespace {

/// Other ranks may prepare data for minutes before they come.
constexpr auto longest_wait = std::chrono::seconds(300);

/// Channels of this process. The set is never destroyed, as calls may come until the process is
/// gone.
struct OpenChannels {
  std::mutex lock;
  std::set<RankChannel*> all;
};
OpenChannels& open_channels() {
  static OpenChannels* const made = new OpenChannels;
  return *made;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Null where the other ranks are not processes of this dry run.
std::unique_ptr<RankChannel> open_channel(const CommunicatorWish& wish) {
  const std::string folder = variable("VRAMLAB_DRY_RUN_NOTES");
  if (wish.name.empty() || wish.size == 1 || folder.empty() ||
      variable("VRAMLAB_DRY_RUN_ALONE") == "1")
    return nullptr;
  const std::string wait = variable("VRAMLAB_DRY_RUN_RANK_WAIT_MS");
  auto channel = std::make_unique<RankChannel>(ChannelPlace{
      folder + "/ranks", wish.name, wish.rank, wish.size,
      wait.empty() ? longest_wait : std::chrono::milliseconds(std::atol(wait.c_str()))});
  const std::lock_guard guard(open_channels().lock);
  open_channels().all.insert(channel.get());
  return channel;
}

struct Place {
  int color = 0;
  int key = 0;
};

}  // namespace

Communicator::~Communicator() {
  const std::lock_guard guard(open_channels().lock);
  open_channels().all.erase(channel.get());
}

int create_communicator(void** handle, const CommunicatorWish& wish) {
  constexpr int invalid_argument = 4;
  if (wish.size < 1 || wish.rank < 0 || wish.rank >= wish.size) return invalid_argument;
  if (!create_object<Communicator>(handle)) return invalid_argument;
  auto* const communicator = object_of<Communicator>(*handle);
  communicator->rank = wish.rank;
  communicator->size = wish.size;
  communicator->channel = open_channel(wish);
  if (communicator->channel != nullptr) communicator->name = wish.name;
  if (cuCtxGetDevice != nullptr) cuCtxGetDevice(&communicator->device);
  note_beside_peak("nccl buffers");
  return 0;
}

std::string new_communicator_name() {
  static std::atomic<std::uint64_t> count{0};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return "vramlab-" + std::to_string(getpid()) + "-" + std::to_string(now.tv_sec) + "-" +
         std::to_string(now.tv_nsec) + "-" + std::to_string(++count);
}

CommunicatorWish part_of(Communicator& parent, int color, int key) {
  // Alone, nobody knows the ranks of the same color: the part is as large as the whole.
  const CommunicatorWish alone{"", parent.rank, parent.size};
  if (parent.channel == nullptr) return alone;
  const std::uint64_t number = ++parent.collectives;
  const Place own{color, key};
  Bytes message(sizeof own);
  std::memcpy(message.data(), &own, sizeof own);
  parent.channel->send(to_all_ranks, number, message);
  CommunicatorWish part{
      parent.name + "-" + std::to_string(++parent.descendants) + "c" + std::to_string(color), 0, 0};
  for (int rank = 0; rank < parent.size; ++rank) {
    const auto told = rank == parent.rank ? std::optional(message)
                                          : parent.channel->receive(rank, to_all_ranks, number);
    if (!told || told->size() != sizeof own) return alone;
    Place place;
    std::memcpy(&place, told->data(), sizeof place);
    if (place.color != color) continue;
    ++part.size;
    part.rank += std::pair(place.key, rank) < std::pair(key, parent.rank) ? 1 : 0;
  }
  return part;
}

void leave_all_channels() {
  const std::lock_guard guard(open_channels().lock);
  for (RankChannel* const channel : open_channels().all) channel->leave();
}

}  // namespace vramlab::dry_run
