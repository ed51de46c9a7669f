#!/usr/bin/env bash
# Installs what building and testing vramlab needs and the machine lacks, through apt. Quick when
# nothing is missing. With --program only what building the program needs, with --check also what
# tools/dev/check.sh uses, with --fuzz what tools/dev/fuzz.sh uses, with --release what tools/packaging/release.sh
# makes packages with, with --with-browser what the tests of the pages run in: browsers, Node.js
# and what drives them, with --with-page the system that tools/web/build.sh builds vramlab.html in, with
# --with-arm64 the compiler and the system that `tools/packaging/release.sh --arm64` makes packages with.
set -euo pipefail

program_packages=(cmake ninja-build g++ nlohmann-json3-dev libspdlog-dev libcli11-dev zlib1g-dev
  libzstd-dev)
test_packages=(ccache libgtest-dev libgmock-dev python3-jsonschema python3-yaml
  libxml2-utils pkgconf python3-pip python3-pytest python3-pytest-xdist python3-venv)
check_packages=(clang-19 clang-format-19 clang-tidy-19 shellcheck)
release_packages=(binutils dpkg-dev git python3-build python3-setuptools python3-wheel)
page_packages=(debootstrap nodejs npm xz-utils)
arm64_packages=(debootstrap g++-aarch64-linux-gnu qemu-user-static)
fuzz_packages=(clang-19 libclang-rt-19-dev llvm-19)

usage() {
  echo "usage: bash tools/setup.sh [--program | --check | --fuzz | --release | --with-browser | --with-page |"
  echo "                             --with-arm64]"
  echo "Installs the packages that building and testing need; with --program only those that building"
  echo "the program needs, otherwise also those of tools/dev/check.sh, tools/dev/fuzz.sh,"
  echo "tools/packaging/release.sh, the browser tests, tools/web/build.sh or packages for 64-bit ARM."
}

wanted=("${program_packages[@]}" "${test_packages[@]}")
case "${1:-}" in
  "") ;;
  --program) wanted=("${program_packages[@]}") ;;
  --check) wanted+=("${check_packages[@]}") ;;
  --release) wanted=("${program_packages[@]}" "${release_packages[@]}") ;;
  --fuzz) wanted+=("${fuzz_packages[@]}") ;;
  --with-browser)
    command -v chromium >/dev/null || wanted+=(chromium)
    command -v firefox-esr >/dev/null || wanted+=(firefox-esr)
    command -v node >/dev/null || wanted+=(nodejs)
    command -v npm >/dev/null || wanted+=(npm)
    ;;
  --with-page)
    wanted=("${page_packages[@]}")
    ! command -v node >/dev/null || wanted=(debootstrap xz-utils)
    ;;
  --with-arm64) wanted=("${arm64_packages[@]}") ;;
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

# Shows what apt says only if it fails.
install_missing() {
  local as_root=() log
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      { echo "setup: needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  log="$(mktemp)"
  if ! { "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    cat "$log" >&2
    rm "$log"
    echo "setup: apt could not install the packages; what it said is above" >&2
    exit 1
  fi
  rm "$log"
}

if [ "${#missing[@]}" -gt 0 ]; then
  install_missing
else
  echo "setup: nothing is missing"
fi

# A folder of its own; nothing is installed for the whole machine.
if [ "${1:-}" = --with-browser ]; then
  cd "$(dirname "${BASH_SOURCE[0]}")/../tests/web/report"
  npm ci --no-audit --no-fund --loglevel=error
fi
if [ "${1:-}" = --with-page ]; then
  bash "$(dirname "${BASH_SOURCE[0]}")/web/page/make_root.sh"
fi
if [ "${1:-}" = --with-arm64 ]; then
  bash "$(dirname "${BASH_SOURCE[0]}")/packaging/make_arm64_root.sh"
fi
