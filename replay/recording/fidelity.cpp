#include "replay/recording/fidelity.h"

#include <algorithm>

namespace vramlab::replay {

std::string_view fidelity_label_name(FidelityLabel label) {
  switch (label) {
    case FidelityLabel::exact:
      return "exact";
    case FidelityLabel::approximate:
      return "approximate";
    case FidelityLabel::final_state_only:
      return "final state only";
    case FidelityLabel::different:
      return "different";
  }
  return "unknown";
}

FidelityLabel Fidelity::label() const {
  FidelityLabel weakest = FidelityLabel::final_state_only;
  for (const DeviceFidelity& device : devices) weakest = std::max(weakest, device.label);
  return weakest;
}

}  // namespace vramlab::replay
