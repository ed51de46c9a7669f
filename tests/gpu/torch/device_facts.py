"""The driver's facts about the first device, one a line: device_facts.py, on a GPU or dry.
device_facts.py VRAMLAB GPU compares the two, such as device_facts.py build/vramlab h100-80gb; it
leaves with 1 where a fact differs that programs allocate by, with 77 where no GPU answers."""

import ctypes
import os
import subprocess
import sys

# Numbers of CUdevice_attribute that say where the device is, or what this machine lets it do.
OF_THIS_MACHINE = {33, 34, 50, 94, 95, 99, 102, 103, 104, 107, 110, 111, 116, 117, 118, 123, 124,
                   125, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 13, 36}
LAST_ATTRIBUTE = 145


def facts():
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return {}
    if cuda.cuInit(0) != 0:
        return {}
    told = {}
    number = ctypes.c_int()
    cuda.cuDriverGetVersion(ctypes.byref(number))
    told["driver"] = number.value
    name = ctypes.create_string_buffer(100)
    cuda.cuDeviceGetName(name, 100, 0)
    told["name"] = name.value.decode()
    size = ctypes.c_size_t()
    cuda.cuDeviceTotalMem_v2(ctypes.byref(size), 0)
    told["total memory"] = size.value
    for attribute in range(1, LAST_ATTRIBUTE + 1):
        if cuda.cuDeviceGetAttribute(ctypes.byref(number), attribute, 0) == 0:
            told[f"attribute {attribute}"] = number.value
    told.update(facts_of_a_context(cuda))
    return told


def facts_of_a_context(cuda):
    told = {}
    context = ctypes.c_void_p()
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert cuda.cuCtxSetCurrent(context) == 0
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
    told["taken by the context"] = total.value - free.value
    least, greatest = ctypes.c_int(), ctypes.c_int()
    cuda.cuCtxGetStreamPriorityRange(ctypes.byref(least), ctypes.byref(greatest))
    told["stream priorities"] = (least.value, greatest.value)
    for limit in range(7):
        size = ctypes.c_size_t()
        if cuda.cuCtxGetLimit(ctypes.byref(size), limit) == 0:
            told[f"limit {limit}"] = size.value
    return told


def main():
    if len(sys.argv) == 1:
        for name, value in facts().items():
            print(f"{name}: {value}")
        return
    wanted = dict(line.split(": ", 1) for line in
                  subprocess.run([sys.executable, __file__], check=True, capture_output=True,
                                 text=True).stdout.splitlines())
    if not wanted:
        print("SKIPPED: no driver answers. NOTHING WAS TESTED ON A GPU.")
        sys.exit(77)
    dry = subprocess.run([os.path.abspath(sys.argv[1]), "dry-run", "--gpu", sys.argv[2], "--",
                          sys.executable, __file__], check=True, capture_output=True, text=True)
    found = dict(line.split(": ", 1) for line in dry.stdout.splitlines() if ": " in line)
    differing = 0
    for name in sorted(wanted.keys() | found.keys()):
        one, other = wanted.get(name, "nothing"), found.get(name, "nothing")
        if one == other:
            continue
        of_machine = name in ("driver", "taken by the context", "total memory") or (
            name.startswith("attribute ") and int(name.split()[1]) in OF_THIS_MACHINE)
        differing += not of_machine
        print(f"{'also' if of_machine else 'DIFFERS'} {name}: {one} on the GPU, {other} dry")
    print(f"{len(wanted)} facts, {differing} differ")
    sys.exit(differing > 0)


main()
