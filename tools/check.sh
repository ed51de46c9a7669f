#!/usr/bin/env bash
# What tools/test.sh leaves out: format, lint, shell scripts, layout, and the whole suite under the
# address, undefined-behaviour and thread sanitizers. Ends with failure at the first step that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs="$(nproc)"
step() { printf '\ncheck: %s\n' "$*"; }
sources() { find "$@" -name '*.cpp' -o -name '*.h' | sort; }

check_format() {
  step "every source is formatted as .clang-format says"
  sources allocator streams traces replay tools tests | xargs clang-format-14 --dry-run --Werror
}

check_lint() {
  step "clang-tidy finds nothing in the libraries and the program"
  find allocator streams traces replay tools -name '*.cpp' | sort |
    xargs --max-args=2 --max-procs="$jobs" clang-tidy-14 -p build --quiet \
      --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option \
      2> >(grep -v 'warnings\? generated\.$' >&2)
}

check_scripts() {
  step "the shell scripts are well formed"
  for script in tools/*.sh .ci/run; do
    bash -n "$script"
  done
}

check_layout() {
  step "includes, levels, lengths and readmes keep the rules of the house"
  build/vramlab_tests --gtest_brief=1 --gtest_filter='Layout*'
}

check_suite_under() {
  step "the suite under $2"
  bash tools/build.sh "$1" vramlab vramlab_tests
  ctest --preset "$1" --parallel "$jobs"
}

bash tools/setup.sh --check
bash tools/build.sh release
check_format
check_scripts
check_lint
check_layout
check_suite_under asan-ubsan "the address and undefined-behaviour sanitizers"
check_suite_under tsan "the thread sanitizer"
