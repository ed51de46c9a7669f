#!/usr/bin/env bash
# A Debian package of what stage.sh left below /usr:  deb.sh FOLDER VERSION ARCHITECTURE FILE.deb
set -euo pipefail

folder="$1" version="$2" architecture="$3" file="$4"
: "${SOURCE_DATE_EPOCH:?the date that all files get}"
source="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
pages="$folder/usr/share/doc/vramlab"

# Debian has manual pages and changes compressed, and the licence under this name.
find "$folder/usr/share/man" -name '*.1' -exec gzip -9n {} +
gzip -9n "$pages/CHANGELOG.md"
mv "$pages/LICENSE" "$pages/copyright"

mkdir "$folder/DEBIAN"
cat >"$folder/DEBIAN/control" <<END
Package: vramlab
Version: $version
Architecture: $architecture
Maintainer: $(git -C "$source" log -1 --format='%an <%ae>')
Installed-Size: $(du -sk --apparent-size "$folder/usr" | cut -f 1)
Depends: libc6 (>= 2.31), libgcc-s1
Suggests: python3
Section: devel
Priority: optional
Description: what a PyTorch program does with GPU memory, without a GPU
 vramlab replays memory snapshots of PyTorch through an exact simulation of its CUDA caching
 allocator, runs training programs without a GPU, and says which setting saves memory and which
 lines of code hold it.
END
# Python leaves compiled modules beside the hook when root runs a dry run.
cat >"$folder/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
find /usr/lib/vramlab -name __pycache__ -type d -prune -exec rm -rf {} +
END
(cd "$folder" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$folder/DEBIAN/md5sums"
chmod 644 "$folder/DEBIAN"/*
chmod 755 "$folder/DEBIAN/prerm"
find "$folder" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$folder" "$file" >/dev/null
