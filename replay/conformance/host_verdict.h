// Verdicts over recorded cases that have no device: those of pinned memory, and those of the parser
// of options.
#pragma once

#include "replay/conformance/case_verdict.h"
#include "replay/replayer/host_subject.h"
#include "traces/cases/any_case.h"

namespace vramlab::replay {

CaseVerdict judge_host_case(const traces::HostCase& recorded,
                            const HostSubjectFactory& make_subject);
CaseVerdict judge_option_case(const traces::OptionCase& recorded);
/// Whichever it is, on the engine.
CaseVerdict judge_any_case(const traces::AnyCase& recorded, CaseStreams streams);

}  // namespace vramlab::replay
