#!/usr/bin/env bash
# Runs everything that needs a GPU and writes it to one folder: bash tests/gpu/run_all.sh OUT [BUILD]
#
# Each step leaves OUT/NAME.log; OUT/summary.txt says of each whether it passed, failed or was
# skipped, and why. Nothing is installed. Leaves with 77 where no GPU answers, with 1 where a step
# failed. docs/gpu_results.md says what to do with the folder.
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
top="$(cd "$here/../.." && pwd)"
out="${1:?bash tests/gpu/run_all.sh OUT [BUILD]}"
build="$(cd "${2:-$top/build}" && pwd)"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
summary="$out/summary.txt"
: >"$summary"
failures=0

note() {
  echo "$1" | tee -a "$summary"
}

# step NAME COMMAND...: 0 passed, 77 or a line of "NOTHING ... ON A GPU" skipped, anything else failed.
step() {
  local name="$1" status=0
  shift
  "$@" >"$out/$name.log" 2>&1 || status=$?
  if [ "$status" -eq 77 ] || grep -q 'NOTHING \(IS\|WAS\) TESTED ON A GPU' "$out/$name.log"; then
    note "SKIPPED $name: $(grep -m1 SKIPPED "$out/$name.log")"
  elif [ "$status" -eq 0 ]; then
    note "passed  $name"
  else
    note "FAILED  $name (exit status $status, see $name.log)"
    failures=$((failures + 1))
  fi
}

skip() {
  note "SKIPPED $1: $2. NOTHING WAS TESTED ON A GPU."
}

# What the other figures are worth nothing without.
{
  date -u +%Y-%m-%d
  git -C "$top" rev-parse HEAD
  nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader
  nvcc --version 2>/dev/null | tail -n 2
  python3 -c 'import torch; print("torch", torch.__version__, torch.version.cuda)' 2>/dev/null
} >"$out/machine.txt" 2>&1
if ! nvidia-smi -L >/dev/null 2>&1; then
  skip everything "no GPU answers nvidia-smi"
  exit 77
fi
cat "$out/machine.txt"

# The simulator's rules, and the live device.
step streams "$build/vramlab_gpu_tests"
step live "$build/vramlab_gpu_live_tests"
step live_serving "$build/vramlab" live "$top/traces/samples/serving.vtrace.jsonl" --json \
  -o "$out/live_serving.json" --force
step live_training "$build/vramlab" live "$top/traces/samples/training.vtrace" --json \
  -o "$out/live_training.json" --force
step calibrate "$build/vramlab" live --calibrate -o "$out/device_calls.json" --force

# Programs that know nothing of us, under the preload, with both kinds of runtime.
nvcc="$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)"
preload="$build/libvramlab_preload.so"
under() {
  env LD_PRELOAD="$preload" VRAMLAB_SHIM="$1" "$2"
}
sanitize() {
  env LD_PRELOAD="$preload" VRAMLAB_SHIM="$1" compute-sanitizer --error-exitcode 9 "$2"
}
if [ ! -x "$nvcc" ]; then
  skip programs "there is no nvcc"
elif [ ! -e "$preload" ]; then
  skip programs "$preload is not built"
else
  for source in "$here"/programs/*.cu; do
    name="$(basename "$source" .cu)"
    libraries=()
    grep -q cublas "$source" && libraries=(-lcublas)
    for runtime in static shared; do
      program="$out/$name.$runtime"
      if ! "$nvcc" -std=c++17 -O2 -cudart "$runtime" "$source" -o "$program" "${libraries[@]}" \
        >"$program.build.log" 2>&1; then
        skip "$name.$runtime" "nvcc does not build it here"
        continue
      fi
      step "$name.$runtime.alone" "$program"
      for mode in deferred sync nosplit off; do
        step "$name.$runtime.$mode" under "$mode" "$program"
      done
      if command -v compute-sanitizer >/dev/null; then
        for mode in off nosplit deferred; do
          step "$name.$runtime.sanitizer.$mode" sanitize "$mode" "$program"
        done
      else
        skip "$name.$runtime.sanitizer" "there is no compute-sanitizer"
      fi
    done
  done
fi

# PyTorch on the plug-in, and what PyTorch's own allocator recorded, followed by the engine.
step torch_whole python3 "$here/torch/plugin.py" "$build/libvramlab_torch.so" whole
step torch_segments python3 "$here/torch/plugin.py" "$build/libvramlab_torch.so" segments
for case in $(python3 "$here/torch/record.py" --list); do
  step "record_$case" python3 "$here/torch/record.py" "$case" "$out/$case.pickle"
  [ -e "$out/$case.pickle" ] && step "verify_$case" "$build/vramlab" verify "$out/$case.pickle"
done

note "$failures steps failed"
[ "$failures" -eq 0 ]
