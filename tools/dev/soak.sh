#!/usr/bin/env bash
# The long random run: random programs on the engine and on the textbook twin side by side, the
# checker after every call. Takes how many calls and the first seed; a failure prints the seed that
# shows it again. With `host` first: pinned host memory. With `streams` first: programs of calls on
# streams, beside their naive twin. With `shim` first: threads that mix all the preload shim knows
# of, over the fake driver.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

program=vramlab_soak
subject=()
what=calls
amount=10000000
if [ "${1:-}" = streams ]; then
  shift
  subject=(streams)
  what=programs
  amount=1000000
elif [ "${1:-}" = shim ]; then
  shift
  program=vramlab_shim_soak
  subject=(--mix all)
  what=steps
  amount=1000000
fi
if [ "${1:-}" = host ]; then
  shift
  subject=(host)
fi
if [ "${1:-}" = --help ] || [ "$#" -gt 2 ]; then
  echo "usage: bash tools/dev/soak.sh [host] [CALLS [SEED]]       (10000000 calls from seed 1)"
  echo "       bash tools/dev/soak.sh streams [PROGRAMS [SEED]]   (1000000 programs from seed 1)"
  echo "       bash tools/dev/soak.sh shim [STEPS [SEED]]         (1000000 steps from seed 1)"
  [ "${1:-}" = --help ] && exit 0
  exit 2
fi
amount="${1:-$amount}"
seed="${2:-1}"

bash tools/setup.sh
bash tools/build.sh release "$program"
echo "soak: $amount $what from seed $seed"
"build/$program" "${subject[@]}" "$amount" "$seed"
