"""One question about many recordings, on any executor of `concurrent.futures`: threads, processes, MPI's,
Dask's (`Client.get_executor()`) and others."""

from __future__ import annotations

import json
import os
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from vramlab import program
from vramlab.errors import Error
from vramlab.program import Path
from vramlab.recording import Recording
from vramlab.scratch import Scratch

Question = Union[str, Callable[[Recording], Any]]

#: A worker that is lost takes its answer with it.
_MOST_TRIES = 3


def map(question: Question, files: Iterable[Path],  # pylint: disable=redefined-builtin
        executor: Optional[Executor] = None, *, errors: str = "raise", **options: Any) -> List[Any]:
    """The answer about each file, in the order of the files. The question is the name of a method of
    Recording, which takes the options, or a function that is called with a Recording.

    >>> [answer.peak_reserved for answer in map("replay", ["traces/samples/leak.vtrace"], conf="")]
    [660602880]

    Without an executor, as many threads as there are processors ask; each question is a process of its
    own. Executors of processes need a function that can be pickled, and those of a cluster files and a
    program that each worker finds. A question that is lost with its worker is asked again. With
    `errors="return"`, an answer that there is none is the exception.
    """
    if errors not in ("raise", "return"):
        raise ValueError(f"errors: expected 'raise' or 'return', found {errors!r}")
    if isinstance(question, str) and not callable(getattr(Recording, question, None)):
        raise AttributeError(f"a Recording has no method {question!r}")
    calls = [(question, os.fsdecode(file), options) for file in files]
    if executor is not None:
        return results(executor, _answer, calls, errors)
    with ThreadPoolExecutor(min(len(calls), os.cpu_count() or 1) or 1) as threads:
        return results(threads, _answer, calls, errors)


def _answer(question: Question, file: str, options: Any) -> Any:
    recording = Recording(file)
    if isinstance(question, str):
        return getattr(recording, question)(**options)
    return question(recording, **options)


def results(executor: Executor, function: Callable[..., Any], calls: List[Tuple[Any, ...]],
            errors: str = "raise") -> List[Any]:
    """The results of the function for the arguments of each call, in the order of the calls."""
    futures = [executor.submit(function, *arguments) for arguments in calls]
    found: List[Any] = []
    try:
        for arguments, future in zip(calls, futures):
            try:
                found.append(_result(executor, future, function, arguments))
            except Exception as error:  # pylint: disable=broad-except
                if errors == "raise":
                    raise
                found.append(error)
    finally:
        for future in futures:
            future.cancel()
    return found


def _result(executor: Executor, future: "Future[Any]", function: Callable[..., Any], arguments: Tuple[Any, ...]) -> Any:
    """Asked again if the worker was lost, as far as the executor still takes calls."""
    for _ in range(_MOST_TRIES - 1):
        try:
            return future.result()
        except (Error, TypeError, ValueError, AttributeError):
            # Answers of the program and of the question's own.
            raise
        except Exception as error:  # pylint: disable=broad-except
            if not _is_loss(error):
                raise
            try:
                future = executor.submit(function, *arguments)
            except Exception:  # pylint: disable=broad-except
                # The executor is broken; what happened to the question says more.
                raise error from None
    return future.result()


def _is_loss(error: Exception) -> bool:
    """Whether a worker went away, by the names that executors have for it."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"BrokenExecutor", "KilledWorker", "WorkerCrashedError", "NodeDiedError",
                         "TerminatedWorkerError", "CancelledError"})


def sweep_in_parts(executor: Executor, files: Sequence[str], options: Mapping[str, object], parts: int) -> Dict[str, Any]:
    """The document of a sweep whose settings are divided among the workers, joined as `vramlab merge` joins it."""
    calls = [(list(files), dict(options), f"{part}/{parts}") for part in range(1, parts + 1)]
    scratch = Scratch()
    written = []
    for (_, _, part), document in zip(calls, results(executor, _part_of_sweep, calls)):
        written.append(scratch.file(part.replace("/", "_of_") + ".json"))
        with open(written[-1], "w", encoding="utf-8") as file:
            json.dump(document, file)
    return program.ask("merge", written, {})


def _part_of_sweep(files: List[str], options: Dict[str, object], part: str) -> Dict[str, Any]:
    return program.ask("sweep", files, {**options, "shard": part})
