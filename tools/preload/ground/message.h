// One line on standard error from inside another program: put together on the stack, written at
// once, without streams or memory.
#pragma once

#include <initializer_list>
#include <string_view>

namespace vramlab::preload {

/// `vramlab: ` and the parts; what is longer than a line of 512 bytes is cut off.
void say(std::initializer_list<std::string_view> parts);

}  // namespace vramlab::preload
