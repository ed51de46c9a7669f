#!/usr/bin/env bash
# Checks the stand-ins' files from outside: names, versions, and that they need no library of CUDA's.
# Then the calls that reach the driver when a program with a static runtime starts.
#   bash tests/fake_cuda/check_interface.sh FOLDER
set -euo pipefail
folder=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}
# has FILE PATTERN: of what readelf says.
has() { readelf -d --dyn-syms -W "$1" | grep -E "$2" >/dev/null || fail "$1 has no $2"; }
lacks() { ! readelf -d --dyn-syms -W "$1" | grep -E "$2" >/dev/null || fail "$1 has $2"; }
queries() { grep -c "$1" "$log" || true; }

has "$folder/libcuda.so.1" 'SONAME.*\[libcuda\.so\.1\]'
has "$folder/libcuda.so.1" ' cuMemAlloc_v2$'
has "$folder/libcuda.so.1" ' cuMemFreeAsync_ptsz$'
has "$folder/libcuda.so.1" ' cuCtxRecordEvent$'
lacks "$folder/driver_12_0/libcuda.so.1" ' cuCtxRecordEvent$'
has "$folder/driver_12_0/libcuda.so.1" ' cuGetProcAddress_v2$'
lacks "$folder/driver_11_4/libcuda.so.1" ' cuGetProcAddress_v2$'
has "$folder/libcudart.so.13" 'SONAME.*\[libcudart\.so\.13\]'
has "$folder/libcudart.so.13" ' cudaMalloc@@libcudart\.so\.13$'
has "$folder/programs/by_shared_runtime" ' cudaMalloc@libcudart\.so\.13'
for file in libcuda.so.1 libcudart.so.13 programs/by_static_runtime; do
  lacks "$folder/$file" 'NEEDED.*\[libcud'
done
lacks "$folder/programs/by_static_runtime" ' cudaMalloc'

# The runtime's way to the driver: four queries by the symbol, all others by the function it gave.
for program in by_static_runtime by_shared_runtime; do
  : >"$log"
  FAKE_CUDA_LOG=$log LD_LIBRARY_PATH=$folder "$folder/programs/$program"
  all=$(queries ' cuGetProcAddress_v2 ')
  own=$(queries ' cuGetProcAddress_v2 [0-9]* 2 = ')
  [[ $all -ge 440 && $own -ge 74 ]] || fail "$program made $all queries, $own of them for own streams"
  [[ $(queries ' cuMemAlloc_v2 ') -eq 12 ]] || fail "$program did not reach the driver 12 times"
done
