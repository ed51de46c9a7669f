"""The commands that are not about one recording."""

from __future__ import annotations

import json
import os
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from vramlab import answers, program
from vramlab.program import Listener, Option, Path
from vramlab.recording import Recording, Source
from vramlab.scratch import Scratch
from vramlab.values import Value

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from vramlab import options as of


def open(source: Source, progress: Listener = None) -> Recording:  # pylint: disable=redefined-builtin
    """Opens a recording of any format: its path, its bytes, an open file, or the value of
    torch.cuda.memory._snapshot().

    >>> open("traces/samples/gpt_training.pickle.gz")
    Recording('traces/samples/gpt_training.pickle.gz', PyTorch snapshot (pickle), devices=1)
    """
    return Recording(source, progress)


def ask(command: str, *files: Path, progress: Listener = None, **options: Option) -> Value:
    """The JSON of any command that has it, as a value.

    >>> ask("top", "traces/samples/leak.vtrace", limit=1).devices[0].groups[0].key
    'autograd/loss.py:19 cross_entropy_backward'
    """
    return Value(program.ask(command, files, options, progress))


def explain(files: Iterable[Path], **options: Unpack[of.ExplainOptions]) -> answers.Explanation:
    """The worst of several recordings, such as those of a job's ranks, and a table of all.

    >>> len(explain(["traces/samples/leak.vtrace", "traces/samples/training.vtrace"]).recordings)
    2
    """
    return answers.Explanation(program.ask("explain", program.several(files), options))


def replay(files: Iterable[Path], conf: Optional[str] = None, *, gpu: Optional[str] = None,
           **options: Unpack[of.ReplayOptions]) -> answers.Replays:
    """The figures of each of several recordings under another option string, GPU or memory.

    >>> replay(["traces/samples/leak.vtrace", "traces/samples/training.vtrace"]).worst_file
    'traces/samples/training.vtrace'
    """
    asked: Dict[str, object] = {"conf": conf, "gpu": gpu, **options}
    found: answers.Replays = answers.Replays.of(program.ask("replay", program.several(files), asked))
    return found


def advise(files: Iterable[Path], **options: Unpack[of.AdviseOptions]) -> answers.Advice:
    """The best option string for all of several recordings; the worst of them counts."""
    return answers.Advice(program.ask("advise", program.several(files), options))


def capacity(files: Iterable[Path], confs: Sequence[str] = (),
             **options: Unpack[of.CapacityOptions]) -> answers.Capacities:
    """The least device memory on which each of several recordings runs."""
    asked: Dict[str, object] = {"conf": program.several(confs), **options}
    found: answers.Capacities = answers.Capacities.of(
        program.ask("capacity", program.several(files), asked))
    return found


def top(files: Iterable[Path], at: Union[None, int, str] = None,
        **options: Unpack[of.TopOptions]) -> answers.HoldingsOfFiles:
    """Who holds memory in each of several recordings.

    >>> top(["traces/samples/leak.vtrace", "traces/samples/training.vtrace"], limit=1).rows[0].file
    'traces/samples/leak.vtrace'
    """
    found: answers.HoldingsOfFiles = answers.HoldingsOfFiles.of(
        program.ask("top", program.several(files), {"at": at, **options}))
    return found


def sweep(files: Iterable[Path], confs: Sequence[str] = (), *, executor: Optional[Executor] = None, parts: int = 16,
          **options: Unpack[of.SweepOptions]) -> answers.Sweep:
    """Replays of several recordings under many option strings; the worst of the files counts. With an executor of
    `concurrent.futures`, the settings are divided into so many parts, which its workers replay.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as threads:
    ...     sweep(["traces/samples/leak.vtrace"], ["", "max_split_size_mb:64"], executor=threads, parts=2).best
    ''
    """
    named = program.several(files)
    asked: Dict[str, object] = {"conf": program.several(confs), **options}
    if executor is None:
        return answers.Sweep(program.ask("sweep", named, asked))
    from vramlab.many import sweep_in_parts

    return answers.Sweep(sweep_in_parts(executor, [program.file_word(file) for file in named], asked, parts))


def merge(files: Iterable[Path], **options: Unpack[of.MergeOptions]) -> answers.Sweep:
    """Joins the shards of a sweep."""
    return answers.Sweep(program.ask("merge", program.several(files), options))


def conform(files: Iterable[Path], **options: Unpack[of.ConformOptions]) -> Value:
    """Compares the engine with recorded cases of the reference."""
    return Value(program.ask("conform", program.several(files), options))


def samples() -> List[Value]:
    """The recordings that come with vramlab.

    >>> [sample.name for sample in samples()][:2]
    ['gpt_training', 'out_of_memory']
    """
    listed: List[Value] = Value(program.ask("sample")).samples
    return listed


def sample(name: str, output: Optional[Path] = None, **options: Unpack[of.SampleOptions]) -> Recording:
    """A recording that comes with vramlab, as a file of the recording's own or as `output`.

    >>> sample("out_of_memory").explain().answer.out_of_memory.event
    6511
    """
    scratch = Scratch() if output is None else None
    given: Dict[str, object] = {"output": scratch.file(name) if scratch else output, **options}
    document = program.ask("sample", [name], given)
    found = Recording(document["samples"][0]["output"])
    found._scratch = scratch
    return found


def workloads() -> List[Value]:
    """The synthetic workloads that `generate` writes.

    >>> [workload.name for workload in workloads()][:2]
    ['training', 'serving']
    """
    listed: List[Value] = Value(program.ask("generate", options={"list": True})).workloads
    return listed


def generate(name: str, output: Path, **options: Unpack[of.GenerateOptions]) -> Recording:
    """Writes a synthetic workload as a native trace, and opens it."""
    program.tell("generate", [name], {"output": output, **options})
    return Recording(output)


def dry_run(
    words: Sequence[Path],
    *,
    gpu: Optional[str] = None,
    steps: Optional[int] = None,
    output: Optional[Path] = None,
    **options: Unpack[of.DryRunOptions],
) -> answers.DryRun:
    """Runs a CUDA program without a GPU: `dry_run(["python", "train.py"], gpu="h100-80gb")`. The
    histories are kept as long as the answer, or as `output`."""
    scratch = Scratch()
    kept = scratch.file("history.%p.pickle") if output is None else output
    summary = scratch.file("summary.json")
    given: Dict[str, object] = {"gpu": gpu, "steps": steps, "output": kept, "json": summary}
    found = answers.DryRun(_run_program("dry-run", {**given, **options}, words, summary))
    found._rest = scratch
    return found


def fit(
    words: Sequence[Path],
    *,
    gpu: Union[None, str, Sequence[str]] = None,
    **options: Unpack[of.FitOptions],
) -> answers.Fit:
    """The largest value of a program's own arguments that fits, proven by dry runs:
    `fit(["python", "train.py", "--batch", "{batch:1..512}"], gpu="rtx4090").best["batch"]`."""
    given: Dict[str, object] = {"gpu": gpu, **options}
    command_line = ["fit", *program.option_words(given), "--json", "--", *map(os.fsdecode, program.several(words))]
    ended = program.run(command_line)
    if not ended.output:
        raise program.error_of("fit", ended)
    return answers.Fit(program.checked(json.loads(ended.output.decode("utf-8"))))


def serve(
    words: Sequence[Path],
    *,
    gpu: str,
    output: Optional[Path] = None,
    **options: Unpack[of.ServeOptions],
) -> answers.Serving:
    """Runs an inference engine without a GPU: `serve(["vllm", "serve", "./model"], gpu="l4").kv_cache_tokens`. The
    histories are kept as long as the answer, or as `output`."""
    scratch = Scratch()
    kept = scratch.file("history.%p.pickle") if output is None else output
    answer = scratch.file("answer.json")
    given: Dict[str, object] = {"gpu": gpu, "output": kept, "json": answer}
    found = answers.Serving(_run_program("serve", {**given, **options}, words, answer))
    found._rest = scratch
    return found


def _run_program(
    command: str, options: Mapping[str, object], words: Sequence[Path], summary: str
) -> Dict[str, Any]:
    """A command that writes its JSON to a file and ends with the status of the program."""
    command_line = [command, *program.option_words(options), "--", *map(os.fsdecode, program.several(words))]
    ended = program.run(command_line, is_ours=False)
    if not os.path.exists(summary):
        raise program.error_of(command, ended)
    with os.fdopen(os.open(summary, os.O_RDONLY), encoding="utf-8") as file:
        return program.checked(json.load(file))


def record(words: Sequence[Path], output: Path, **options: Unpack[of.RecordOptions]) -> Recording:
    """Runs a CUDA program, records its allocations, and opens the native trace."""
    given: Dict[str, object] = {"output": output, **options}
    command_line = ["record", *program.option_words(given), "--", *map(os.fsdecode, program.several(words))]
    ended = program.run(command_line, is_ours=False)
    if ended.errors or not os.path.exists(output):
        raise program.error_of("record", ended)
    return Recording(output)


def run(words: Sequence[Path], **options: Unpack[of.RunOptions]) -> int:
    """Runs a CUDA program on the caching allocator, on a GPU that is there, and returns its exit status."""
    command_line = ["run", *program.option_words(options), "--", *map(os.fsdecode, program.several(words))]
    ended = program.run(command_line, is_ours=False)
    if ended.errors:
        raise program.error_of("run", ended)
    return ended.status
