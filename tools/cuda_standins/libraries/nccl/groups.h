// Groups of calls, which each thread opens for itself. Only broadcasts ask what else their group
// has: a group in which every rank broadcasts a value is how programs gather values, when their
// number differs by rank or they arrive in separate buffers.
#pragma once

#include <cstddef>

namespace vramlab::dry_run {

struct Broadcast {
  const void* communicator;
  const void* send;  // null unless this rank is the root
  void* receive;
  std::size_t bytes;
  void* stream;
};

/// Carries it out at once, or at the end of the thread's open group. The receive buffer of another
/// rank's broadcast gets this rank's own value, if the group has one of the same communicator and
/// size, because all ranks are taken to agree. Otherwise it keeps what it has.
void broadcast(const Broadcast& broadcast);

}  // namespace vramlab::dry_run
