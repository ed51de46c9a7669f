// vramlab_benchmarks [engine | streams | trace | shares]: measurements, of which nothing is
// asserted.
#include <exception>

#include "tests/benchmarks/benchmarks.h"

int main(int argc, char** argv) {
  using namespace vramlab::tests;
  CLI::App program("Measure vramlab itself, beside yardsticks.", "vramlab_benchmarks");
  program.require_subcommand(0, 1);
  add_engine_benchmark(program);
  add_streams_benchmark(program);
  add_trace_benchmark(program);
  add_shares(program);
  try {
    program.parse(argc, argv);
    if (program.get_subcommands().empty()) print_shares({});
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vramlab_benchmarks: %s\n", error.what());
    return 2;
  }
}
