#!/usr/bin/env bash
# Runs what needs a GPU and writes it to one folder: bash tests/gpu/run_all.sh OUT [BUILD [GROUP...]]
#
# The groups, all by default: costs programs plugin under_shim recordings dry_run streams live. Each
# step leaves OUT/NAME.log; OUT/summary.txt says of each whether it passed, failed or was skipped, and
# why. Nothing is installed. Leaves with 77 where no GPU answers, with 1 where a step
# failed. docs/design/real_runs.md says what to do with the folder.
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
top="$(cd "$here/../.." && pwd)"
out="${1:?bash tests/gpu/run_all.sh OUT [BUILD]}"
build="$(cd "${2:-$top/build}" && pwd)"
groups="${*:3}"
groups="${groups:-costs programs plugin under_shim recordings dry_run streams live}"
gpu="${VRAMLAB_GPU_NAME:-h100-80gb}"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
summary="$out/summary.txt"
: >"$summary"
failures=0
# A GPU that hangs must not cost the steps after it.
longest_step=300

note() {
  echo "$1" | tee -a "$summary"
}

# step NAME COMMAND...: 0 passed, 77 or a line of "NOTHING ... ON A GPU" skipped, anything else failed.
step() {
  local name="$1" status=0
  shift
  timeout --kill-after 5 "$longest_step" "$@" >"$out/$name.log" 2>&1 || status=$?
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

# The checks without which the other figures are worth nothing.
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

nvcc="$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)"
preload="$build/libvramlab_preload.so"

# program SOURCE RUNTIME: built as OUT/NAME.RUNTIME.
program() {
  local name libraries=()
  name="$(basename "$1" .cu).$2"
  grep -q cublas "$1" && libraries=(-lcublas)
  "$nvcc" -std=c++17 -O2 -cudart "$2" -I "$top" "$1" -o "$out/$name" "${libraries[@]}" \
    >"$out/$name.build.log" 2>&1 && return
  skip "$name" "nvcc does not build it here"
  return 1
}

has_programs() {
  if [ ! -x "$nvcc" ]; then
    skip "$1" "there is no nvcc"
  elif [ ! -e "$preload" ]; then
    skip "$1" "$preload is not built"
  else
    return 0
  fi
  return 1
}

# under MODE COMMAND...: with the preload library.
under() {
  local mode="$1"
  shift
  env LD_PRELOAD="$preload${LD_PRELOAD:+:$LD_PRELOAD}" VRAMLAB_SHIM="$mode" "$@"
}
export -f under
export preload

# The cost of fences and cached pairs, with the driver alone and under the preload library.
costs() {
  has_programs costs || return 0
  program "$here/costs/fences.cu" static && step fences "$out/fences.static"
  program "$here/costs/pairs.cu" static || return 0
  step pairs.alone "$out/pairs.static"
  for mode in deferred nosplit sync; do
    step "pairs.$mode" bash -c 'under "$@"' - "$mode" "$out/pairs.static"
  done
}

# Programs that know nothing of us, under the preload library, with both kinds of runtime.
programs() {
  local source name mode runtime
  has_programs programs || return 0
  for source in "$here"/programs/*.cu; do
    for runtime in static shared; do
      name="$(basename "$source" .cu).$runtime"
      program "$source" "$runtime" || continue
      step "$name.alone" "$out/$name"
      for mode in deferred sync nosplit off; do
        step "$name.$mode" bash -c 'under "$@"' - "$mode" "$out/$name"
      done
      if ! command -v compute-sanitizer >/dev/null; then
        skip "$name.sanitizer" "there is no compute-sanitizer"
        continue
      fi
      for mode in off nosplit deferred; do
        step "$name.sanitizer.$mode" \
          bash -c 'under "$@"' - "$mode" compute-sanitizer --error-exitcode 9 "$out/$name"
      done
    done
  done
  program "$here/programs/many_streams.cu" static || return 0
  step recorder "$build/vramlab" record -o "$out/many_streams.vtrace" --force -- \
    "$out/many_streams.static"
  step recorder_read "$build/vramlab" replay "$out/many_streams.vtrace"
}

# PyTorch on the plug-in.
plugin() {
  step torch_whole python3 "$here/torch/plugin.py" "$build/libvramlab_torch.so" whole
  step torch_segments python3 "$here/torch/plugin.py" "$build/libvramlab_torch.so" segments
}

# PyTorch under the preload library.
under_shim() {
  step torch_under_shim python3 "$here/torch/under_shim.py" "$preload"
}

# A recording of PyTorch's own allocator, followed by the engine.
recordings() {
  local case
  for case in $(python3 "$here/torch/record.py" --list); do
    step "record_$case" python3 "$here/torch/record.py" "$case" "$out/$case.pickle"
    [ -e "$out/$case.pickle" ] && step "verify_$case" "$build/vramlab" verify "$out/$case.pickle"
  done
}

# The same programs dry and on the GPU, what the driver says of the GPU, the cost of kinds, memory
# outside of PyTorch, and sizes that single operations ask for, to be compared with those of a dry run.
dry_run() {
  step library_memory python3 "$here/torch/library_memory.py" "$out/library_memory.jsonl"
  step outside python3 "$here/torch/outside.py"
  step kinds_cost python3 "$here/torch/kinds_cost.py"
  step device_facts python3 "$here/torch/device_facts.py" "$build/vramlab" "$gpu"
  longest_step=900 step beside python3 "$here/torch/beside.py" "$build/vramlab" "$out/beside" "$gpu"
  longest_step=900 step architectures python3 "$here/torch/beside.py" "$build/vramlab" \
    "$out/architectures" "$gpu" architectures
}

# The simulator's rules.
streams() {
  step streams "$build/vramlab_gpu_tests"
}

# The live device, and what the driver's calls cost.
live() {
  local sample
  step live "$build/vramlab_gpu_live_tests"
  for sample in serving.vtrace.jsonl training.vtrace; do
    step "live_${sample%%.*}" "$build/vramlab" live "$top/traces/samples/$sample" --json \
      -o "$out/live_${sample%%.*}.json" --force
  done
  step calibrate "$build/vramlab" live --calibrate -o "$out/device_calls.json" --force
}

for group in $groups; do
  "$group"
done

note "$failures steps failed"
[ "$failures" -eq 0 ]
