#!/usr/bin/env bash
# Shows that compare.sh can say no: differences_test.sh CXX. In place of NVIDIA's headers stand ones
# that are made of our own declarations, which are then altered in a copy of the tree.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
compiler="$1"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
room=streams/cuda_interface

make_headers() {
  local known
  known="$(sed -nE 's/.*newest_known_cuda = ([0-9]+);/\1/p' "$root/$room/functions.h")"
  mkdir "$work/nvidia"
  {
    echo "#define CUDA_VERSION $known"
    for file in types function_list functions prototypes; do
      grep -vE '^#pragma once|^#include "' "$root/$room/$file.h"
    done
    # The copy has tables and macros of the same names.
    sed -nE 's/^#define (VRAMLAB_[A-Z_]+FUNCTIONS).*/#undef \1/p' "$root/$room"/*.h
  } >"$work/nvidia/cuda.h"
  awk '/^  (Bare)?(One|Two)\(/ {
    split($0, column, /[(, )]+/)
    name = column[3]
    at = column[2] ~ /^Bare/ ? 4 : 5
    sub(/_v[0-9]+$/, "", name)
    print "// PFN_" name "_v" column[at] ")("
    if (column[2] ~ /Two$/) print "// PFN_" name "_v" column[at + 2] column[at + 1] ")("
  }' "$root/$room/function_list.h" >"$work/nvidia/cudaTypedefs.h"
  : >"$work/nvidia/cudaProfilerTypedefs.h"
}

fail() {
  echo "failed: $1" >&2
  cat "$work/said" >&2
  exit 1
}
fresh_copy() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/streams"
  cp -r "$root/$room" "$work/tree/streams/"
}
# alter FILE SED: the expression has to change something.
alter() {
  local file="$work/tree/$room/$1.h"
  cp "$file" "$work/before"
  sed -i -E "$2" "$file"
  ! cmp -s "$work/before" "$file" || fail "nothing of $1.h is altered by $2"
}
compare() { bash "$here/compare.sh" "$compiler" "$work/nvidia" "$work/tree" >"$work/said" 2>&1; }
# refused WHAT: the altered copy is refused, with these words.
refused() {
  ! compare || fail "nothing was found"
  local what
  for what in "$@"; do
    grep -qF -- "$what" "$work/said" || fail "'$what' was not found"
  done
}

make_headers
fresh_copy
compare || fail "our own declarations differ from themselves"

alter types 's/(CUDA_ERROR_NOT_READY =) 600/\1 601/'
alter types 's/(CUmemGenericAllocationHandle =) unsigned long long/\1 long long/'
alter types '/^struct CUmemLocation \{/,/^\}/ { s/^  int id;//; s/CUmemLocationType type;/int id;\n  &/ }'
alter types 's/reserved\[64\]/reserved[32]/'
alter types 's/(CU_STREAM_PER_THREAD .*)2/\13/'
alter types '/unsigned numAttrs;/d'
alter types 's/(CUhostFn = void \(\*\)\()void/\1const void/'
alter function_list 's/\(std::size_t\* free,/(int* free,/'
alter function_list 's/const void\* from/void* from/'
refused "CUDA_ERROR_NOT_READY: its value differs from NVIDIA's: 601 here, 600 there" \
  "CUmemGenericAllocationHandle: its type" "CUmemLocation.id: its offset" \
  "CUipcMemHandle.reserved: its type" "CUipcMemHandle: its size" "CU_STREAM_PER_THREAD: its value" \
  "CUlaunchConfig: its size" "CUhostFn: its type" "PFN_cuMemGetInfo_v3020: its type" \
  "PFN_cuMemcpyHtoD_v3020: its type" "PFN_cuMemcpyHtoD_v7000_ptds: its type"

# Names that NVIDIA does not have.
fresh_copy
alter function_list 's/cuMemFree_v2/cuMemFree_v9/'
alter function_list 's/(cuCtxPopCurrent_v2, )4000/\12000/'
alter types 's/CU_STREAM_NON_BLOCKING/CU_STREAM_NOT_BLOCKING/'
refused cuMemFree_v9 PFN_cuCtxPopCurrent_v2000 CU_STREAM_NOT_BLOCKING

# Declarations that the comparison would leave out.
for line in 'typedef int CUnew;' 'inline constexpr int CU_NEW = 1;' 'enum CUnew : unsigned { CU_NEW = 1 };' \
  'CUresult cuNew();'; do
  fresh_copy
  echo "$line" >>"$work/tree/$room/types.h"
  refused "types.h:" "the comparison does not know this kind of line: $line"
done
fresh_copy
echo 'struct CUnew {' >>"$work/tree/$room/types.h"
refused "ends inside of a declaration"
fresh_copy
alter function_list '/^  VRAMLAB_CUDA_COPY_FUNCTIONS/d'
refused PFN_cuMemcpy_v4000

# The list of all functions.
fresh_copy
alter function_list '/^  BareOne\(cuCtxAttach,/d'
refused "functions that are missing" "cuCtxAttach 2000"
fresh_copy
alter function_list 's/^  BareOne\(cuCtxAttach,/  BareOne(cuNew, 12000, unknown, no) \\\n&/'
refused "that NVIDIA does not know" "cuNew 12000"

echo "every difference was found"
