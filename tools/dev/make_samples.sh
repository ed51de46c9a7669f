#!/usr/bin/env bash
# Writes the bundled samples, traces/samples, anew. A test compares them with what `vramlab generate`
# writes, so this is run in the commit that changes a workload on purpose.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

bash tools/build.sh release vramlab

# sample FILE NAME OPTION...
sample() {
  build/vramlab generate "${@:2}" -o "traces/samples/$1" --force
}

sample training.vtrace training --events 5000 --layers 6
sample recompute.vtrace training --events 5000 --layers 6 --recompute --seed 2
sample serving.vtrace.jsonl serving --events 5000 --layers 2 --batch 6 --answer 40
sample experts.vtrace experts --events 4000 --layers 3 --experts 8
sample diffusion.vtrace diffusion --events 4000 --steps 4
sample graphs.vtrace.jsonl graphs --events 5000 --layers 6 --graphs 3 --answer 32
sample leak.vtrace leak --events 5000 --layers 2
sample fragments.vtrace fragments --events 7000 --blocks 100
sample dataloader.vtrace.jsonl dataloader --events 3000 --layers 3
ls -l traces/samples
