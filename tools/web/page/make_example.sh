#!/usr/bin/env bash
# Makes the example that vramlab.html offers: training with sequences of many lengths, which runs out of
# memory on a device of 6 GiB with no options.
#   bash tools/web/page/make_example.sh [PROGRAM]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

program="${1:-build/vramlab}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
"$program" generate training --layers 8 --hidden 1024 --batch 8 --sequence 2048 --shortest 5 \
  --vocabulary 8000 --events 9000 --seed 6 -o "$folder/program.vtrace" -q
"$program" replay "$folder/program.vtrace" --device-memory 6GiB -q >/dev/null \
  --snapshot-out "$folder/example.pickle" --snapshot-at oom --history 100000
gzip -9 -n -c "$folder/example.pickle" >tools/web/page/example.pickle.gz
