#!/usr/bin/env bash
# The long random run: random programs on the engine and on the textbook twin side by side, the
# checker after every call. Takes how many calls and the first seed; a failure prints the seed that
# shows it again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ "${1:-}" = --help ] || [ "$#" -gt 2 ]; then
  echo "usage: bash tools/soak.sh [CALLS [SEED]]   (10000000 calls from seed 1)"
  [ "${1:-}" = --help ] && exit 0
  exit 2
fi
calls="${1:-10000000}"
seed="${2:-1}"

bash tools/setup.sh
bash tools/build.sh release vramlab_soak
echo "soak: $calls calls from seed $seed"
build/vramlab_soak "$calls" "$seed"
