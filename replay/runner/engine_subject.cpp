#include "replay/runner/engine_subject.h"

#include <utility>

#include "allocator/readonly/consistency.h"
#include "replay/runner/allocator_adapter.h"

namespace vramlab::replay {
namespace {

using namespace allocator;

class EngineSubject final : public AllocatorAdapter<Listeners<Statistics, History>> {
 public:
  using AllocatorAdapter::AllocatorAdapter;

  StatisticValues statistics() const override { return recorded<Statistics>().values(); }
  void reset_peak_statistics() override { recorded<Statistics>().reset_peak(); }
  void reset_accumulated_statistics() override { recorded<Statistics>().reset_accumulated(); }
  std::vector<AllocatorEvent> history() const override { return recorded<History>().entries(); }
  std::string find_broken_rule() const override {
    const std::vector<std::string> broken = allocator::find_broken_rules(engine());
    return broken.empty() ? std::string() : broken.front();
  }

 private:
  template <class Listener>
  Listener& recorded() {
    return engine().listeners();
  }
  template <class Listener>
  const Listener& recorded() const {
    return engine().listeners();
  }
};

}  // namespace

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
  return std::make_unique<EngineSubject>(device, version, settings);
}

}  // namespace vramlab::replay
