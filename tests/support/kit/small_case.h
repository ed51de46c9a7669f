// A small recorded case as text, for tests that alter it.
#pragma once

#include <string>

namespace vramlab::tests {

/// A valid case of the 2.12 reference with a few calls.
std::string small_case_text();
/// The case with a part of its text replaced by another. Requires: the part is in it.
std::string small_case_with(const std::string& part, const std::string& replacement);

}  // namespace vramlab::tests
