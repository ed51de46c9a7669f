#include "tools/kit/arguments.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace vramlab::tools {

void add_common_flags(CLI::App& command, CommonFlags& flags) {
  command.add_flag("--json", flags.json, "Print one JSON document");
  CLI::Option* quiet = command.add_flag("-q,--quiet", flags.quiet, "Print the result only");
  command.add_flag("-v,--verbose", flags.verbose, "Say more, also on standard error")
      ->excludes(quiet);
}

std::string refusal_of_nothing(const std::string& number) {
  return number.find_first_not_of('0') == std::string::npos
             ? "expected a number above 0, found " + number
             : std::string();
}

void start_logging(const CommonFlags& flags) {
  const auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  const auto logger = std::make_shared<spdlog::logger>("vramlab", sink);
  logger->set_pattern("vramlab: %^%l%$: %v");
  logger->set_level(spdlog::level::warn);
  if (flags.verbose) logger->set_level(spdlog::level::debug);
  if (flags.quiet) logger->set_level(spdlog::level::err);
  spdlog::set_default_logger(logger);
}

}  // namespace vramlab::tools
