#include "tools/cli/kit/arguments.h"

#include "allocator/types/reference_version.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace vramlab::tools {
namespace {

constexpr std::size_t most_decimals = 9;

/// Throws CLI's error where it is none.
std::uint64_t whole_units(std::string text) {
  const CLI::AsSizeValue units(true);
  units(text);
  std::uint64_t bytes = 0;
  const char* const end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, bytes);
      read.ec != std::errc() || read.ptr != end)
    throw CLI::ValidationError(text);
  return bytes;
}

/// `decimals` behind the point of a unit of so many bytes: each product fits, as both factors of
/// the second one are below a power of ten that does.
std::uint64_t bytes_behind_the_point(const std::string& decimals, std::uint64_t unit) {
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < decimals.size(); ++i) power *= 10;
  const std::uint64_t digits = std::stoull(decimals);
  return digits * (unit / power) + digits * (unit % power) / power;
}

/// 1.5GiB is 1610612736. Nothing where it is no size.
std::optional<std::uint64_t> bytes_of(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) == 0) return std::nullopt;
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return whole_units(text);
  const std::size_t rest = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
  const std::string decimals = text.substr(point + 1, rest - point - 1);
  const std::string unit = text.substr(rest);
  if (decimals.empty() || decimals.size() > most_decimals) return std::nullopt;
  return whole_units(text.substr(0, point) + unit) +
         bytes_behind_the_point(decimals, whole_units("1" + unit));
}

std::string convert(std::string& text) {
  try {
    if (const auto bytes = bytes_of(text)) {
      text = std::to_string(*bytes);
      return "";
    }
  } catch (const CLI::ValidationError&) {
    // Said below, as everything that is no size.
  }
  return "expected a size such as 80GiB or 23.69GiB, found " + text;
}

}  // namespace

void add_reference(CLI::App& command, std::string& name, const std::string& usual) {
  command.add_option("--reference", name, "Version of the allocator (" + usual + ")")
      ->check([](const std::string& given) {
        return allocator::find_reference_version(given) ? std::string()
                                                        : "there is no version " + given;
      });
}

void add_common_flags(CLI::App& command, CommonFlags& flags) {
  command.add_flag("--json", flags.json, "Print one JSON document");
  CLI::Option* quiet = command.add_flag("-q,--quiet", flags.quiet, "Print the result only");
  command.add_flag("-v,--verbose", flags.verbose, "Print more, also on standard error")
      ->excludes(quiet);
}

void add_jobs(CLI::App& command, std::size_t& threads) {
  command.add_option("-j,--jobs", threads, "Threads to use (default: one per core)")
      ->check(CLI::Range(1, 1024));
}

void add_several_confs(CLI::App& command, std::vector<std::string>& options,
                       const std::string& description) {
  command.add_option("--conf", options, description + "; may be given several times")
      ->expected(1)
      ->take_all();
}

std::string refusal_of_nothing(const std::string& number) {
  return number.find_first_not_of('0') == std::string::npos
             ? "expected a number above 0, found " + number
             : std::string();
}

CLI::Validator size_in_bytes() {
  return CLI::Validator(convert, CLI::AsSizeValue(true).get_description());
}

CLI::Validator time_in_nanoseconds() {
  const std::map<std::string, std::uint64_t> units = {
      {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  return CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED, "TIME");
}

traces::ScratchPlace scratch_place() {
  // No thread of ours changes the environment.
  const char* folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return {folder == nullptr || *folder == '\0' ? "/tmp" : folder};
}

}  // namespace vramlab::tools
