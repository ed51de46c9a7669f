"""cuda-python: the driver's functions, then those of the runtime, which is linked into it and stripped."""

import sys

from cuda.bindings import driver, runtime


def check(answer):
    code, *values = answer
    assert int(code) == 0, answer
    return values[0] if values else None


check(driver.cuInit(0))
context = check(driver.cuDevicePrimaryCtxRetain(check(driver.cuDeviceGet(0))))
check(driver.cuCtxSetCurrent(context))
at = check(driver.cuMemAlloc(64 << 20))
stream = check(driver.cuStreamCreate(0))
later = check(driver.cuMemAllocAsync(32 << 20, stream))
check(driver.cuMemFreeAsync(later, stream))
check(driver.cuStreamSynchronize(stream))
check(driver.cuMemFree(at))

code, count = runtime.cudaGetDeviceCount()
if int(code) != 0:
    sys.exit(f"the runtime answers {code}")
assert count == 1
