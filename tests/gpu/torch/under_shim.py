"""PyTorch under the preload library: under_shim.py libvramlab_preload.so

The same training with PyTorch's own cache and without it, each under every mode: the losses must be
the same. Also a tensor that another process opens. Leaves with 77 where torch or a GPU is missing."""

import json
import os
import sys
import tempfile

import training

UNCACHED = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
MODES = ("off", "deferred", "nosplit", "sync")


def shim(path, mode, stats):
    others = os.environ.get("LD_PRELOAD")
    return {"LD_PRELOAD": f"{path}:{others}" if others else path, "VRAMLAB_SHIM": mode,
            "VRAMLAB_STATS": stats}


def compare_trainings(path, folder):
    command = (sys.executable, __file__, path, "run_training")
    for name, environment in (("PyTorch's cache", {}), ("no cache of PyTorch", UNCACHED)):
        wanted = training.answer_of(*command, **environment)
        print(f"{name}, alone: {wanted['ms_per_step']:.2f} ms a step")
        for mode in MODES:
            stats = f"{folder}/{mode}_{len(environment)}"
            found = training.answer_of(*command, **environment, **shim(path, mode, stats))
            assert found["losses"] == wanted["losses"], (mode, found, wanted)
            print(f"{name}, {mode}: {found['ms_per_step']:.2f} ms a step, same losses")
            if mode != "off":
                told = open(stats).read()
                called = told.split("called: ")[1].splitlines()[0].split()
                assert "cuMemAlloc_v2" in called, told
                print("    " + told.replace("\n", "\n    ").rstrip())


def share():
    """A tensor opened by another process, which adds one to it."""
    import torch
    import torch.multiprocessing
    torch.multiprocessing.set_start_method("spawn")
    # The block before it makes the tensor begin in the middle of a segment of the library.
    kept = torch.zeros(1 << 21, device="cuda")
    shared = torch.zeros(1 << 21, device="cuda")
    try:
        other = torch.multiprocessing.Process(target=add_one, args=(shared,))
        other.start()
        other.join()
    except RuntimeError as error:
        print(json.dumps({"refused": str(error).splitlines()[0]}))
        return
    torch.cuda.synchronize()
    print(json.dumps({"status": other.exitcode, "sum": shared.sum().item(),
                      "before": kept.sum().item()}))


def add_one(tensor):
    import torch
    tensor += 1
    torch.cuda.synchronize()


def compare_sharing(path, folder):
    for name, environment in (("PyTorch's cache", {}), ("no cache of PyTorch", UNCACHED)):
        for mode in MODES:
            told = training.answer_of(sys.executable, __file__, path, "run_share", **environment,
                                      **shim(path, mode, f"{folder}/share"))
            print(f"a tensor shared, {name}, {mode}: {told}")
            assert told.get("before", 0) == 0 and told.get("sum", 1 << 21) == 1 << 21, told
            # Without its cache PyTorch itself refuses to share.
            assert environment or mode not in ("off", "nosplit") or told.get("status") == 0, told


def main():
    path = os.path.abspath(sys.argv[1])
    if sys.argv[2:] == ["run_training"]:
        print(json.dumps(training.train()))
    elif sys.argv[2:] == ["run_share"]:
        share()
    else:
        training.needs_gpu()
        with tempfile.TemporaryDirectory() as folder:
            compare_trainings(path, folder)
            compare_sharing(path, folder)


if __name__ == "__main__":
    main()
