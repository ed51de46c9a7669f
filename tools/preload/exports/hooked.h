// Which of our functions this program got, for its statistics: one that got none goes past us.
#pragma once

#include <string>

#include "tools/preload/ground/hook_table.h"

namespace vramlab::preload {

/// The program asked for it by name and was given ours.
void note_given(Hook hook);
void note_called(Hook hook);

/// A sentence for the user.
std::string hooked_text();

}  // namespace vramlab::preload
