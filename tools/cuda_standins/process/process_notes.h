// What a process of a dry run leaves behind: PID.json in the folder for notes, where the driver was
// used in it.
#pragma once

#include <string>

namespace vramlab::dry_run {

class StandInDriver;

/// They are of this driver, and go into this folder; an empty one is for none.
void begin_process_notes(StandInDriver& driver, const std::string& folder);
/// In the child of a fork, which has something to say where it is the first to use the driver.
void forget_parent_notes();
/// Once more if need be. Does nothing where this process did not use the driver.
void write_process_notes();

}  // namespace vramlab::dry_run
