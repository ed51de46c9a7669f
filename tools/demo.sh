#!/usr/bin/env bash
# Installs what building the program needs, builds it, and shows the main job on a bundled recording:
# what is in it, that the replay is exact, which setting is best, and a page to look at. With a program
# as argument that one is shown, and nothing is installed or built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program="${1:-build/vramlab}"
recording=traces/samples/gpt_training.pickle.gz
page="$(dirname "$program")/demo.html"

if [ "$#" -eq 0 ]; then
  bash tools/setup.sh --program
  echo "demo: building the program, which takes some minutes the first time"
  bash tools/build.sh program vramlab
fi

show() {
  echo "\$ build/vramlab $*"
  "$program" "$@"
}

echo
echo "1. What is in the recording? PyTorch 2.6.0 trained a GPT: 12.21 GiB requested, 39.62 GiB reserved."
show info "$recording"
echo
echo "2. Is the replay exact? Every address is compared with the recorded one."
show verify "$recording"
echo
echo "3. Which setting is best? PyTorch itself, run with this one, reserved the same 13.29 GiB."
show advise "$recording"
echo
echo "4. The recording and that setting side by side, on a page to look at:"
"$program" report "$recording" --conf expandable_segments:True -o "$page" --force --quiet
echo "   $(realpath "$page")"
echo "   Open it in a browser; it needs no server and no network."
