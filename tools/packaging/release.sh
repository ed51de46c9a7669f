#!/usr/bin/env bash
# Makes the packages of this version in dist/: a Debian package, an archive for any Linux on x86-64
# with glibc 2.31, a wheel for Python, the page, what is inside with licences, and checksums. With
# --arm64 the same for 64-bit ARM, in dist-arm64/; with --any the wheel for any system alone, in dist-any/.
# Two builds of one commit give the same bytes. Nothing is published.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

dist='' suffix='' preset=package architecture=amd64 processor=x86_64
usage="usage: bash tools/packaging/release.sh [--arm64 | --any] [--to FOLDER]"
while [ "$#" -gt 0 ]; do
  case "$1" in
    --arm64) suffix=-arm64 preset=package-arm64 architecture=arm64 processor=aarch64 ;;
    --any) suffix=-any preset=page architecture=all ;;
    --to) dist="${2:?--to FOLDER}"; shift ;;
    -h | --help) echo "$usage"; exit 0 ;;
    *) echo "release: unknown option $1; see --help" >&2; exit 2 ;;
  esac
  shift
done
[ "$(uname -m)" = x86_64 ] || { echo "release: packages are made on x86-64" >&2; exit 1; }
: "${dist:=dist${suffix}}"

bash tools/setup.sh --release
[ "$architecture" != arm64 ] || bash tools/setup.sh --with-arm64
[ "$architecture" != all ] || bash tools/setup.sh --with-page
# The one that the packages of the system belong to, if another comes first in PATH.
python=python3
"$python" -c 'import build.__main__' 2>/dev/null || python=/usr/bin/python3
version="$(sed -n 's/^project(vramlab VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
export SOURCE_DATE_EPOCH
umask 022
rm -rf "$dist"
mkdir -p "$dist"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# Before the packages, which hold it too.
make_page() {
  VRAMLAB_PAGE="$(realpath -m "$dist/vramlab-$version.html")"
  export VRAMLAB_PAGE
  bash tools/web/build.sh --page "$VRAMLAB_PAGE"
}

make_deb() {
  bash tools/packaging/stage.sh "build-$preset" "$scratch/deb" /usr
  bash tools/packaging/deb.sh "$scratch/deb" "$version" "$architecture" \
    "$dist/vramlab_${version}_$architecture.deb"
}

make_archive() {
  local name="vramlab-$version-linux-$processor"
  bash tools/packaging/stage.sh "build-$preset" "$scratch/archive" "/$name"
  tar --create --directory "$scratch/archive" --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="@$SOURCE_DATE_EPOCH" "$name" | gzip -9n >"$dist/$name.tar.gz"
}

make_wheel() {
  "$python" -m build --wheel --no-isolation --config-setting="preset=$preset" --outdir "$dist" tools/python \
    >"$scratch/wheel.log" 2>&1 || { cat "$scratch/wheel.log" >&2; exit 1; }
}

if [ "$architecture" = all ]; then
  # Its wheel is made of what the page's build leaves.
  export VRAMLAB_PAGE="$PWD/build-page/vramlab.html"
else
  bash tools/build.sh "$preset"
  if [ -e "${VRAMLAB_PAGE_ROOT:-/var/tmp/vramlab-page-root}/complete" ]; then
    make_page
  else
    unset VRAMLAB_PAGE
    echo "release: without vramlab.html, which needs: sudo bash tools/setup.sh --with-page" >&2
  fi
  make_deb
  make_archive
fi
make_wheel
shopt -s nullglob
python3 tools/packaging/contents.py "$architecture" "$version" "$dist"/*.deb "$dist"/*.tar.gz "$dist"/*.whl \
  >"$dist/vramlab-$version.spdx.json"
(cd "$dist" && sha256sum -- * >"$scratch/sums" && mv "$scratch/sums" SHA256SUMS)
ls -l "$dist"
