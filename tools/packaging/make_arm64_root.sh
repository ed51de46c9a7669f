#!/usr/bin/env bash
# Makes the system that packages for 64-bit ARM are compiled with: Debian bookworm
# with the libraries, googletest and Python.
#   sudo bash tools/packaging/make_arm64_root.sh
# It lies in $VRAMLAB_ARM64_ROOT (/var/tmp/vramlab-arm64-root) and is kept; quick when it is complete.
# Needs root, debootstrap and qemu-user-static, and about 600 MB.
set -euo pipefail

root="${VRAMLAB_ARM64_ROOT:-/var/tmp/vramlab-arm64-root}"
# Raised when the steps below change, so that an older system is made anew.
recipe=1
[ "$(cat "$root/complete" 2>/dev/null)" != "$recipe" ] || { echo "arm64: the system is complete"; exit 0; }
[ "$(id -u)" -eq 0 ] || { echo "make_arm64_root.sh: needs root, to make a system of its own" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "make_arm64_root.sh: needs debootstrap" >&2; exit 2; }

bash "$(dirname "${BASH_SOURCE[0]}")/emulate_arm64.sh"
echo "arm64: making a Debian bookworm for 64-bit ARM in $root, which takes some minutes"
# A run that was cut off may have left it there.
! mountpoint -q "$root/proc" || umount "$root/proc"
rm -rf --one-file-system "$root"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
libraries=libc6-dev,zlib1g-dev,libzstd-dev,nlohmann-json3-dev,libspdlog-dev,libcli11-dev,libgtest-dev,libgmock-dev
debootstrap --arch=arm64 --variant=minbase --include="$libraries,python3" bookworm "$root" >"$log" 2>&1 ||
  { tail -20 "$log" >&2; echo "make_arm64_root.sh: debootstrap failed" >&2; exit 1; }
echo "$recipe" >"$root/complete"
