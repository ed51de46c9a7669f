#!/usr/bin/env bash
# Prints the processor time that a build from nothing takes, without a compiler cache: first the
# product (program, preload library, PyTorch plug-in), then all the rest with the tests. It builds
# what is committed, in a folder of its own that is removed afterwards. With --against, the same is
# done for another revision, and the shares are printed.
set -euo pipefail
# A build that fails ends the measurement, inside $(...) too.
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  echo "usage: bash tools/dev/measure_build.sh [--against REVISION] [--product] [CMAKE_ARGUMENT...]"
  echo "Prints the processor time that a build of HEAD from nothing takes, without a compiler cache."
  echo "  --against REVISION  build that revision too and print the shares"
  echo "  --product           only program, preload library and plug-in, not the tests"
  echo "  CMAKE_ARGUMENT      for both, such as -DVRAMLAB_CUDA_INCLUDE_DIR=DIR, without which"
  echo "                      revisions up to 0.1.0 build neither preload library nor plug-in;"
  echo "                      their tests need headers of CUDA 12.5 or newer"
}

against=""
product_only=no
arguments=()
while [ "$#" -gt 0 ]; do
  case "$1" in
    --against) against="${2:?$(usage)}"; shift ;;
    --product) product_only=yes ;;
    --help) usage; exit 0 ;;
    -D*) arguments+=("$1") ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
export CCACHE_DISABLE=1
TIMEFORMAT='%U %S'

fail() {
  tail -n 30 "$1" >&2
  echo "measure_build: $2 failed" >&2
  exit 1
}

# processor_seconds LOG COMMAND... prints user and system time, rounded to seconds.
processor_seconds() {
  local log="$1" spent
  shift
  spent="$({ time "$@" >"$log" 2>&1; } 2>&1)" || fail "$log" "$*"
  awk '{ printf "%.0f\n", $1 + $2 }' <<<"$spent"
}

# The targets of the product that this revision has on this machine: the program, and the libraries.
product_targets() {
  local known
  known="$(cmake --build "$1" --target help)"
  echo vramlab
  for target in vramlab_preload vramlab_torch; do
    if grep -q "^$target: phony" <<<"$known"; then echo "$target"; fi
  done
}

# measure REVISION prints `PRODUCT ALL` in seconds, and on standard error what is measured.
measure() {
  local name tree targets product rest=0
  name="$(git rev-parse --short "$1^{commit}")"
  tree="$scratch/$name"
  git clone --quiet --no-checkout . "$tree"
  git -C "$tree" checkout --quiet --detach "$name"
  cmake -S "$tree" -B "$tree/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DVRAMLAB_CCACHE=NO \
    "${arguments[@]}" >"$scratch/configure.log" 2>&1 || fail "$scratch/configure.log" "cmake"
  mapfile -t targets < <(product_targets "$tree/build")
  echo "$name: building ${targets[*]}" >&2
  product="$(processor_seconds "$scratch/product.log" \
    cmake --build "$tree/build" --parallel "$(nproc)" --target "${targets[@]}")"
  if [ "$product_only" = no ]; then
    echo "$name: building all" >&2
    rest="$(processor_seconds "$scratch/all.log" cmake --build "$tree/build" --parallel "$(nproc)")"
  fi
  rm -rf "$tree"
  echo "$product $((product + rest))"
}

report() {
  printf '%-10s product %5d s' "$1" "$2"
  [ "$product_only" = yes ] || printf ', with all tests %5d s' "$3"
  printf ' of processor time\n'
}

share() { awk -v new="$1" -v old="$2" 'BEGIN { printf "%.1f %%", 100 * new / old }'; }

ours="$(measure HEAD)"
read -r product all <<<"$ours"
report HEAD "$product" "$all"
if [ -n "$against" ]; then
  theirs="$(measure "$against")"
  read -r old_product old_all <<<"$theirs"
  report "$against" "$old_product" "$old_all"
  printf 'share      product %s' "$(share "$product" "$old_product")"
  [ "$product_only" = yes ] || printf ', with all tests %s' "$(share "$all" "$old_all")"
  printf '\n'
fi
