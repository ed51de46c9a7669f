#include "streams/stream_model/torch_streams.h"

#include "allocator/types/check.h"

namespace vramlab::streams {

StreamId TorchStreams::take(StreamId name, Pool pool) {
  check(!is_taken(name), "a name is given to one stream");
  Turns& turns = pools_[static_cast<std::size_t>(pool)];
  if (turns.streams.size() < pool_size) turns.streams.push_back(name);
  const StreamId taken = turns.streams[turns.next];
  turns.next = (turns.next + 1) % pool_size;
  names_[name] = taken;
  return taken;
}

StreamId TorchStreams::resolve(StreamId name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? name : found->second;
}

}  // namespace vramlab::streams
