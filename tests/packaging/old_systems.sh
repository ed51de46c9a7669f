#!/usr/bin/env bash
# Every installed program and library loads on a system with glibc 2.31 (Debian 11, Ubuntu 20.04) and
# without a C++ library, zlib, zstd, spdlog or fmt:  old_systems.sh CMAKE BUILD
set -euo pipefail

cmake="$1" build="$2"
folder="$(mktemp -d)"
objdump="$(sed -n 's/^CMAKE_OBJDUMP:FILEPATH=//p' "$build/CMakeCache.txt")"
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "failed: $*" >&2
  exit 1
}

# Symbol versions, one a line, that glibc 2.31 does not have.
too_new() { grep -E '^(GLIBC_2\.(3[2-9]|[4-9][0-9])|GLIBC_ABI|GLIBCXX_|CXXABI_)' || true; }
[ "$(printf '%s\n' GLIBC_2.2.5 GLIBC_2.31 GLIBC_2.32 GLIBC_2.4 GLIBCXX_3.4 | too_new | tr '\n' ' ')" = \
  "GLIBC_2.32 GLIBCXX_3.4 " ] || fail "what is too new is not told from what is not"

versions_of() {
  "$objdump" -T "$1" | sed -n 's/.*\*UND\*[^(]*(\([A-Z_0-9.]*\)).*/\1/p' | sort -u
}
libraries_of() { "$objdump" -p "$1" | awk '$1 == "NEEDED" {print $2}'; }

"$cmake" --install "$build" --component program --prefix "$folder/all" >"$folder/log" || { cat "$folder/log"; exit 1; }
count=0
while read -r file; do
  head -c 4 "$file" | grep -q ELF || continue
  count=$((count + 1))
  versions="$(versions_of "$file")"
  grep -qxE 'GLIBC_2\.(2\.5|17)' <<<"$versions" || fail "no versions were found in $file"
  [ -z "$(too_new <<<"$versions")" ] ||
    fail "$file needs $(too_new <<<"$versions" | tr '\n' ' '): $("$objdump" -T "$file" |
      grep -F "$(too_new <<<"$versions")" | awk '{print $NF}' | tr '\n' ' ')"
  # The plug-in throws through PyTorch, and shares what unwinds stacks.
  case "$file" in */libvramlab_torch.so) shared='|libgcc_s\.so\.1' ;; *) shared='' ;; esac
  others="$(libraries_of "$file" |
    grep -vxE 'lib(c|m|dl|rt|pthread)\.so\.[0-9]+|ld-linux-(x86-64\.so\.2|aarch64\.so\.1)|libcuda\.so\.1'"$shared" || true)"
  [ -z "$others" ] || fail "$file needs $others"
done < <(find "$folder/all" -type f -not -name '*.md')
# The program, the two libraries beside it, nvidia-smi, the driver, two runtimes, and those above.
[ "$count" -ge 25 ] || fail "only $count programs and libraries were looked at"
echo "$count programs and libraries need glibc 2.31 at most"
