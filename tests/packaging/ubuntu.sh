#!/usr/bin/env bash
# Whether Ubuntu has what a Debian package depends on, by a list of its versions:  ubuntu.sh FILE.deb
# The package itself is not tried there.
set -euo pipefail

list="$(dirname "${BASH_SOURCE[0]}")/ubuntu_versions.txt"
count=0
while read -r package relation; do
  while read -r release _ version; do
    count=$((count + 1))
    if [ -n "$relation" ]; then
      wanted="${relation#(>= }"
      dpkg --compare-versions "$version" ge "${wanted%)}" ||
        { echo "failed: Ubuntu $release has $package $version, and $relation is needed" >&2; exit 1; }
    fi
  done < <(awk -v package="$package" '$2 == package' "$list")
  for release in 22.04 24.04; do
    grep -q "^$release $package " "$list" ||
      { echo "failed: $package is not in the list of Ubuntu's versions" >&2; exit 1; }
  done
done < <(dpkg-deb --field "$1" Depends | sed 's/, */\n/g')
[ "$count" -ge 4 ] || { echo "failed: only $count dependencies were compared" >&2; exit 1; }
echo "Ubuntu 22.04 and 24.04 have what the package depends on ($count compared, not tried)"
