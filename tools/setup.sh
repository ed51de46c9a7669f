#!/usr/bin/env bash
# Installs what building vramlab needs and the machine lacks, through apt. Quick when nothing is
# missing. With --check also the programs that tools/check.sh uses, with --fuzz those of fuzz.sh.
set -euo pipefail

build_packages=(cmake ninja-build g++ nlohmann-json3-dev libspdlog-dev libcli11-dev zlib1g-dev
  libzstd-dev libgtest-dev libgmock-dev libbenchmark-dev python3-jsonschema libxml2-utils)
check_packages=(clang-format-14 clang-tidy-14)
fuzz_packages=(clang-14 libclang-rt-14-dev llvm-14)

usage() {
  echo "usage: bash tools/setup.sh [--check | --fuzz]"
  echo "Installs the packages that building needs, and those of tools/check.sh or tools/fuzz.sh."
}

wanted=("${build_packages[@]}")
case "${1:-}" in
  "") ;;
  --check) wanted+=("${check_packages[@]}") ;;
  --fuzz) wanted+=("${fuzz_packages[@]}") ;;
  --help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "setup: no apt here; please install the equivalents of: ${wanted[*]}" >&2
  exit 1
fi

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=()
for package in "${wanted[@]}"; do
  is_installed "$package" || missing+=("$package")
done

if [ "${#missing[@]}" -eq 0 ]; then
  echo "setup: nothing is missing"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi

echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}"
