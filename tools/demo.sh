#!/usr/bin/env bash
# Installs what is missing, builds, and shows the main job: the bundled recordings of the reference
# allocator are run again here and must agree in every answer. Then a workload under two settings,
# the streams of a program, and what a call costs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash tools/setup.sh
bash tools/build.sh release vramlab

echo
echo "demo: the recorded runs in tests/conformance, each compared to the last byte"
echo "\$ build/vramlab conform tests/conformance/*.json.gz"
build/vramlab conform tests/conformance/*.json.gz

echo
echo "demo: a training run (made by vramlab generate) as it is, and with expandable segments"
for conf in "" expandable_segments:True; do
  echo "\$ build/vramlab replay traces/samples/training.vtrace --conf '$conf'"
  build/vramlab replay traces/samples/training.vtrace --conf "$conf"
done

echo
echo "demo: a program that hands memory on too early, and the call that would mend it"
echo "\$ build/vramlab streams traces/samples/missing_record_stream.vtrace.jsonl"
build/vramlab streams traces/samples/missing_record_stream.vtrace.jsonl

echo
echo "demo: what a malloc or free costs here, beside a yardstick measured in the same run"
echo "\$ build/vramlab bench engine"
build/vramlab bench engine
