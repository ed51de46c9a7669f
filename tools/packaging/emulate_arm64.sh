#!/usr/bin/env bash
# Lets the kernel start programs for 64-bit ARM through qemu, until the machine is started anew. Systems
# with systemd or binfmt-support do so when qemu-user-static is installed.
#   sudo bash tools/packaging/emulate_arm64.sh
# VRAMLAB_QEMU_AARCH64 names another qemu-aarch64: that of Debian 12 (7.2) keeps a record of every page, and
# so a dry run's reserved addresses take all memory; that of Debian 13 (10.0) does not.
set -euo pipefail

formats=/proc/sys/fs/binfmt_misc
format=/usr/lib/binfmt.d/qemu-aarch64.conf
[ "$(uname -m)" != aarch64 ] || exit 0
[ -e "$format" ] || { echo "emulate_arm64.sh: needs qemu-user-static" >&2; exit 2; }
[ -e "$formats/register" ] || mount -t binfmt_misc binfmt_misc "$formats"
[ ! -e "$formats/qemu-aarch64" ] || [ -z "${VRAMLAB_QEMU_AARCH64:-}" ] || echo -1 >"$formats/qemu-aarch64"
if [ ! -e "$formats/qemu-aarch64" ]; then
  # The line ends with the emulator and its flags.
  line="$(cat "$format")"
  emulator="$(cut -d : -f 7 <<<"$line")"
  echo "${line/"$emulator"/"${VRAMLAB_QEMU_AARCH64:-$emulator}"}" >"$formats/register"
fi
