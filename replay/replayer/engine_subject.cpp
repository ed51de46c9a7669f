#include "replay/replayer/engine_subject.h"

#include <utility>

namespace vramlab::replay {
using namespace allocator;

std::unique_ptr<AllocatorSubject> make_engine_subject(Device& device,
                                                      const ReferenceVersion& version,
                                                      std::string_view config,
                                                      std::optional<SettingsError>& config_error) {
  Settings settings;
  if (!config.empty()) {
    ParsedSettings parsed = parse_settings(settings, config, version);
    settings = std::move(parsed.settings);
    config_error = std::move(parsed.error);
  }
  return std::make_unique<EngineSubject<Listeners<Statistics, History>>>(device, version, settings);
}

}  // namespace vramlab::replay
