#!/usr/bin/env bash
# Compares our declarations of the CUDA driver's interface with NVIDIA's headers, and the list of all
# functions with cudaTypedefs.h and cudaProfilerTypedefs.h: compare.sh CXX CUDA_INCLUDE [SOURCE]
#
# SOURCE is the tree whose declarations are compared, this one unless told. Prints one line when all
# agree; what differs, and status 1, when not. What is newer than the headers is left out.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
compiler="$1" include="$2" source="${3:-$here/../..}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# number_in FILE NAME: of `#define NAME 1` and `int NAME = 1;`.
number_in() { sed -nE "s/^.* $2 (= )?([0-9]+);?\$/\2/p" "$1"; }
version="$(number_in "$include/cuda.h" CUDA_VERSION)"
known="$(number_in "$source/streams/cuda_interface/functions.h" newest_known_cuda)"
name="CUDA $((version / 1000)).$((version % 1000 / 10))"

refuse() {
  { echo "$name: $1"; cat "$2"; } >&2
  exit 1
}

# The declarations.
awk -f "$here/comparison.awk" "$source"/streams/cuda_interface/{types,function_list,functions,prototypes}.h \
  >"$work/comparison.cpp"
"$compiler" -std=c++20 -I "$source" -I "$here/../.." -isystem "$include" "$work/comparison.cpp" \
  -o "$work/comparison" 2>"$work/errors" || {
  grep -m 20 error "$work/errors" >"$work/said"
  refuse "the comparison does not compile" "$work/said"
}
"$work/comparison" >"$work/said" || refuse "differences" "$work/said"

list=streams/cuda_interface/function_list.h
# The list of all functions, one line for each name and version.
sed -nE 's/.*PFN_(cu[A-Za-z0-9]+)_v([0-9]+)(_ptsz|_ptds)?\)\(.*/\1 \2\3/p' \
  "$include/cudaTypedefs.h" "$include/cudaProfilerTypedefs.h" | sort -u >"$work/theirs"
awk '/^  (Bare)?(One|Two)\(/ {
    split($0, column, /[(, )]+/)
    name = column[3]
    at = column[2] ~ /^Bare/ ? 4 : 5
    sub(/_v[0-9]+$/, "", name)
    print name, column[at]
    if (column[2] ~ /Two$/) print name, column[at + 2] column[at + 1]
  }' "$source/$list" | sort >"$work/ours"
comm -13 "$work/ours" "$work/theirs" >"$work/new"
awk -v known="$known" '$2 + 0 <= known' "$work/new" >"$work/missing"
[ ! -s "$work/missing" ] || refuse "functions that are missing in $list" "$work/missing"
# Headers forget some functions of their own version, and have them later on.
comm -23 "$work/ours" "$work/theirs" >"$work/unknown"
[ "$version" -ne "$known" ] || [ ! -s "$work/unknown" ] ||
  refuse "functions of $list that NVIDIA does not know" "$work/unknown"

echo "$name: $(cat "$work/said"); $(wc -l <"$work/theirs") functions, $(wc -l <"$work/new") of them not in our list"
