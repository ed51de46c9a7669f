#!/usr/bin/env bash
# Builds vramlab.html, the whole program in one page (docs/guide/report.md), and the program that
# Node.js runs on any system, in build-page/portable:
#   bash tools/web/build.sh [--page] [OUTPUT]
# OUTPUT is build-page/vramlab.html; --page builds it alone. Needs the system that
# `bash tools/setup.sh --with-page` makes, and root, to run the compiler in it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

target=all
if [ "${1:-}" = --page ]; then target=vramlab_page; shift; fi
root="${VRAMLAB_PAGE_ROOT:-/var/tmp/vramlab-page-root}"
[ -e "$root/libraries" ] ||
  { echo "build_page: no system to build in; run: sudo bash tools/setup.sh --with-page" >&2; exit 2; }
mkdir -p build-page "$root/vramlab/tree"

# The tree is seen in that system as /vramlab/tree, by this script and what it starts alone.
# shellcheck disable=SC2016 # The shell inside expands it.
unshare --mount bash -ec '
  mount --bind "$PWD" "$1/vramlab/tree"
  mount -t proc proc "$1/proc"
  exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C EM_CACHE=/vramlab/cache \
    CCACHE_DIR=/vramlab/ccache TARGET="$2" bash -ec "
    cd /vramlab/tree
    cmake --preset page --log-level=WARNING >/dev/null
    cmake --build --preset page --parallel \$(nproc) --target \$TARGET
    rm -rf build-page/portable
    [ \$TARGET != all ] || cmake --install build-page --prefix build-page/portable >/dev/null"
' build_page "$root" "$target"

output="$(realpath -m "${1:-build-page/vramlab.html}")"
(cd tools/web/report && npm ci --no-audit --no-fund --loglevel=error)
tools/web/report/node_modules/.bin/tsc --noEmit -p tools/web/page/tsconfig.json
node tools/web/page/bundle.mjs build-page "$output"
[ "$target" != all ] || install -m 644 "$output" build-page/portable/share/vramlab/vramlab.html
echo "build_page: $output, $(stat -c %s "$output") bytes, $(gzip -9 -c "$output" | wc -c) gzipped"
