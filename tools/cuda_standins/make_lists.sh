#!/usr/bin/env bash
# Make tools/cuda_standins/libraries/lists anew: the public functions of NVIDIA's libraries, from its packages
# on PyPI. For developers who want newer versions; neither building nor running needs them.
#
#   bash tools/cuda_standins/make_lists.sh [--keep FOLDER] [LIST...]
#
# --keep: where the packages' headers and symbol tables stay, so that a second run downloads nothing.
# A list is the union over the packages named below. Names and version nodes come from the libraries'
# dynamic symbol tables, what a function does with its arguments from the headers (list_functions.py).
set -euo pipefail
cd "$(dirname "$0")"

keep=""
if [[ ${1-} == --keep ]]; then keep=$(realpath -m "$2"); shift 2; fi
folder=${keep:-$(mktemp -d)}
[[ -n $keep ]] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"

# list | prefixes of its functions | libraries | packages
table="
cublas|cublas|libcublas.so|nvidia-cublas-cu12==12.1.3.1 nvidia-cublas-cu12==12.4.5.8 nvidia-cublas-cu12==12.9.3.13 nvidia-cublas==13.0.0.19 nvidia-cublas==13.5.1.27
cublas_lt|cublasLt|libcublasLt.so|nvidia-cublas-cu12==12.1.3.1 nvidia-cublas-cu12==12.4.5.8 nvidia-cublas-cu12==12.9.3.13 nvidia-cublas==13.0.0.19 nvidia-cublas==13.5.1.27
cudnn|cudnn|libcudnn.so|nvidia-cudnn-cu12==9.1.0.70 nvidia-cudnn-cu12==9.10.2.21 nvidia-cudnn-cu13==9.28.1.4
cufft|cufft __cufft|libcufft.so|nvidia-cufft-cu12==11.2.1.3 nvidia-cufft-cu12==11.4.1.4 nvidia-cufft==12.5.0.14
curand|curand|libcurand.so|nvidia-curand-cu12==10.3.5.147 nvidia-curand-cu12==10.3.10.19 nvidia-curand==10.4.5.25
cusolver|cusolver|libcusolver.so|nvidia-cusolver-cu12==11.6.1.9 nvidia-cusolver-cu12==11.7.5.82 nvidia-cusolver==12.4.1.2
cusolver_mg|cusolverMg|libcusolverMg.so|nvidia-cusolver-cu12==11.6.1.9 nvidia-cusolver-cu12==11.7.5.82 nvidia-cusolver==12.4.1.2
cusparse|cusparse|libcusparse.so|nvidia-cusparse-cu12==12.1.1.53 nvidia-cusparse-cu12==12.3.1.170 nvidia-cusparse-cu12==12.5.10.65 nvidia-cusparse==12.9.4.2
cusparse_lt|cusparseLt|libcusparseLt.so|nvidia-cusparselt-cu12==0.6.2 nvidia-cusparselt-cu12==0.8.1 nvidia-cusparselt-cu13==0.10.0
cupti|cupti|libcupti.so|nvidia-cuda-cupti-cu12==12.4.127 nvidia-cuda-cupti==13.0.85
cufile|cuFile|libcufile.so|nvidia-cufile-cu12==1.14.1.1 nvidia-cufile==1.20.0.107
nccl|nccl pnccl|libnccl.so|nvidia-nccl-cu12==2.21.5 nvidia-nccl-cu12==2.27.5 nvidia-nccl-cu13==2.32.3
nvjitlink|nvJitLink __nvJitLink|libnvJitLink.so|nvidia-nvjitlink-cu12==12.4.127 nvidia-nvjitlink-cu12==12.9.86 nvidia-nvjitlink==13.5.37
nvml|nvml|libnvidia-ml.so.1|nvidia-nvml-dev-cu12==12.9.79 nvidia-nvml-dev==13.5.37
nvrtc|nvrtc __nvrtc|libnvrtc.so|nvidia-cuda-nvrtc-cu12==12.4.127 nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-nvrtc==13.5.37
nvshmem|nvshmem|libnvshmem_host.so|nvidia-nvshmem-cu12==3.3.20 nvidia-nvshmem-cu13==3.8.0
nvtx|nvtx|libnvToolsExt.so|nvidia-nvtx-cu12==12.4.127
"

# unpack_package NAME==VERSION: its headers and the symbol tables of its libraries below $folder.
unpack_package() {
  local to="$folder/$1" wheel
  [[ -e $to ]] && return
  echo "reading $1" >&2
  wheel=$(mktemp -d -p "$folder")
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --platform manylinux2014_x86_64 --platform manylinux1_x86_64 --platform manylinux_2_17_x86_64 \
    --platform manylinux_2_25_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_28_x86_64 \
    --dest "$wheel" "$1" >&2
  python3 - "$wheel"/*.whl "$wheel/unpacked" <<'PYTHON'
import re, sys, zipfile
package = zipfile.ZipFile(sys.argv[1])
for name in package.namelist():
    if name.endswith(".h") or re.search(r"/lib[A-Za-z_-]+\.so(\.\d+)*$", name):
        package.extract(name, sys.argv[2])
PYTHON
  local library
  while IFS= read -r -d '' library; do
    { readelf --dynamic --wide "$library"; readelf --dyn-syms --wide "$library"; } > "$library.txt"
    mv "$library.txt" "${library//.so/_so}.symbols"
    rm "$library"
  done < <(find "$wheel/unpacked" -name '*.so*' -print0 | sort -z)
  mv "$wheel/unpacked" "$to"
  rm -rf "$wheel"
}

while IFS='|' read -r list prefixes library packages; do
  [[ -n $list ]] || continue
  [[ $# -eq 0 || " $* " == *" $list "* ]] || continue
  arguments=()
  for package in $packages; do unpack_package "$package"; arguments+=("$folder/$package"); done
  python3 list_functions.py --prefixes "$prefixes" --library "$library" "${arguments[@]}" \
    > "libraries/lists/$list.txt"
  echo "lists/$list.txt: $(grep -vc '^#\|^library' "libraries/lists/$list.txt") functions" >&2
done <<< "$table"
