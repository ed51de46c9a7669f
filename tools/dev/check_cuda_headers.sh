#!/usr/bin/env bash
# Compares our declarations of the CUDA driver's interface (streams/cuda_interface) with NVIDIA's
# headers of every CUDA version from 12.0 on, which pip downloads (tests/cuda_interface/compare.sh
# compares). One line a version. Fails when one differs, or when there is a newer version than the
# declarations know. COMPILER says what compiles, g++ unless told.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# The newest package of each CUDA version: "12.0.146", "12.1.105", ...
newest_of_each() {
  python3 -m pip index versions "$1" 2>/dev/null | sed -n 's/^Available versions: //p' |
    tr -d ',' | tr ' ' '\n' | sort -V | awk -F. '{ newest[$1 * 1000 + $2] = $0 }
      END { for (version in newest) print newest[version] }' | sort -V
}

failures=0 newest=""
for package in nvidia-cuda-runtime-cu12 nvidia-cuda-runtime; do
  versions="$(newest_of_each "$package")"
  [ -n "$versions" ] || { echo "check_cuda_headers: pip knows no $package" >&2; exit 1; }
  for version in $versions; do
    folder="$work/$version"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
      --dest "$folder" "$package==$version"
    python3 -m zipfile -e "$folder"/*.whl "$folder"
    include="$(dirname "$(find "$folder" -name cudaTypedefs.h)")"
    bash tests/cuda_interface/compare.sh "${COMPILER:-g++}" "$include" || failures=$((failures + 1))
    newest="$(sed -n 's/^#define CUDA_VERSION //p' "$include/cuda.h")"
    rm -rf "$folder"
  done
done

known="$(sed -nE 's/.*newest_known_cuda = ([0-9]+);/\1/p' streams/cuda_interface/functions.h)"
if [ "$newest" -ne "$known" ]; then
  echo "The newest version is $newest, newest_known_cuda in streams/cuda_interface is $known" >&2
  failures=$((failures + 1))
fi
[ "$failures" -eq 0 ]
