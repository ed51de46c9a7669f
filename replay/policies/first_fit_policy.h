// First fit for policies that leave to it what they have no better idea for.
#pragma once

#include <memory>

#include "replay/policies/segment_policy.h"

namespace vramlab::replay {

std::unique_ptr<SegmentPolicy> make_first_fit(streams::MemoryDevice& device);

}  // namespace vramlab::replay
