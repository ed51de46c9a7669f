#!/usr/bin/env bash
# Compares answers of the program for 64-bit ARM, emulated, with those of build/vramlab:
#   bash tests/packaging/arm64.sh [FILE...]
# About these files, which are four samples without arguments. Needs what `tools/setup.sh --with-arm64`
# installs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

files=("$@")
[ "${#files[@]}" -gt 0 ] ||
  files=(traces/samples/{recompute.vtrace,graphs.vtrace.jsonl,overlap.vtrace.jsonl,gpt_training.pickle.gz})
root="${VRAMLAB_ARM64_ROOT:-/var/tmp/vramlab-arm64-root}"
emulator="${VRAMLAB_QEMU_AARCH64:-qemu-aarch64-static}"

# Both of the same sources.
bash tools/build.sh package-arm64 vramlab
cmake --build build --parallel "$(nproc)" --target vramlab
python3 -B tests/packaging/same_answers.py "$PWD/build/vramlab" \
  "$emulator -L $root $PWD/build-package-arm64/vramlab" "${files[@]}"
