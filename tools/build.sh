#!/usr/bin/env bash
# Configures and builds a preset of CMakePresets.json, all of it or the named targets:
#   bash tools/build.sh release vramlab
# Progress is one line that counts up on a terminal; elsewhere only the compiler's messages are shown.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset="${1:?usage: bash tools/build.sh PRESET [TARGET...]}"
shift
targets=()
[ "$#" -eq 0 ] || targets=(--target "$@")

# A build folder that exists keeps the generator it was made with.
export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
# Lines begin with "[ 42%]", as those of make do.
export NINJA_STATUS='[%p] '

on_terminal() { [ -t 1 ]; }

elapsed() { printf '%d min %02d s' $((SECONDS / 60)) $((SECONDS % 60)); }

show_progress() {
  local line
  while IFS= read -r line; do
    if [[ "$line" =~ ^\[\ *([0-9]+)%\] ]]; then
      ! on_terminal || printf '\rbuild: %3d %% after %s\033[K' "${BASH_REMATCH[1]}" "$(elapsed)"
    elif [ "$line" != "ninja: no work to do." ]; then
      ! on_terminal || printf '\r\033[K'
      printf '%s\n' "$line"
    fi
  done
  ! on_terminal || printf '\r\033[K'
}

echo "build: ${*:-everything}, preset $preset"
cmake --preset "$preset" --log-level=WARNING >/dev/null
cmake --build --preset "$preset" --parallel "$(nproc)" "${targets[@]}" 2>&1 | show_progress
echo "build: done after $(elapsed)"
