#!/usr/bin/env bash
# Makes the system that vramlab.html is built in: Debian trixie with emscripten, the libraries' headers
# under /vramlab/include, and zlib and zstd compiled for WebAssembly from Debian's sources.
#   sudo bash tools/web/page/make_root.sh
# It lies in $VRAMLAB_PAGE_ROOT (/var/tmp/vramlab-page-root) and is kept; quick when it is complete.
# Bookworm's emscripten is too old for C++20. Needs root and debootstrap, about 1.6 GB.
set -euo pipefail

root="${VRAMLAB_PAGE_ROOT:-/var/tmp/vramlab-page-root}"
# Raised when the steps below change, so that an older system, or its libraries, are made anew.
system_recipe=1
library_recipe=2
is_made() { [ "$(cat "$root/$1" 2>/dev/null)" = "$2" ]; }
! { is_made complete "$system_recipe" && is_made libraries "$library_recipe"; } ||
  { echo "page: the system for building the page is complete"; exit 0; }
[ "$(id -u)" -eq 0 ] || { echo "make_root.sh: needs root, to make a system of its own" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "make_root.sh: needs debootstrap" >&2; exit 2; }

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
quietly() { "$@" >"$log" 2>&1 || { tail -20 "$log" >&2; echo "make_root.sh: $* failed" >&2; exit 1; }; }
inside() {
  quietly chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
    DEBIAN_FRONTEND=noninteractive EM_CACHE=/vramlab/cache "$@"
}

make_system() {
  echo "page: making a Debian trixie with emscripten in $root, which takes some minutes"
  ! mountpoint -q "$root/proc" || umount "$root/proc"
  rm -rf --one-file-system "$root"
  quietly debootstrap --variant=minbase trixie "$root"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  sed -n 's/^deb /deb-src /p' "$root/etc/apt/sources.list" >"$root/etc/apt/sources.list.d/sources.list"
  inside apt-get update
  inside apt-get install -y --no-install-recommends emscripten cmake ninja-build ccache xz-utils \
    nlohmann-json3-dev libcli11-dev
  inside mkdir -p /vramlab/include /vramlab/lib /vramlab/sources
  inside sh -c 'cd /usr/include && cp -r nlohmann CLI /vramlab/include'
  # Debian's library cache may not be written to; this copy grows by the variants that a build asks for.
  inside cp -r /usr/share/emscripten/cache /vramlab/cache
  inside rm -f /vramlab/cache/cache.lock

  # Archives alone: what Debian changed in them does not concern WebAssembly.
  # shellcheck disable=SC2016 # The shell inside expands it.
  inside sh -ec 'cd /vramlab/sources && apt-get source --download-only --tar-only zlib libzstd
    for archive in *.tar.*; do tar xf "$archive"; done'
  echo "$system_recipe" >"$root/complete"
}

compile_library() {
  local name="$1" package="$2" folders="$3" headers="$4" flags="$5"
  inside bash -ec "cd /vramlab/sources/$package-*/ && rm -rf page && mkdir page && cp $headers /vramlab/include
    for source in \$(find $folders -maxdepth 1 -name '*.c' ! -name 'gz*.c'); do
      emcc -O2 -fwasm-exceptions -DNDEBUG $flags -ffunction-sections -fdata-sections \
        -c \"\$source\" -o \"page/\$(basename \"\$source\" .c).o\"
    done
    rm -f /vramlab/lib/lib$name.a
    emar rcs /vramlab/lib/lib$name.a page/*.o"
}
is_made complete "$system_recipe" || make_system
# Smaller: tables that are made when they are needed, and one of the ways to unpack each.
compile_library z zlib . "zlib.h zconf.h" "-DDYNAMIC_CRC_TABLE"
compile_library zstd zstd "lib/common lib/decompress" "lib/zstd.h lib/zstd_errors.h" \
  "-DZSTD_DISABLE_ASM -DHUF_FORCE_DECOMPRESS_X1 -DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT"
echo "$library_recipe" >"$root/libraries"
echo "page: the system for building the page is complete"
