#!/usr/bin/env bash
# Installs the packages of tools/packaging/release.sh in bare Debian systems, tries them and removes them:
#   sudo bash tests/packaging/roots.sh [DIST] [SUITE...]
# DIST is dist/, the suites are bullseye, bookworm and trixie. Needs root, debootstrap and buildah; the
# systems are made in $VRAMLAB_ROOTS (/var/tmp/vramlab-roots) and kept for the next time. Packages for
# 64-bit ARM, of dist-arm64/, are tried in systems for it, which qemu-user-static emulates elsewhere.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

dist="$(realpath "${1:-dist}")"
shift || true
suites=("$@")
[ "${#suites[@]}" -gt 0 ] || suites=(bullseye bookworm trixie)
roots="${VRAMLAB_ROOTS:-/var/tmp/vramlab-roots}"
[ "$(id -u)" -eq 0 ] || { echo "roots.sh: needs root, to make systems of their own" >&2; exit 2; }
for program in debootstrap buildah; do
  command -v "$program" >/dev/null || { echo "roots.sh: needs $program" >&2; exit 2; }
done
deb="$(echo "$dist"/vramlab_*.deb)"
architecture="$(dpkg-deb --field "$deb" Architecture)"
of_architecture=''
if [ "$architecture" != "$(dpkg --print-architecture)" ]; then
  bash tools/packaging/emulate_arm64.sh
  of_architecture="-$architecture"
fi

bash tests/packaging/ubuntu.sh "$deb"

fail() {
  # Files that the failure left behind must not pass for a part of the system.
  rm -f "$root/complete"
  echo "failed in $suite: $*" >&2
  exit 1
}

make_root() {
  [ -e "$root/complete" ] && return
  ! mountpoint -q "$root/proc" || umount "$root/proc"
  rm -rf --one-file-system "$root"
  debootstrap --arch="$architecture" --variant=minbase --include=python3,python3-venv,binutils "$suite" "$root" \
    >"$root.log" 2>&1 ||
    { tail -5 "$root.log" >&2; fail "debootstrap"; }
  touch "$root/complete"
}

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"; }

# Everything but what the package manager writes about itself.
files_there() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./try \
    -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/cache \) -prune -o -print | LC_ALL=C sort)
}

# The README's examples, by the program at $1.
try_program() {
  # shellcheck disable=SC2016 # The shell inside expands it.
  inside sh -ec '
    cd /try
    "$1" --version
    "$1" advise gpt_training.pickle.gz | grep -F "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"
    "$1" verify --require exact gpt_training.pickle.gz
    "$1" sample out_of_memory -o oom.pickle.gz && "$1" explain oom.pickle.gz && rm oom.pickle.gz
    if [ -e vramlab-*.html ]; then "$1" page -o - | cmp - vramlab-*.html; else ! "$1" page -o -; fi
    "$1" report gpt_training.pickle.gz -o page.html && test -s page.html && rm page.html
    "$1" info no-such-file && exit 1 || test $? -eq 2
    "$1" run -- true
    "$1" dry-run -q -- nvidia-smi -L | grep -F "NVIDIA A100-SXM4-80GB"
    "$1" dry-run --json summary.json -q -- python3 -c "
import ctypes
driver = ctypes.CDLL(\"libcuda.so.1\")
assert driver.cuInit(0) == 0
runtime = ctypes.CDLL(\"libcudart.so.12\")
place = ctypes.c_void_p()
assert runtime.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(1 << 20)) == 0 and place.value
assert runtime.cudaFree(place) == 0
from vramlab_dry_run import stub_library
with open(\"added.so\", \"wb\") as file:
    file.write(stub_library.library_bytes([(\"cudaAdded\", 801)], \"libadded.so\"))
assert ctypes.CDLL(\"./added.so\").cudaAdded() == 801"
    test -s summary.json && rm summary.json added.so
  ' sh "$1" >"$root/try/log" 2>&1 || { cat "$root/try/log" >&2; fail "$1"; }
}

try_package() {
  files_there >"$root/tmp/before"
  inside dpkg -i "/try/$(basename "$deb")" >"$root/try/log" 2>&1 ||
    { cat "$root/try/log" >&2; fail "the package is not installed"; }
  try_program vramlab
  inside sh -c 'test -s /usr/share/man/man1/vramlab-replay.1.gz &&
    test -s /usr/share/bash-completion/completions/vramlab' || fail "pages or completions are missing"
  inside dpkg --purge vramlab >"$root/try/log" 2>&1 || fail "the package is not removed"
  rm "$root/try/log"
  files_there >"$root/tmp/after"
  diff "$root/tmp/before" "$root/tmp/after" >&2 || fail "removal left something"
}

try_archive() {
  local name
  name="$(basename "$dist"/vramlab-*-linux-*.tar.gz .tar.gz)"
  tar --extract --directory "$root/try" --file "$dist/$name.tar.gz"
  try_program "/try/$name/bin/vramlab"
}

try_wheel() {
  inside sh -ec 'python3 -m venv /try/venv && /try/venv/bin/pip install --quiet --no-index /try/*.whl' \
    >"$root/try/log" 2>&1 || { cat "$root/try/log" >&2; fail "the wheel is not installed"; }
  try_program /try/venv/bin/vramlab
  inside sh -ec 'cd /try && venv/bin/python -c "
import vramlab
recording = vramlab.open(\"gpt_training.pickle.gz\")
assert recording.verify().label == \"exact\"
assert recording.advise().setting == \"expandable_segments:True\"
print(recording.replay(conf=\"expandable_segments:True\").peak_reserved)"' >"$root/try/log" 2>&1 ||
    { cat "$root/try/log" >&2; fail "the module"; }
}

for suite in "${suites[@]}"; do
  mkdir -p "$roots"
  root="$roots/$suite$of_architecture"
  make_root
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  rm -rf "$root/try"
  mkdir "$root/try"
  cp traces/samples/gpt_training.pickle.gz "$dist"/vramlab* "$root/try"
  tried="package, archive"
  try_package
  try_archive
  if compgen -G "$dist/*.whl" >/dev/null; then
    try_wheel
    tried+=", wheel"
  fi
  rm -rf "$root/try"
  umount "$root/proc"
  [ "$suite$of_architecture" != bookworm ] || bash tests/packaging/container.sh "$dist" "$root"
  echo "$suite$of_architecture: $tried installed, tried and removed ($(inside python3 -V))"
done
