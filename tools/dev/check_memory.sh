#!/usr/bin/env bash
# Replays the bundled samples and compares what they took with tests/golden/memory, by vramlab diff
# and the limits in .vramlab.json: a change of the allocator that moves a peak fails here, and says
# which call sites hold more. Where that is meant, bash tools/dev/check_memory.sh --write writes the
# files anew; they belong into the commit that changes the behaviour.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

golden=tests/golden/memory
fresh=build/memory

case "${1:-}" in
  "") ;;
  --write) fresh="$golden" ;;
  *) echo "usage: bash tools/dev/check_memory.sh [--write]" >&2; exit 2 ;;
esac

# The figures of the whole run, and who holds what at the peak. One entry of history makes the
# snapshot keep the stacks of its blocks.
measure() {
  build/vramlab replay "$1" --quiet --json >"$fresh/$2.report.json"
  build/vramlab replay "$1" --quiet --history 1 --snapshot-at peak --force \
    --snapshot-out "$fresh/$2.peak.pickle" >/dev/null
}

# compare BASE NEW: prints only what differs.
compare() {
  local status=0 text
  text="$(build/vramlab diff "$1" "$2")" || status=$?
  [ "$status" -eq 0 ] || printf '%s\n\n' "$text"
  return "$status"
}

mkdir -p "$fresh"
samples=0
different=0
for sample in traces/samples/*.vtrace*; do
  name="$(basename "$sample")"
  name="${name%%.*}"
  measure "$sample" "$name"
  samples=$((samples + 1))
  if [ "$fresh" = "$golden" ]; then
    gzip -9nf "$fresh/$name.peak.pickle"
    continue
  fi
  same=yes
  compare "$golden/$name.report.json" "$fresh/$name.report.json" || same=no
  compare "$golden/$name.peak.pickle.gz" "$fresh/$name.peak.pickle" || same=no
  [ "$same" = yes ] || different=$((different + 1))
done

if [ "$fresh" = "$golden" ]; then
  echo "memory: wrote the figures of $samples samples to $golden"
elif [ "$different" -gt 0 ]; then
  echo "memory: $different of $samples samples need other memory than $golden says;" \
    "if that is meant: bash tools/dev/check_memory.sh --write"
  exit 1
else
  echo "memory: $samples samples need what $golden says"
fi
