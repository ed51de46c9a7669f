#!/usr/bin/env bash
# Real PyTorch without a GPU: makes an environment for each version in build/real_pytorch/VERSION
# (or in $VRAMLAB_REAL_PYTORCH), and in each runs the suite of tests/cuda_standins/real and the random
# programs of the day (tests/random_pytorch). The wheel is the CUDA build; NVIDIA's packages are never
# installed, because the dry run stands in for them. Without a version: 2.6.0 and the newest. An
# environment that is complete is used as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

environments="${VRAMLAB_REAL_PYTORCH:-build/real_pytorch}"
suite=run
versions=()
while [ "$#" -gt 0 ]; do
  case "$1" in
    --install-only) suite=skip ;;
    --existing) versions+=(existing) ;;
    --) shift; break ;;
    -h | --help)
      echo "usage: bash tools/dev/real_pytorch.sh [--install-only | --existing] [VERSION…] [-- OPTION…]"
      echo "Installs PyTorch into build/real_pytorch/VERSION and runs the programs of"
      echo "tests/cuda_standins/real and tests/random_pytorch on it; with --existing only in what is"
      echo "installed already. Options after -- go to tests/cuda_standins/real/run_suite.py, which"
      echo "then runs alone."
      exit 0
      ;;
    -*) echo "real_pytorch: unknown option $1; see --help" >&2; exit 2 ;;
    *) versions+=("$1") ;;
  esac
  shift
done

# The version that pip would install now, without downloading the wheel itself.
newest_version() {
  python3 -m pip install --quiet --dry-run --ignore-installed --no-deps --report - torch |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["install"][0]["metadata"]["version"])'
}

# Everything a wheel asks for but NVIDIA's packages; Triton comes with its own compiler.
small_dependencies() {
  "$1" - <<'PYTHON'
from importlib.metadata import requires
import re
for line in requires("torch"):
    name = re.match(r"[A-Za-z0-9._-]+", line)[0]
    if "extra ==" not in line and not re.match(r"nvidia-|cuda-", name):
        print(line)
PYTHON
}

# The packages of others that the suite uses: those that depend on torch come without their
# dependencies, because pip would then fetch torch's, and with them NVIDIA's.
install_packages_of_others() {
  local python="$1" vision="$2"
  local pip=("$python" -m pip install --quiet --no-cache-dir --no-warn-conflicts)
  "${pip[@]}" numpy pillow psutil transformers einops requests importlib_metadata
  "${pip[@]}" pytest lightning-utilities "fsspec[http]" tqdm PyYAML
  "${pip[@]}" --no-deps lightning pytorch-lightning torchmetrics accelerate peft diffusers timm
  "${pip[@]}" --no-deps "torchvision==$vision" 2>/dev/null ||
    echo "real_pytorch: there is no torchvision $vision; the program that uses it will be skipped"
}

refuse_nvidias_packages() {
  "$1" - <<'PYTHON'
from importlib.metadata import distributions
import sys
found = sorted(name for each in distributions() if (name := each.metadata["Name"]).startswith("nvidia-"))
if found:
    sys.exit("real_pytorch: another package brought in " + ", ".join(found))
PYTHON
}

# Torchvision's versions go with those of torch: 0.21.0 belongs to 2.6.0.
vision_of() {
  local minor patch
  IFS=. read -r _ minor patch <<<"$1"
  echo "0.$((minor + 15)).$patch"
}

install_version() {
  local version="$1" folder="$environments/$1"
  [ -e "$folder/complete" ] && return
  echo "real_pytorch: installing $version into $folder"
  rm -rf "$folder"
  python3 -m venv "$folder"
  local python="$folder/bin/python"
  local pip=("$python" -m pip install --quiet --no-cache-dir --no-warn-conflicts)
  "${pip[@]}" --no-deps "torch==$version"
  small_dependencies "$python" >"$folder/small_dependencies.txt"
  "${pip[@]}" --requirement "$folder/small_dependencies.txt"
  install_packages_of_others "$python" "$(vision_of "$version")"
  refuse_nvidias_packages "$python"
  touch "$folder/complete"
}

existing_versions() {
  local folder
  for folder in "$environments"/*/; do
    [ ! -e "$folder/complete" ] || basename "$folder"
  done
}

[ "${#versions[@]}" -gt 0 ] || versions=(2.6.0 "$(newest_version)")
if [ "${versions[0]}" = existing ]; then
  mapfile -t versions < <(existing_versions)
  if [ "${#versions[@]}" -eq 0 ]; then
    echo "real_pytorch: skipped, $environments has no environment"
    exit 0
  fi
fi

status=0
for version in "${versions[@]}"; do
  [ "${version}" != newest ] || version="$(newest_version)"
  install_version "$version"
  [ "$suite" = run ] || continue
  echo "real_pytorch: the suite on PyTorch $version"
  python3 -B tests/cuda_standins/real/run_suite.py --python "$environments/$version/bin/python" "$@" ||
    status=1
  [ "$#" -eq 0 ] || continue
  python3 -B tests/random_pytorch/run.py --python "$environments/$version/bin/python" || status=1
done
exit "$status"
