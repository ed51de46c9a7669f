"""The JSON documents that the program prints, each under the name of the schema it must match."""

import gzip
import json
import os
import re
import subprocess
import sys

SAMPLES = "traces/samples/"
PROGRAMS = ["dataloader.vtrace.jsonl", "diffusion.vtrace", "experts.vtrace", "fragments.vtrace", "graphs.vtrace.jsonl",
            "leak.vtrace", "recompute.vtrace", "serving.vtrace.jsonl", "training.vtrace"]
STREAM_PROGRAMS = ["missing_record_stream.vtrace.jsonl", "overlap.vtrace.jsonl",
                   "overused_record_stream.vtrace.jsonl"]
#: As PyTorch and its profiler wrote them.
COMMON_FILES = ["torch_save.pt", "trace_plot.html", "memory_timeline.json", "memory_timeline_raw.json"]


class Vramlab:
    """The program, run in the top folder of the project."""

    def __init__(self, program, top):
        self.program = program
        self.top = top
        stand_ins = os.path.join(os.path.dirname(program), "dry_run")
        # Empty where the stand-ins for CUDA's libraries aren't built.
        self.hook = stand_ins + "/python" if os.path.isdir(stand_ins + "/lib") else ""
        folder = os.path.join(os.path.dirname(program), "fake_cuda")
        # The folder of the tests' own driver; empty where it isn't built.
        self.fake_driver = folder if os.path.exists(folder + "/libcuda.so.1") else ""

    def run(self, *words, statuses=(0,)):
        settings = {"LD_LIBRARY_PATH": self.fake_driver, "FAKE_CUDA_MEMORY": "64G",
                    "FAKE_CUDA_BACKING": "0"} if self.fake_driver else {}
        result = subprocess.run([self.program, *words], cwd=self.top, text=True,
                                env={**os.environ, **settings}, capture_output=True, check=False)
        if result.returncode not in statuses:
            raise AssertionError(f"vramlab {' '.join(words)} left with {result.returncode}: "
                                 f"{result.stderr.strip()}")
        return result.stdout

    def json(self, *words, options_end=(), **more):
        """`options_end` are words behind --, such as a program."""
        behind = ["--", *options_end] if options_end else []
        return json.loads(self.run(*words, "--json", *behind, **more))


def commands_below(vramlab, words):
    """Commands that take --json, as lists of words."""
    help_text = vramlab.run(*words, "--help")
    # Commands stand in small letters, options begin with dashes.
    for name in re.findall(r"^  ([a-z][a-z-]*) ", help_text, re.MULTILINE):
        yield from commands_below(vramlab, [*words, name])
    if "--json" in help_text:
        yield " ".join(words)


def commands_with_json(vramlab):
    return list(commands_below(vramlab, []))


def write_state(vramlab, file):
    """A snapshot without a history."""
    vramlab.run("snapshot", SAMPLES + "leak.vtrace", "--at", "peak", "-o", file)
    with open(file, encoding="utf-8") as source:
        snapshot = json.load(source)
    snapshot["device_traces"] = [[] for _ in snapshot["device_traces"]]
    with open(file, "w", encoding="utf-8") as target:
        json.dump(snapshot, target)


def written_recordings(vramlab, scratch):
    """Snapshots of some samples, with histories; one without; a log of another kind."""
    files = []
    for name in ["leak", "experts", "training"]:
        files.append(f"{scratch}/{name}.pickle")
        vramlab.run("replay", f"{SAMPLES}{name}.vtrace", "--snapshot-out", files[-1])
    write_state(vramlab, f"{scratch}/state.json")
    vramlab.run("convert", SAMPLES + "leak.vtrace", "-o", f"{scratch}/leak.csv", "--format", "rmm")
    return files


def of_recordings(vramlab, recordings, scratch):
    yield "info", vramlab.json("info", *recordings, f"{scratch}/state.json", f"{scratch}/leak.csv")
    yield "verify", vramlab.json("verify", *recordings, f"{scratch}/state.json")
    for file in recordings:
        yield "streams-recording", vramlab.json("streams", file)
        yield "top", vramlab.json("top", file, "--by", "age", "--limit", "2")
        yield "top", vramlab.json("top", file, "--by", "kind", "--kinds", "guess")
        yield "top-growth", vramlab.json("top", file, "--growth")
        yield "replay", vramlab.json("replay", file)
    yield "snapshot", vramlab.json("snapshot", recordings[0], "--at", "peak")
    yield "explain", vramlab.json("explain", *recordings, f"{scratch}/state.json")
    yield "explain", vramlab.json("explain", f"{scratch}/state.json")
    oom = f"{scratch}/oom.pickle"
    vramlab.run("replay", SAMPLES + "fragments.vtrace", "--device-memory", "1GiB",
                "--snapshot-out", oom, "--snapshot-at", "oom")
    yield "explain", vramlab.json("explain", oom)
    yield "explain", vramlab.json("explain", "tests/traces/samples/memory_timeline.json")


def of_samples(vramlab, scratch):
    yield "info", vramlab.json("info", *[SAMPLES + name for name in PROGRAMS + STREAM_PROGRAMS])
    yield "info", vramlab.json("info", *[f"tests/traces/samples/{name}" for name in COMMON_FILES])
    for name in PROGRAMS:
        file = SAMPLES + name
        yield "replay", vramlab.json("replay", file)
        yield "replay", vramlab.json("replay", file, "--device-memory", "300MiB", "--on-oom", "skip")
        yield "snapshot", vramlab.json("snapshot", file, "--at", "peak")
        yield "explain", vramlab.json("explain", file)
        yield "diff", vramlab.json("diff", file, file, "--by", "position")
        yield "top", vramlab.json("top", file)
        yield "top-growth", vramlab.json("top", file, "--growth")
        yield "diff", vramlab.json("diff", SAMPLES + "leak.vtrace", file, "--fail-if",
                                   "peak_reserved > +2%", "--fail-if", "new_groups > 0",
                                   statuses=(0, 1))
    loader = SAMPLES + "dataloader.vtrace.jsonl"
    yield "snapshot", vramlab.json("snapshot", loader, "--host", "--at", "peak")
    yield "diff", vramlab.json("diff", loader, loader, "--host")
    yield "snapshot", vramlab.json("snapshot", SAMPLES + "leak.vtrace", "--at", "oom",
                                   "--device-memory", "300MiB")
    yield "replay", vramlab.json("replay", SAMPLES + "leak.vtrace", "--on-oom", "report",
                                 "--device-memory", "300MiB")
    yield "replay", vramlab.json("replay", SAMPLES + "leak.vtrace", "--conf",
                                 "backend:cudaMallocAsync")
    yield "steps", vramlab.json("steps", SAMPLES + "graphs.vtrace.jsonl", "--count", "300")
    yield "steps", vramlab.json("steps", SAMPLES + "leak.vtrace", "--from", "700", "--count", "200",
                                "--device-memory", "300MiB")
    yield "steps", vramlab.json("steps", "tools/web/page/tour/14-pinned.vtrace.py")
    yield "steps", vramlab.json("steps", "tools/web/page/tour/13-two-versions.vtrace.py", "--beside", "2.15")
    for name in STREAM_PROGRAMS:
        yield "streams-program", vramlab.json("streams", SAMPLES + name)
    yield "diff", vramlab.json("diff", f"{scratch}/leak.pickle", f"{scratch}/state.json",
                               "--by", "size", "--at", "end")


def of_packings(vramlab, scratch):
    buffers = f"{scratch}/buffers.csv"
    with open(buffers, "w", encoding="utf-8") as file:
        file.write("id,lower,upper,size,gaps\na,0,9,4,3-6\nb,3,6,4,\n")
    yield "pack", vramlab.json("pack", buffers, "--capacity", "7", statuses=(1,))
    yield "pack", vramlab.json("pack", SAMPLES + "graphs.vtrace.jsonl", "--capacity", "1GiB")
    yield "pack", vramlab.json("pack", f"{scratch}/state.json")
    yield "policies", vramlab.json("policies", f"{scratch}/leak.pickle")
    yield "policies", vramlab.json("policies", SAMPLES + "graphs.vtrace.jsonl",
                                   "--device-memory", "500MiB")


def of_reports(vramlab, scratch):
    report = f"{scratch}/report.json"
    with open(report, "w", encoding="utf-8") as file:
        file.write(vramlab.run("replay", SAMPLES + "leak.vtrace", "--json"))
    yield "diff", vramlab.json("diff", report, report, "--fail-if", "device_allocs > 20",
                               statuses=(1,))


def wrong_case(file, top, scratch):
    """A case whose first request is another one than was recorded."""
    with gzip.open(f"{top}/{file}", "rt", encoding="utf-8") as source:
        case = json.load(source)
    case["ops"][0][2] += 3 << 20
    with open(f"{scratch}/wrong.json", "w", encoding="utf-8") as target:
        json.dump(case, target)
    return target.name


def of_the_rest(vramlab, scratch):
    cases = ["tests/conformance/small-1164.json.gz", "tests/conformance/v212-gc-2003.json.gz"]
    yield "conform", vramlab.json("conform", *cases, f"{scratch}/state.json", f"{scratch}/none",
                                  statuses=(2,))
    yield "conform", vramlab.json("conform", wrong_case(cases[0], vramlab.top, scratch),
                                  statuses=(1,))
    yield "report", vramlab.json("report", SAMPLES + "leak.vtrace", "--conf",
                                 "expandable_segments:True", "-o", f"{scratch}/page.html")
    yield "generate-list", vramlab.json("generate", "--list")
    yield "table", vramlab.json("table", SAMPLES + "leak.vtrace", "-o", f"{scratch}/leak.columns")
    yield "table", vramlab.json("table", f"{scratch}/leak.pickle", "--rows", "events", "-o",
                                f"{scratch}/events.csv")
    yield "sample", vramlab.json("sample")
    yield "sample", vramlab.json("sample", "leak", "-o", f"{scratch}/sample.vtrace")
    yield "report", vramlab.json("report", SAMPLES + "leak.vtrace", "-o", f"{scratch}/leak.html")
    yield "report", vramlab.json("report", SAMPLES + "leak.vtrace", SAMPLES + "training.vtrace",
                                 "--conf", "expandable_segments:True", "-o",
                                 f"{scratch}/two.html")


def of_what_ifs(vramlab, scratch):
    file = SAMPLES + "leak.vtrace"
    grid = "max_split_size_mb=none|32 expandable_segments=True|False"
    yield "sweep", vramlab.json("sweep", file, grid, "--recorded")
    yield "sweep", vramlab.json("sweep", file, SAMPLES + "training.vtrace", "--conf", "",
                                "--device-memory", "1GiB")
    yield "sweep", vramlab.json("sweep", file, "--reference", "2.12", "large_segment_size_mb=64|none",
                                "max_split_size_mb=32|64")
    shards = [f"{scratch}/shard-{index}.json" for index in (1, 2)]
    for index, shard in enumerate(shards, 1):
        vramlab.run("sweep", file, grid, "--shard", f"{index}/2", "-o", shard)
        with open(shard, encoding="utf-8") as text:
            yield "sweep", json.load(text)
    yield "sweep", vramlab.json("merge", *shards)
    yield "capacity", vramlab.json("capacity", file)
    yield "capacity", vramlab.json("capacity", SAMPLES + "fragments.vtrace", "--conf", "", "--conf",
                                   "max_split_size_mb:32", "--replays-above", "3")
    for name in PROGRAMS:
        yield "advise", vramlab.json("advise", SAMPLES + name)
    yield from of_several(vramlab, [file, SAMPLES + "training.vtrace"])
    yield "advise", vramlab.json("advise", file, "--device-memory", "100MiB")
    for name in ("gpt_training.pickle.gz", "training.vtrace"):
        yield "advise", vramlab.json("advise", SAMPLES + name, "--phases", "--without",
                                     "expandable_segments")


def of_several(vramlab, files):
    yield "advise", vramlab.json("advise", *files)
    yield "capacity-files", vramlab.json("capacity", *files, "--replays-above", "3")
    yield "replay-files", vramlab.json("replay", *files)
    yield "top-files", vramlab.json("top", *files, "--limit", "2")
    yield "ranks", vramlab.json("ranks", *files)
    yield "top-files", vramlab.json("top", *files, "--growth", "--limit", "2")


def of_live(vramlab):
    """On the fake driver."""
    if not vramlab.fake_driver:
        return
    yield "live", vramlab.json("live", SAMPLES + "serving.vtrace.jsonl")
    yield "live", vramlab.json("live", SAMPLES + "leak.vtrace", "--device-memory", "64GiB",
                               "--conf", "expandable_segments:True")
    yield "device-calls", vramlab.json("live", "--calibrate", "--repeats", "2")


# A program that leaves what one with PyTorch leaves, but the history of a sample for its own.
DRY_PROGRAM = """
import json, os, torch
torch.cuda.init()
if os.environ.get("FAKE_TORCH_FAILS"):
    torch._C.run_out_of_memory(4096)
notes = [{"kind": "host_read", "subject": "copy", "count": 3,
          "places": [{"place": "/home/user/train.py:12 main", "count": 3}]},
         {"kind": "modelled", "subject": "cudnn workspace", "count": 12, "places": []}]
with open("%s/%d.json" % (os.environ["VRAMLAB_DRY_RUN_NOTES"], os.getpid()), "w") as file:
    json.dump({"pid": os.getpid(), "program": "python3", "notes": notes,
               "gpus": [{"index": 0, "peak_used_bytes": 1 << 30, "peak_managed_bytes": 1 << 20,
                         "managed_at_peak_bytes": 1 << 19, "peak_with_managed_bytes": 1 << 31}],
               "pinned": {"peak_bytes": 4096, "count": 2,
                          "calls": [["host_alloc", 4096], ["host_free", 4096]]}}, file)
"""


def of_dry_runs(vramlab, scratch):
    """With a fake PyTorch, whose history is that of a sample."""
    if not vramlab.hook:
        return
    fake_torch = vramlab.top + "/tests/cuda_standins/command/fake_torch"
    summary = f"{scratch}/dry_run.json"
    for settings in ({"FAKE_TORCH_SNAPSHOT": f"{scratch}/leak.pickle"}, {"FAKE_TORCH_FAILS": "1"}):
        words = [f"{name}={value}" for name, value in settings.items()]
        vramlab.run("dry-run", "--json", summary, "--force", "--fail-if", "peak_reserved > 1MiB",
                    "--", "env", f"PYTHONPATH={vramlab.hook}:{fake_torch}", *words, "python3",
                    "-B", "-c", DRY_PROGRAM, statuses=(0, 1))
        with open(summary, encoding="utf-8") as text:
            yield "dry-run", json.load(text)


def of_fits(vramlab, scratch):
    """Runs of that program, which fails with 9 for its batch."""
    if not vramlab.hook:
        return
    script = f"{scratch}/fit.py"
    with open(script, "w", encoding="utf-8") as file:
        file.write("import os, sys\nif sys.argv[1] == '9':\n    os.environ['FAKE_TORCH_FAILS'] = '1'\n"
                   f"{DRY_PROGRAM}\nsys.exit(sys.argv[1] == '9')\n")
    words = [f"PYTHONPATH={vramlab.top}/tests/cuda_standins/command/fake_torch",
             f"FAKE_TORCH_SNAPSHOT={scratch}/leak.pickle", "python3", "-B", script, "{batch:3,9}"]
    yield "fit", vramlab.json("fit", "--device-memory", "1GiB", "--no-cache", options_end=words)
    yield "fit", vramlab.json("fit", "--device-memory", "1GiB", "--search", "batch", "--no-cache",
                              "-o", f"{scratch}/proofs", options_end=words)


def of_serves(vramlab, scratch):
    """A stand-in for an engine, which starts and fails."""
    if not vramlab.hook:
        return
    tests = vramlab.top + "/tests/cuda_standins/command/"
    answer = f"{scratch}/serve.json"
    for fails in ("", "graphs", "names"):
        find = () if fails else ("--find-utilization",)
        vramlab.run("serve", "--gpu", "l4", "--json", answer, "--force", *find, "--", "env",
                    f"PYTHONPATH={vramlab.hook}:{tests}fake_torch:{tests}fake_engine",
                    f"FAKE_ENGINE_FAILS={fails}", "python3", "-B", "-c",
                    "from vllm.v1.engine.core import EngineCore\nEngineCore({utilization})" if find else
                    "from vllm.v1.engine.core import EngineCore\nEngineCore()", statuses=(0, 1))
        with open(answer, encoding="utf-8") as text:
            yield "serve", json.load(text)


def of_bisects(vramlab, scratch):
    """Environments that are one interpreter under two names; the second one records more."""
    if not vramlab.hook:
        return
    script = f"{scratch}/bisect.py"
    with open(script, "w", encoding="utf-8") as file:
        file.write("import os\nif 'VIRTUAL_OTHER' in os.environ:\n"
                   f"    os.environ['FAKE_TORCH_SNAPSHOT'] = '{scratch}/leak.pickle'\n{DRY_PROGRAM}")
    other = f"{scratch}/python3"
    with open(other, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nVIRTUAL_OTHER=1 exec {sys.executable} "$@"\n')
    os.chmod(other, 0o755)
    words = ["env", f"PYTHONPATH={vramlab.top}/tests/cuda_standins/command/fake_torch"]
    for pythons in (("a", "a"), ("a", "b")):
        paths = {"a": sys.executable, "b": other}
        options = [word for number, name in enumerate(pythons)
                   for word in ("--python", f"{name}{number}={paths[name]}")]
        yield "bisect", vramlab.json("bisect", *options, options_end=[*words, "python3", "-B", script],
                                     statuses=(0, 1))


def of_watches(vramlab, scratch):
    """A process whose request failed, with a fake PyTorch that has its figures."""
    summary = f"{scratch}/watch.json"
    program = ("import sys\nfrom torch import _C, cuda\n"
               "cuda.figures.update({'reserved_bytes.all.peak': 1 << 21, 'num_ooms': 1})\n"
               "_C.run_out_of_memory(4096)\nsys.exit(3)\n")
    vramlab.run("watch", "-q", "--json", summary, "-o", scratch, "--", "env",
                f"PYTHONPATH={os.path.dirname(vramlab.program)}/watch/python:{vramlab.top}/tests/python/fake_torch",
                f"FAKE_TORCH_HISTORY={scratch}/oom.pickle", "python3", "-B", "-c", program, statuses=(3,))
    with open(summary, encoding="utf-8") as text:
        yield "watch", json.load(text)


def documents_of(vramlab, scratch):
    """Pairs of a schema's name and a document."""
    recordings = written_recordings(vramlab, scratch)
    yield from of_recordings(vramlab, recordings, scratch)
    yield from of_samples(vramlab, scratch)
    yield from of_packings(vramlab, scratch)
    yield from of_reports(vramlab, scratch)
    yield from of_what_ifs(vramlab, scratch)
    yield from of_the_rest(vramlab, scratch)
    yield from of_live(vramlab)
    yield from of_watches(vramlab, scratch)
    yield from of_dry_runs(vramlab, scratch)
    yield from of_fits(vramlab, scratch)
    yield from of_serves(vramlab, scratch)
    yield from of_bisects(vramlab, scratch)


def with_samples(vramlab, documents, commands):
    """The documents, and for each command that none is of what it says of a sample."""
    seen = set()
    for name, document in documents:
        seen.add(name)
        yield name, document
    for command in sorted(commands):
        name = command.replace(" ", "-")
        if not any(known == name or known.startswith(name + "-") for known in seen):
            yield name, vramlab.json(*command.split(), SAMPLES + "leak.vtrace")
