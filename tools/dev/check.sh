#!/usr/bin/env bash
# What tools/test.sh leaves out: format, scripts, the bundled report page, lint, layout, what the
# samples take of memory, short random runs and the whole suite under the address and
# undefined-behaviour sanitizers, and what has threads under the thread sanitizer. All steps, or
# those named: bash tools/dev/check.sh format lint. Stops at the first step that fails.
# bash tools/dev/check.sh truth FOLDER compares replays with the runs of a folder like tests/truth.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

jobs="$(nproc)"
all_steps=(format scripts page lint layout memory soak address thread)

step() { printf '\ncheck: %s\n' "$*"; }
files_named() { find allocator streams traces replay tools "$@" | sort; }

check_format() {
  step "every source is formatted as .clang-format says (bash tools/dev/format.sh does it)"
  files_named tests -name '*.cpp' -o -name '*.h' -o -name '*.cu' | xargs clang-format-14 --dry-run --Werror
}

check_scripts() {
  step "the shell scripts can be parsed"
  local script
  for script in tools/*.sh tools/web/report/*.sh tests/{browser,cuda_interface,packaging}/*.sh .ci/run; do
    bash -n "$script"
  done
}

check_page() {
  step "the bundled report page is what its sources give (needs Node.js: setup.sh --with-browser)"
  bash tools/web/report/build.sh --check
}

check_lint() {
  step "clang-tidy finds nothing in the libraries and the program"
  bash tools/build.sh release vramlab
  files_named -name '*.cpp' |
    xargs --max-args=2 --max-procs="$jobs" clang-tidy-14 -p build --quiet \
      --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option \
      2> >(grep -v 'warnings\? generated\.$' >&2)
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

# In shares, not test by test: starting an instrumented program takes longer than most tests.
suite_under() {
  local shares=$((jobs * 8))
  bash tools/build.sh "$1" vramlab vramlab_tests
  seq 0 $((shares - 1)) |
    UBSAN_OPTIONS=print_stacktrace=1 GTEST_TOTAL_SHARDS="$shares" GTEST_BRIEF=1 \
      xargs --max-procs="$jobs" -I '{}' \
      env GTEST_SHARD_INDEX='{}' timeout 3600 "build-$1/vramlab_tests"
}

# The PyTorch plug-in's, a process each: what PyTorch loads lives as long as its process, so leaks
# are not looked for (which the sanitizer can't where a library was loaded later).
torch_tests_under() {
  bash tools/build.sh "$1" vramlab_torch_tests
  local program="build-$1/vramlab_torch_tests"
  "$program" --gtest_list_tests --gtest_filter="$2" |
    awk '/^[^ ]/ { suite = $1 } /^ / { print suite $1 }' |
    GTEST_BRIEF=1 UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=0 \
      xargs --max-procs="$jobs" -I '{}' \
      env LD_LIBRARY_PATH="build-$1/fake_cuda" timeout 3600 "$program" --gtest_filter='{}'
}

check_address() {
  step "the suite under the address and undefined-behaviour sanitizers"
  suite_under asan-ubsan
  for program in vramlab_fake_cuda_tests vramlab_shim_tests vramlab_live_tests; do
    bash tools/build.sh asan-ubsan "$program"
    timeout 3600 "build-asan-ubsan/$program" --gtest_brief=1
  done
  torch_tests_under asan-ubsan '*'
}

# Without the suite, whose many sources take long to compile.
check_soak() {
  step "short random runs under the address and undefined-behaviour sanitizers"
  bash tools/build.sh asan-ubsan vramlab_soak vramlab_shim_soak
  build-asan-ubsan/vramlab_soak 30000 1
  build-asan-ubsan/vramlab_soak streams 3000 1
  build-asan-ubsan/vramlab_shim_soak 30000 1 4
  build-asan-ubsan/vramlab_shim_soak 30000 4 4 # With expandable segments.
  build-asan-ubsan/vramlab_shim_soak --mix all 20000 1 4
}

check_thread() {
  step "what has several threads, under the thread sanitizer (tests/threads, shim, fake_cuda, live)"
  suite_under tsan
  bash tools/build.sh tsan vramlab_shim_tests vramlab_shim_soak vramlab_fake_cuda_tests
  # Children that a test forks begin threads, which the sanitizer has to be allowed.
  TSAN_OPTIONS=die_after_fork=0 timeout 3600 build-tsan/vramlab_shim_tests --gtest_brief=1
  timeout 3600 build-tsan/vramlab_fake_cuda_tests --gtest_brief=1 --gtest_filter='*Threads*'
  build-tsan/vramlab_shim_soak 30000 1 4
  build-tsan/vramlab_shim_soak --mix all 20000 1 4
  torch_tests_under tsan '*Threads*'
}

if [ "${1:-}" = truth ]; then
  check_truth "${2:-}"
  exit
fi
steps=("$@")
[ "$#" -gt 0 ] || steps=("${all_steps[@]}")
for name in "${steps[@]}"; do
  if ! declare -F "check_$name" >/dev/null; then
    echo "usage: bash tools/dev/check.sh [STEP...]   steps: ${all_steps[*]}" >&2
    exit 2
  fi
done

bash tools/setup.sh --check
for name in "${steps[@]}"; do
  "check_$name"
done
