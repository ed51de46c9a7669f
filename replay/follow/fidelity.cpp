#include "replay/follow/fidelity.h"

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

/// A device without a history says nothing against those that have one.
FidelityLabel Fidelity::label() const {
  const auto weight = [](FidelityLabel label) {
    switch (label) {
      case FidelityLabel::final_state_only:
        return 0;
      case FidelityLabel::exact:
        return 1;
      case FidelityLabel::approximate:
        return 2;
      case FidelityLabel::different:
        return 3;
    }
    return 3;
  };
  FidelityLabel worst = FidelityLabel::final_state_only;
  for (const DeviceFidelity& device : devices)
    if (weight(device.label) > weight(worst)) worst = device.label;
  return worst;
}

}  // namespace vramlab::replay
