#!/usr/bin/env bash
# What `cmake --install` leaves, and that it works from there, moved too:
#   install.sh CMAKE BUILD [FAKE_DRIVER PROGRAM]
# FAKE_DRIVER is a folder with a libcuda.so.1, PROGRAM one that calls it; without them, that `run`
# and `record` say why they can do nothing.
set -euo pipefail

cmake="$1" build="$2" driver="${3:-}" program="${4:-}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "failed: $*" >&2
  exit 1
}
# The rest of the line is what must be in the file.
expect() {
  local file="$1"
  shift
  grep -qF -- "$*" "$file" || {
    cat "$file" >&2
    fail "'$*' is not there"
  }
}

"$cmake" --install "$build" --prefix "$folder/first" >install.log || { cat install.log; exit 1; }
for file in bin/vramlab share/vramlab/schemas/info.schema.json share/doc/vramlab/guide/preload.md \
  share/vramlab/samples/out_of_memory.pickle.gz \
  share/doc/vramlab/README.md share/doc/vramlab/LICENSE share/doc/vramlab/licences.txt \
  share/man/man1/vramlab-replay.1 \
  share/bash-completion/completions/vramlab share/zsh/site-functions/_vramlab \
  share/fish/vendor_completions.d/vramlab.fish; do
  [ -f "first/$file" ] || fail "$file is not installed"
done
mv first second
vramlab="$folder/second/bin/vramlab"
"$vramlab" --version >version.txt
expect version.txt 0.
"$vramlab" generate training --layers 2 -o made.vtrace
"$vramlab" info made.vtrace >info.txt
"$vramlab" sample leak -q >sample.txt && "$vramlab" info leak.vtrace >info.txt
# The page is put into packages by tools/packaging/stage.sh alone.
status=0
"$vramlab" page >refused.txt 2>&1 || status=$?
[ "$status" -eq 2 ] || fail "'vramlab page' without a page ended with $status"
expect refused.txt "this installation has no vramlab.html"
echo "<html>" >second/share/vramlab/vramlab.html
"$vramlab" page -o - >page.html
expect page.html "<html>"

if [ -z "$driver" ]; then
  for command in "run --" "record -o none.vtrace --"; do
    status=0
    # shellcheck disable=SC2086
    "$vramlab" $command true 2>refused.txt || status=$?
    [ "$status" -eq 2 ] || fail "'vramlab $command' ended with $status"
    expect refused.txt "this build has no libvramlab_preload.so"
    [ "$(wc -l <refused.txt)" -eq 1 ] || fail "more than one line"
  done
  echo "installed and used, without CUDA"
  exit 0
fi

library="$(dirname "$(find second -name libvramlab_preload.so)")"
[ -f "$library/libvramlab_torch.so" ] || fail "libvramlab_torch.so is not beside the other one"
ln -s "$vramlab" linked
for way in "$vramlab" "$folder/linked"; do
  # shellcheck disable=SC2016
  "$way" run -- sh -c 'echo "$LD_PRELOAD"' >preload.txt
  [ "$(cat preload.txt)" = "$folder/$library/libvramlab_preload.so" ] || fail "$(cat preload.txt)"
done
export LD_LIBRARY_PATH="$driver"
"$vramlab" run --stats stderr --snapshot state.json -- "$program" allocate 2>stats.txt
expect stats.txt "allocation.allocated 1"
"$vramlab" info state.json >info.txt
expect info.txt "2.00 MiB reserved"
"$vramlab" record -o recorded.vtrace -- "$program" allocate 2>recorded.txt
"$vramlab" info recorded.vtrace >info.txt
if command -v python3 >python.txt; then
  python3 -B - "$folder/$library/libvramlab_torch.so" <<'END' || fail "the plug-in"
import ctypes, sys
plugin = ctypes.CDLL(sys.argv[1])
plugin.vramlab_torch_malloc.restype = ctypes.c_void_p
assert plugin.vramlab_torch_malloc(ctypes.c_size_t(4096), 0, None)
END
fi

rm "$library/libvramlab_preload.so"
status=0
"$vramlab" run -- true 2>missing.txt || status=$?
[ "$status" -eq 2 ] || fail "without the library 'vramlab run' ended with $status"
expect missing.txt "libvramlab_preload.so"
echo "installed, moved and used"
