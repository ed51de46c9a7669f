"""Processes that hold memory of one GPU and find no room for each other's sake, in a dry run with --shared.
It prints what each call answered; without an argument it is the first process."""
import ctypes
import os
import signal
import subprocess
import sys

GIB = 1 << 30
runtime = ctypes.CDLL("libcudart.so.12")


def allocate(gibibytes):
    at = ctypes.c_void_p()
    return runtime.cudaMalloc(ctypes.byref(at), ctypes.c_size_t(gibibytes * GIB)), at


def free_memory():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    runtime.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total))
    return round(free.value / GIB, 1)


class Other:
    """A process that holds some memory, and goes on at a word."""

    def __init__(self, gibibytes):
        self.process = subprocess.Popen([sys.executable, __file__, str(gibibytes)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.status = self.process.stdout.readline().strip()

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def hold(gibibytes):
    """Until the first word; then without memory until the input ends."""
    status, at = allocate(gibibytes)
    print(status, flush=True)
    if sys.stdin.readline():
        runtime.cudaFree(at)
        print("freed", flush=True)
        sys.stdin.readline()
    os._exit(0)


def main():
    print("alone", free_memory())
    holder = Other(5)
    print("beside a holder", free_memory(), "status", allocate(4)[0])
    holder.go_on()
    status, at = allocate(4)
    print("after it freed", status)
    runtime.cudaFree(at)
    holder.end()
    killed = Other(5)
    print("beside another", free_memory())
    killed.kill()
    print("after it was killed", free_memory())
    workers = [Other(2) for _ in range(4)]
    print("four workers", " ".join(worker.status for worker in workers))
    for worker in workers:
        worker.end()
    print("at the end", free_memory())


hold(int(sys.argv[1])) if len(sys.argv) > 1 else main()
