"""Managed memory beside tensors, as optimizers of other packages take it to let it page. The last line
tells what must have been counted: its peak, how much there was at the peak of the GPU, and both."""
import ctypes
import json

import figures
import torch

MIB = 1 << 20
ATTACH_GLOBAL = 1


def runtime():
    return ctypes.CDLL("libcudart.so." + torch.version.cuda.split(".")[0])


def managed(mib):
    pointer = ctypes.c_void_p()
    status = runtime().cudaMallocManaged(ctypes.byref(pointer), ctypes.c_size_t(mib * MIB),
                                         ATTACH_GLOBAL)
    assert status == 0, status
    return pointer


def main():
    kept = [torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")]
    state = managed(48)
    kept.append(torch.empty(32 * MIB, dtype=torch.uint8, device="cuda"))
    assert runtime().cudaFree(state) == 0
    managed(56)
    print("MANAGED " + json.dumps({"peak_managed_bytes": 56 * MIB, "managed_at_peak_bytes": 56 * MIB,
                                   "peak_with_managed_bytes": 152 * MIB}))


main()
