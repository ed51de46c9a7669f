#include "replay/replayer/program_accesses.h"

#include <utility>

namespace vramlab::replay {

std::optional<streams::BlockNumber> ProgramAccesses::block_of(std::uint64_t id) const {
  const auto found = blocks_.find(id);
  if (found == blocks_.end()) return std::nullopt;
  return found->second;
}

void ProgramAccesses::begin_work(std::uint64_t event, streams::StreamAt stream,
                                 traces::StackId site) {
  Accesses& work = works_[event];
  if (const auto next = next_.find(stream); next != next_.end()) {
    work = std::move(next->second);
    next_.erase(next);
  }
  work.site = site_of(site, event);
}

streams::WorkAccesses ProgramAccesses::accesses_of(std::uint64_t tag) {
  const auto found = works_.find(tag);
  if (found == works_.end()) return {};
  return {found->second.read, found->second.written, found->second.site};
}

}  // namespace vramlab::replay
