// Small pickles for tests, from JSON trees, in the styles that snapshots come in. Lists under
// pools' keys become tuples; lists of frames and the frames in them are shared where they are
// equal, as in real files.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace vramlab::support {

using PickleTree = nlohmann::ordered_json;

/// As Python's pickle module writes protocol 4: stored before they are filled, lone items without a
/// mark.
std::string python_pickle(const PickleTree& tree);

/// As PyTorch's own pickler writes protocol 2: one run of items always, stored afterwards if at
/// all.
std::string cpp_pickle(const PickleTree& tree);

/// As Python's pickle module writes protocol 0, in letters, or protocol 1.
std::string old_pickle(const PickleTree& tree, int protocol);

/// A snapshot with one segment of two blocks, and a trace of an alloc and its free with frames.
PickleTree small_snapshot();

}  // namespace vramlab::support
