#!/usr/bin/env bash
# Builds every fuzz target (tests/fuzz) with clang and runs each for so many seconds (30), from the
# samples of tests/traces and what it found before (build-fuzz/TARGET-corpus) on. An input that
# breaks something is written to build-fuzz/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seconds="${1:-30}"
mapfile -t targets < <(find tests/fuzz -name '*_fuzz.cpp' -exec basename {} .cpp \; | sort)

bash tools/setup.sh --fuzz
bash tools/build.sh fuzz "${targets[@]}"
for target in "${targets[@]}"; do
  echo "fuzz: $target for $seconds s"
  mkdir -p build-fuzz/"$target"-corpus
  build-fuzz/"$target" -max_total_time="$seconds" -print_final_stats=1 -print_funcs=0 \
    -artifact_prefix=build-fuzz/"$target"- build-fuzz/"$target"-corpus tests/traces/samples
done
