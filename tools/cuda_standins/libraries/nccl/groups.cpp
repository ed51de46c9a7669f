#include "tools/cuda_standins/libraries/nccl/groups.h"

#include <algorithm>
#include <vector>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/nccl/communicator.h"
#include "tools/cuda_standins/libraries/nccl/transfer.h"

namespace vramlab::dry_run {
namespace {

struct Group {
  int depth = 0;
  std::vector<Broadcast> broadcasts;
};

/// NCCL's interface has no handle of a group: it belongs to the thread.
thread_local Group open_group;

const void* value_of(const Broadcast& asked, const std::vector<Broadcast>& group) {
  if (asked.send != nullptr) return asked.send;
  const auto own = std::find_if(group.begin(), group.end(), [&](const Broadcast& other) {
    return other.send != nullptr && other.communicator == asked.communicator &&
           other.bytes == asked.bytes;
  });
  return own == group.end() ? asked.receive : own->send;
}

void carry_out_all(const std::vector<Broadcast>& group) {
  for (const Broadcast& each : group)
    carry_out({value_of(each, group), each.receive, each.bytes}, each.stream);
}

}  // namespace

void broadcast(const Broadcast& broadcast) {
  if (open_group.depth == 0) return carry_out_all({broadcast});
  open_group.broadcasts.push_back(broadcast);
}

}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int ncclGroupStart() {
  ++open_group.depth;
  return nccl_success;
}
VRAMLAB_EXPORT int ncclGroupEnd() {
  if (open_group.depth == 0) return nccl_invalid_usage;
  if (--open_group.depth > 0) return nccl_success;
  carry_out_all(open_group.broadcasts);
  open_group.broadcasts.clear();
  return nccl_success;
}
VRAMLAB_EXPORT int ncclGroupSimulateEnd(void*) { return nccl_success; }
