// What `vramlab verify` prints, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "replay/follow/fidelity.h"
#include "tools/kit/arguments.h"

namespace vramlab::tools {

struct VerifiedFile {
  std::string file;
  replay::Fidelity fidelity;
};

std::string fidelity_text(const VerifiedFile& verified, const CommonFlags& flags);
/// One line over all files.
std::string fidelity_totals(const std::vector<VerifiedFile>& verified);
std::string fidelity_json(const std::vector<VerifiedFile>& verified);

}  // namespace vramlab::tools
