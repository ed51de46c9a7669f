// The policies that there are, one function each; policies.cpp has the table.
#pragma once

#include "replay/policies/policy.h"

namespace vramlab::replay {

using PolicyMaker = std::unique_ptr<Policy>(streams::MemoryDevice& device,
                                            const PolicyConditions& conditions);

PolicyMaker make_caching_policy;
PolicyMaker make_expandable_policy;
PolicyMaker make_first_fit_policy;
PolicyMaker make_tlsf_policy;
PolicyMaker make_stitching_policy;
PolicyMaker make_planned_policy;

}  // namespace vramlab::replay
