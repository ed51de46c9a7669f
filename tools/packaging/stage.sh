#!/usr/bin/env bash
# The program and all that belongs to it, as it is installed below a prefix, stripped, with all files
# dated by the commit:  stage.sh BUILD FOLDER PREFIX
# VRAMLAB_PAGE names the page with the program in it, which is left out without it.
set -euo pipefail

build="$1" folder="$2" prefix="$3"
: "${SOURCE_DATE_EPOCH:?the date that all files get}"

# The compiler's own, as it may compile for another processor than this machine's.
strip="$(sed -n 's/^CMAKE_STRIP:FILEPATH=//p' "$build/CMakeCache.txt")"

rm -rf "$folder"
DESTDIR="$folder" cmake --install "$build" --component program --prefix "$prefix" >/dev/null
if [ -n "${VRAMLAB_PAGE:-}" ]; then
  install -D -m 644 "$VRAMLAB_PAGE" "$folder$prefix/share/vramlab/vramlab.html"
fi
while read -r file; do
  if head -c 4 "$file" | grep -q ELF; then "$strip" --strip-unneeded "$file"; fi
done < <(find "$folder" -type f -not -name '*.md' -not -name '*.1')
find "$folder" -type d -exec chmod 755 {} +
find "$folder" -type f -exec chmod go-w {} +
find "$folder" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
