"""The programs of tests/cuda_standins/real on the GPU and dry, side by side:
beside.py VRAMLAB OUT GPU [NAME...], such as beside.py build/vramlab out h100-80gb gpt_fixed

`architectures` stands for all models of architectures.py, `suite` for the programs of the suite, which
are also run where none is named. Each is run twice, with PyTorch's own recording: on the GPU, and by `vramlab dry-run --gpu GPU
--segments driver`. Told are the events that are equal from the first on, whether the requests are the
same, and the figures of torch.cuda.memory_stats(). Leaves with 1 where figures differ, with 77 where
torch or a GPU is missing."""

import concurrent.futures
import os
import pathlib
import pickle
import runpy
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SUITE = HERE.parents[1] / "cuda_standins" / "real"
sys.path[:0] = [str(SUITE), str(HERE)]
import architectures  # noqa: E402
import figures_compared  # noqa: E402
import runs  # noqa: E402

# Named, because the other programs need several GPUs, or a device of a size of their own.
NAMES = ["compile_inductor", "gpt_fixed", "gpt_variable", "gpt_checkpoint", "gpt_amp",
         "gpt_accumulation", "conv_net", "lstm", "generation", "cuda_graph", "graphed_callables",
         "memory_pools", "unrecorded_calls", "scope_in_a_capture", "late_events", "many_streams",
         "optimizers", "empty_cache_loop", "random_requests", "linear_algebra", "operations",
         "host_reads", "value_checks", "computed_values", "compile_aot_eager", "triton_kernel",
         "hf_trainer", "hf_generate", "accelerate_loop", "peft_lora", "vision", "gpt_large"]


def record(output, program, arguments):
    """Runs a program as the interpreter would, with PyTorch's recording from its first use of CUDA."""
    import atexit

    import torch

    def begin():
        torch.cuda.memory._record_memory_history("all", context="all", stacks="python",
                                                 max_entries=sys.maxsize)

    def end():
        if torch.cuda.is_initialized():
            torch.cuda.memory._dump_snapshot(output)

    torch.cuda._lazy_call(begin)
    atexit.register(end)
    sys.argv = [program, *arguments]
    sys.path[0] = os.path.dirname(program)
    runpy.run_path(program, run_name="__main__")


def program_of(name):
    """The command line of a program of the suite, or of a model of architectures.py."""
    if name in architectures.ARCHITECTURES:
        return [str(HERE / "architectures.py"), name]
    found = [path for path in (SUITE / "programs", SUITE / "with_packages")
             if (path / f"{name}.py").exists()]
    return [str(found[0] / f"{name}.py")]


def names_of(words):
    groups = {"suite": NAMES, "architectures": list(architectures.ARCHITECTURES)}
    return [name for word in words or ["suite"] for name in groups.get(word, [word])]


def run(command, folder):
    folder.mkdir(parents=True)
    environment = {**os.environ, "PYTHONPATH": str(SUITE / "programs"), "TMPDIR": str(folder),
                   "TORCH_SYMBOLIZE_MODE": "dladdr",
                   "VRAMLAB_PROGRAM": os.path.abspath(sys.argv[1])}
    ended = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True,
                           timeout=240)
    (folder / "output.txt").write_text(ended.stdout + ended.stderr)
    if ended.returncode != 0:
        last = (ended.stdout + ended.stderr).strip().splitlines()[-1:]
        raise RuntimeError(f"ended with {ended.returncode}: {last}")
    told = runs.figures_in(ended.stdout)
    return told[-1]["devices"][0] if told else {}


def events_of(path):
    with open(path, "rb") as file:
        snapshot = pickle.load(file)
    return [(entry["action"], entry["size"]) for entry in snapshot["device_traces"][0]]


def compared(real, dry):
    """How many events are equal from the first on, and whether the requests are."""
    equal = 0
    for one, other in zip(real, dry):
        if one != other:
            break
        equal += 1
    requests = [[event for event in events if event[0] == "alloc"] for events in (real, dry)]
    first = "" if equal == len(real) == len(dry) else \
        f"; event {equal}: {real[equal:equal + 1]} on the GPU, {dry[equal:equal + 1]} dry"
    return f"{equal} of {len(real)} events equal, requests " \
           f"{'the same' if requests[0] == requests[1] else 'DIFFER'}{first}"


def peaks_of(figures):
    return " ".join(f"{figures.get(name + '_bytes.all.peak', 0)}"
                    for name in ("allocated", "reserved"))


def compare(name, folder, real, dry):
    ours = figures_compared.of_program([dry], "")
    wanted = figures_compared.of_program([real], "")
    differences = figures_compared.differences(wanted, ours)
    print(f"{'same' if not differences else 'DIFFERS'} {name}: peaks {peaks_of(real)}; "
          f"{compared(events_of(folder / 'real.pickle'), events_of(folder / 'dry.pickle'))}")
    for difference in differences:
        print(f"    {difference}")
    return not differences


def main():
    if sys.argv[1] == "--record":
        record(sys.argv[2], sys.argv[3], sys.argv[4:])
        return
    vramlab, out, gpu = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    import training
    training.needs_gpu()
    names = names_of(sys.argv[4:])
    # No program of the suite takes more than half of a GPU, no model more than a tenth, and no figure is a time.
    at_once = 7 if all(name in architectures.ARCHITECTURES for name in names) else 2
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(at_once) as on_gpu, \
            concurrent.futures.ThreadPoolExecutor(6) as elsewhere:
        real_runs = {name: on_gpu.submit(run, [
            sys.executable, __file__, "--record", f"{out}/{name}/real.pickle",
            *program_of(name)], out / name / "real") for name in names}
        dry_runs = {name: elsewhere.submit(run, [
            vramlab, "dry-run", "--gpu", gpu, "--segments", "driver", "-o", f"{out}/{name}/dry.pickle", "--",
            sys.executable, *program_of(name)], out / name / "dry") for name in names}
        for name in names:
            try:
                failed += not compare(name, out / name, real_runs[name].result(),
                                      dry_runs[name].result())
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                print(f"FAILED {name}: {error}")
                failed += 1
            sys.stdout.flush()
    print(f"{len(names) - failed} of {len(names)} programs have the same figures")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
