#!/usr/bin/env bash
# Configures and builds a preset of CMakePresets.json, all of it or the named targets:
#   bash tools/build.sh release vramlab
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset="${1:?usage: bash tools/build.sh PRESET [TARGET...]}"
shift
targets=()
[ "$#" -eq 0 ] || targets=(--target "$@")

# A build folder that exists keeps the generator it was made with.
export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"

echo "build: preset $preset"
cmake --preset "$preset" --log-level=WARNING >/dev/null
cmake --build --preset "$preset" --parallel "$(nproc)" "${targets[@]}"
