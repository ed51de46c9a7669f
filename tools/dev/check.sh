#!/usr/bin/env bash
# Checks what a compiler doesn't: formatting, scripts, the bundled page, lint, the layout of the tree, the
# memory of the samples, short random runs and the suite under sanitizers, and programs with threads
# under the thread sanitizer. All steps, or those named: bash tools/dev/check.sh format lint. Stops at the
# first step that fails.
# --today in front: lint looks only at sources that changed since the last release, and of the suites
# under sanitizers only the rooms and programs of the day are built and run, so that a week covers all
# (tools/dev/shares.py); --share N takes the share of another day.
# bash tools/dev/check.sh truth FOLDER compares replays with the runs of a folder like tests/truth.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

jobs="$(nproc)"
all_steps=(format scripts page lint layout memory soak address thread)
# The share of suites and sources that is looked at; empty for all.
share=()
# The cache has to hold one plain and two sanitized builds of everything.
export CCACHE_MAXSIZE="${CCACHE_MAXSIZE:-12G}"

step() { printf '\ncheck: %s\n' "$*"; }
files_named() { find allocator streams traces replay tools "$@" | sort; }

check_format() {
  step "every source is formatted as .clang-format says (bash tools/dev/format.sh does it)"
  files_named tests docs/examples -name '*.cpp' -o -name '*.h' -o -name '*.cu' |
    xargs --max-args=64 --max-procs="$jobs" clang-format-19 --dry-run --Werror
}

check_scripts() {
  step "shellcheck finds nothing in the shell scripts"
  find tools tests -name node_modules -prune -o -name '*.sh' -print0 |
    xargs -0 shellcheck .ci/run tools/packaging/completions/vramlab.bash
}

check_page() {
  step "the bundled report page is what its sources give (needs Node.js: setup.sh --with-browser)"
  bash tools/web/report/build.sh --check
}

# Each source alone and as clang compiles it, so that none relies on what is compiled together.
check_lint() {
  step "clang-tidy finds nothing in the libraries and the program${share:+ (what changed since the last release)}"
  local sources
  sources="$(python3 tools/dev/shares.py sources "${share[@]}")"
  [ -n "$sources" ] || { echo "lint: no source changed"; return; }
  cmake --preset lint --log-level=WARNING -G Ninja >/dev/null
  # Lists that the build writes and sources include.
  ninja -C build-lint -t targets all | sed -n 's/^\([^/].*\.inc\): CUSTOM_COMMAND$/\1/p' |
    xargs --no-run-if-empty ninja -C build-lint --quiet
  echo "lint: $(wc -l <<<"$sources") sources"
  xargs --max-args=2 --max-procs="$jobs" clang-tidy-19 -p build-lint --quiet --warnings-as-errors='*' \
    <<<"$sources" 2> >(grep -Ev 'warnings? generated\.$|^\[[0-9]+/[0-9]+\] Processing file' >&2)
}

check_layout() {
  step "includes, rooms, functions, comments and readmes keep the rules of the house"
  python3 -B tests/layout/layout_test.py
}

# truth FOLDER, for recordings of one's own.
check_truth() {
  step "replays say what PyTorch did (tests/truth)"
  bash tools/build.sh release vramlab
  python3 -B tests/truth/compare.py build/vramlab "${1:-tests/truth}"
}

check_memory() {
  step "the samples take as much memory as tests/golden/memory says (tools/dev/check_memory.sh)"
  bash tools/build.sh release vramlab
  bash tools/dev/check_memory.sh
}

# The suite of the rooms in the share, in parts, not test by test: starting an instrumented program takes
# longer than most tests.
suite_under() {
  local parts=$((jobs * 8)) program="build-$1/vramlab_tests"
  cmake --preset "$1" --log-level=WARNING -G Ninja \
    "-DVRAMLAB_TEST_ROOMS=$(python3 tools/dev/shares.py rooms "${share[@]}")" >/dev/null
  if ! ninja -C "build-$1" -t query vramlab_tests >/dev/null 2>&1; then
    echo "$1: no room of the share has tests for it"
    return
  fi
  bash tools/build.sh "$1" vramlab_tests
  seq 0 $((parts - 1)) |
    UBSAN_OPTIONS=print_stacktrace=1 GTEST_TOTAL_SHARDS="$parts" GTEST_BRIEF=1 \
      xargs --max-procs="$jobs" -I '{}' env GTEST_SHARD_INDEX='{}' timeout 3600 "$program"
}

# program_under PRESET PROGRAM [FILTER]: a program with suites of its own, in one process.
program_under() {
  bash tools/build.sh "$1" "$2"
  timeout 3600 "build-$1/$2" --gtest_brief=1 --gtest_filter="${3:-*}"
}

# The PyTorch plug-in's, a process each: what PyTorch loads lives as long as its process, so leaks
# are not looked for (which the sanitizer can't where a library was loaded later).
torch_tests_under() {
  bash tools/build.sh "$1" vramlab_torch_tests
  local program="build-$1/vramlab_torch_tests"
  "$program" --gtest_list_tests --gtest_filter="$2" |
    awk '/^[^ ]/ { suite = $1 } /^ / { print suite $1 }' |
    GTEST_BRIEF=1 UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=0 \
      xargs --no-run-if-empty --max-procs="$jobs" -I '{}' \
      env LD_LIBRARY_PATH="build-$1/fake_cuda" timeout 3600 "$program" --gtest_filter='{}'
}

check_address() {
  step "the suite under the address and undefined-behaviour sanitizers${share:+ (share ${share[0]} of 0 to 6)}"
  suite_under asan-ubsan
  local program
  for program in $(python3 tools/dev/shares.py programs "${share[@]}"); do
    case "$program" in
      vramlab_torch_tests) torch_tests_under asan-ubsan '*' ;;
      *) program_under asan-ubsan "$program" ;;
    esac
  done
}

# Without the suite, whose many sources take long to compile.
check_soak() {
  step "short random runs under the address and undefined-behaviour sanitizers"
  bash tools/build.sh soak vramlab_soak vramlab_shim_soak
  build-soak/vramlab_soak 30000 1
  build-soak/vramlab_soak streams 3000 1
  build-soak/vramlab_shim_soak 30000 1 4
  build-soak/vramlab_shim_soak 30000 4 4 # With expandable segments.
  build-soak/vramlab_shim_soak --mix all 20000 1 4
}

check_thread() {
  step "programs with threads under the thread sanitizer${share:+ (share ${share[0]} of 0 to 6)}"
  suite_under tsan
  local program
  for program in $(python3 tools/dev/shares.py programs "${share[@]}"); do
    case "$program" in
      vramlab_shim_tests) shim_under_tsan ;;
      vramlab_fake_cuda_tests) program_under tsan "$program" '*Threads*' ;;
      vramlab_torch_tests) torch_tests_under tsan '*Threads*' ;;
    esac
  done
}

shim_under_tsan() {
  # Children that a test forks begin threads, which the sanitizer has to be allowed.
  TSAN_OPTIONS=die_after_fork=0 program_under tsan vramlab_shim_tests
  bash tools/build.sh tsan vramlab_shim_soak
  build-tsan/vramlab_shim_soak 30000 1 4
  build-tsan/vramlab_shim_soak --mix all 20000 1 4
}

case "${1:-}" in
  --today)
    share=("$(python3 tools/dev/shares.py today)")
    shift
    ;;
  --share)
    share=("${2:?--share needs a number from 0 to 6}")
    shift 2
    ;;
esac
if [ "${1:-}" = truth ]; then
  check_truth "${2:-}"
  exit
fi
steps=("$@")
[ "$#" -gt 0 ] || steps=("${all_steps[@]}")
for name in "${steps[@]}"; do
  if ! declare -F "check_$name" >/dev/null; then
    echo "usage: bash tools/dev/check.sh [--today | --share 0..6] [STEP...]   steps: ${all_steps[*]}" >&2
    exit 2
  fi
done

bash tools/setup.sh --check
for name in "${steps[@]}"; do
  "check_$name"
done
