#include "tools/cli/kit/logging.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <memory>

#include "tools/cli/printers/shown_text.h"

namespace vramlab::tools {

void start_logging(const CommonFlags& flags) {
  const auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  const auto logger = std::make_shared<spdlog::logger>("vramlab", sink);
  logger->set_pattern("vramlab: %^%l%$: %v");
  logger->set_level(spdlog::level::warn);
  if (flags.verbose) logger->set_level(spdlog::level::debug);
  if (flags.quiet) logger->set_level(spdlog::level::err);
  spdlog::set_default_logger(logger);
}

void log_warning(const std::string& text) { spdlog::warn("{}", shown_name(text)); }
void log_detail(const std::string& text) { spdlog::debug("{}", shown_name(text)); }

}  // namespace vramlab::tools
