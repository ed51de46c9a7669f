#!/usr/bin/env bash
# Makes the packages of this version in dist/: a Debian package, an archive for any Linux on x86-64
# with glibc 2.31, a wheel for Python, the page, what is inside with licences, and checksums. With
# --arm64 the same for 64-bit ARM, in dist-arm64/. Two builds of one commit give the same bytes. Nothing
# is published.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

dist='' preset=package architecture=amd64 processor=x86_64
usage="usage: bash tools/packaging/release.sh [--arm64] [--to FOLDER]"
while [ "$#" -gt 0 ]; do
  case "$1" in
    --arm64) preset=package-arm64 architecture=arm64 processor=aarch64 ;;
    --to) dist="${2:?--to FOLDER}"; shift ;;
    -h | --help) echo "$usage"; exit 0 ;;
    *) echo "release: unknown option $1; see --help" >&2; exit 2 ;;
  esac
  shift
done
[ "$(uname -m)" = x86_64 ] || { echo "release: packages are made on x86-64" >&2; exit 1; }
: "${dist:=dist${preset#package}}"

bash tools/setup.sh --release
[ "$architecture" = amd64 ] || bash tools/setup.sh --with-arm64
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

bash tools/build.sh "$preset"
# Before the packages, which hold it too.
if [ -e "${VRAMLAB_PAGE_ROOT:-/var/tmp/vramlab-page-root}/complete" ]; then
  VRAMLAB_PAGE="$(realpath -m "$dist/vramlab-$version.html")"
  export VRAMLAB_PAGE
  bash tools/web/build.sh "$VRAMLAB_PAGE"
else
  unset VRAMLAB_PAGE
  echo "release: without vramlab.html, which needs: sudo bash tools/setup.sh --with-page" >&2
fi

deb="$dist/vramlab_${version}_$architecture.deb"
bash tools/packaging/stage.sh "build-$preset" "$scratch/deb" /usr
bash tools/packaging/deb.sh "$scratch/deb" "$version" "$architecture" "$deb"

name="vramlab-$version-linux-$processor"
bash tools/packaging/stage.sh "build-$preset" "$scratch/archive" "/$name"
tar --create --directory "$scratch/archive" --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$SOURCE_DATE_EPOCH" "$name" | gzip -9n >"$dist/$name.tar.gz"

"$python" -m build --wheel --no-isolation --config-setting="preset=$preset" --outdir "$dist" tools/python \
  >"$scratch/wheel.log" 2>&1 || { cat "$scratch/wheel.log" >&2; exit 1; }
python3 tools/packaging/contents.py "$architecture" "$version" "$deb" "$dist/$name.tar.gz" "$dist"/*.whl \
  >"$dist/vramlab-$version.spdx.json"
(cd "$dist" && sha256sum -- * >"$scratch/sums" && mv "$scratch/sums" SHA256SUMS)
ls -l "$dist"
