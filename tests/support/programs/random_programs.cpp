#include "tests/support/programs/random_programs.h"

#include <algorithm>
#include <sstream>

#include "allocator/types/check.h"
#include "tests/support/programs/program_writer.h"

namespace vramlab::tests {
namespace {

using traces::RecordedProgram;

bool has_family(const allocator::ReferenceVersion& version, const RandomFamily& family) {
  return family.since == Since::every_version || has_pools_as_objects(version);
}

}  // namespace

std::vector<std::string_view> random_families(const allocator::ReferenceVersion& version) {
  std::vector<std::string_view> names;
  for (const RandomFamily& family : all_random_families())
    if (has_family(version, family)) names.push_back(family.name);
  return names;
}

RecordedProgram make_random_program(const ProgramWish& wish) {
  const auto families = all_random_families();
  const auto family = std::ranges::find(families, wish.family, &RandomFamily::name);
  check(family != families.end(), "a random family is one of the table");
  RandomNumbers numbers(wish.seed);
  RecordedProgram program;
  program.name = std::string(wish.family) + ", seed " + std::to_string(wish.seed);
  program.version = wish.version;
  program.device_total = allocator::Bytes{numbers.pick(family->device_sizes) << 20};
  if (!numbers.one_in(4)) program.config = random_options(numbers, *family, *wish.version);
  if (family->options.fraction > 0 && numbers.one_in(family->options.fraction))
    program.memory_fraction = random_fraction(numbers);
  ProgramWriter(numbers, *family, program).write(100 * (1 + wish.seed % 10));
  return program;
}

RecordedProgram make_random_program(std::uint64_t seed) {
  RandomNumbers numbers(~seed);
  const allocator::ReferenceVersion& version = numbers.pick(allocator::reference_versions());
  const auto families = random_families(version);
  return make_random_program({&version, numbers.pick(families), seed});
}

std::string describe(const RecordedProgram& program) {
  std::ostringstream text;
  text << program.name << ", version " << program.version->name << ", device of "
       << format_bytes(program.device_total) << ", options \"" << program.config << '"';
  if (program.memory_fraction) text << ", memory fraction " << *program.memory_fraction;
  text << ", " << program.calls.size() << " calls";
  return text.str();
}

}  // namespace vramlab::tests
