#!/usr/bin/env bash
# Builds the container of tools/packaging/Containerfile on a system in a folder, for nothing is fetched
# here, and tries it with buildah:  container.sh DIST ROOT
# ROOT is one of the systems of roots.sh. Needs root and buildah; its images are removed at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

dist="$(realpath "$1")"
root="$(realpath "$2")"
scratch="$(mktemp -d)"
export BUILDAH_ISOLATION=chroot

cleanup() {
  images rm --all >/dev/null 2>&1 || true
  images rmi --all --force >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap cleanup EXIT

images() { buildah --root "$scratch/images" --runroot "$scratch/run" "$@"; }

fail() {
  echo "failed: container: $*" >&2
  exit 1
}

make_base() {
  local container
  container="$(images from scratch)"
  tar --create --one-file-system --directory "$root" --exclude=./try . |
    tar --extract --directory "$(images mount "$container")"
  images umount "$container" >/dev/null
  images commit --quiet --rm "$container" localhost/base >/dev/null
}

# In a container of the image, with the samples as its folder.
inside() { images run --volume "$PWD/traces/samples:/work:ro" "$container" -- "$@"; }

make_base
images build --quiet --build-arg base=localhost/base --file tools/packaging/Containerfile \
  --tag localhost/vramlab "$dist" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "it is not built"; }
images inspect --type image --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.WorkingDir}}' localhost/vramlab |
  grep -qFx '[vramlab] /work' || fail "its first program or its folder is another"
container="$(images from localhost/vramlab)"
inside vramlab verify --require exact gpt_training.pickle.gz >/dev/null || fail "verify"
inside vramlab advise gpt_training.pickle.gz |
  grep -qF "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" || fail "advise"
inside vramlab dry-run -q -- nvidia-smi -L | grep -qF "NVIDIA A100-SXM4-80GB" || fail "dry-run"
inside sh -c '! ls /dist/* 2>/dev/null' || fail "it keeps its package"
echo "container: built on $(basename "$root") and tried"
