"""One question about many recordings, on any executor of `concurrent.futures`: threads, processes, MPI's,
Dask's (`Client.get_executor()`) and others."""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, Callable, Iterable, List, Optional, Union

from vramlab.errors import Error
from vramlab.program import Path
from vramlab.recording import Recording

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
    asked = [os.fsdecode(file) for file in files]
    if executor is not None:
        return _answers(executor, question, asked, options, errors)
    with ThreadPoolExecutor(min(len(asked), os.cpu_count() or 1) or 1) as threads:
        return _answers(threads, question, asked, options, errors)


def _answers(executor: Executor, question: Question, files: List[str], options: Any, errors: str) -> List[Any]:
    futures = [executor.submit(_answer, question, file, options) for file in files]
    answers: List[Any] = []
    try:
        for file, future in zip(files, futures):
            try:
                answers.append(_result(executor, future, question, file, options))
            except Exception as error:  # pylint: disable=broad-except
                if errors == "raise":
                    raise
                answers.append(error)
    finally:
        for future in futures:
            future.cancel()
    return answers


def _result(executor: Executor, future: "Future[Any]", question: Question, file: str, options: Any) -> Any:
    """The answer; asked again if the worker was lost, as far as the executor still takes questions."""
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
                future = executor.submit(_answer, question, file, options)
            except Exception:  # pylint: disable=broad-except
                # The executor is broken; what happened to the question says more.
                raise error from None
    return future.result()


def _is_loss(error: Exception) -> bool:
    """Whether a worker went away, by the names that executors have for it."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"BrokenExecutor", "KilledWorker", "WorkerCrashedError", "NodeDiedError",
                         "TerminatedWorkerError", "CancelledError"})


def _answer(question: Question, file: str, options: Any) -> Any:
    recording = Recording(file)
    if isinstance(question, str):
        return getattr(recording, question)(**options)
    return question(recording, **options)
