// A signal that asks for a report. The handler sets a flag and nothing else; the next call of the
// program that comes by looks at it.
#pragma once

namespace vramlab::shim {

void listen_for_report_signal(int signal);
/// Whether one came since the last time.
bool take_report_request();

}  // namespace vramlab::shim
