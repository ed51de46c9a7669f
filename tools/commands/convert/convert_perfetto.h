// `vramlab convert` to a Perfetto trace, which is not written while the input is read: what was
// there at the beginning is only known at the end.
#pragma once

#include "tools/commands/convert/convert_steps.h"
#include "traces/files/byte_sink.h"
#include "traces/formats/open_trace.h"

namespace vramlab::tools {

/// Throws InputError where a step would take away what the curves need: parts of a history.
void check_perfetto_steps(const ConvertSteps& steps);

/// Warns where the curves may not be what happened. Throws InputError.
void convert_to_perfetto(traces::OpenTrace& trace, const ConvertSteps& steps,
                         traces::ByteSink& output);

}  // namespace vramlab::tools
