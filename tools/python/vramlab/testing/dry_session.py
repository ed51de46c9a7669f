"""With --vramlab-dry, tests run in children of `vramlab dry-run`: one for each GPU that marks name,
and one for the others. A child runs the same command line, with the tests that are its own."""

import json
import os
import sys
import warnings
from typing import Any, Callable, Dict, List, Optional, Set

from vramlab import program
from vramlab.child import Ended
from vramlab.scratch import Scratch

_TESTS = "VRAMLAB_PYTEST_TESTS"
_REPORTS = "VRAMLAB_PYTEST_REPORTS"


def is_child() -> bool:
    """Whether this is one of the children."""
    return _TESTS in os.environ


def is_worker() -> bool:
    """Whether pytest-xdist began this process."""
    return "PYTEST_XDIST_WORKER" in os.environ


def own_tests() -> Optional[Set[str]]:
    """The tests of this child; None if this process is no child."""
    if not is_child():
        return None
    with open(os.environ[_TESTS], encoding="utf-8") as file:
        return set(json.load(file))


def tell(report: Any) -> None:
    """Passes a report on to the parent."""
    told = report._to_json()
    # The worker of pytest-xdist, which the parent has not.
    told.pop("node", None)
    _write(told)


def tell_warning(message: Any, **where: Any) -> None:
    """Passes a warning on to the parent."""
    _write({"warning": str(message.message), "category": message.category.__name__,
            "filename": message.filename, "lineno": message.lineno, **where})


def _write(told: Dict[str, Any]) -> None:
    # As plain JSON: reports hold paths and more.
    with open(os.environ[_REPORTS], "a", encoding="utf-8") as file:
        file.write(json.dumps(told, default=str) + "\n")


def run_tests(session: Any, gpu_of: Callable[[Any], Optional[str]]) -> None:
    """Runs all tests of the session in children, and reports what they found."""
    groups: Dict[Optional[str], List[Any]] = {}
    for item in session.items:
        groups.setdefault(gpu_of(item), []).append(item)
    for gpu, items in groups.items():
        _run_group(session, gpu, items)


def _run_group(session: Any, gpu: Optional[str], items: List[Any]) -> None:
    scratch = Scratch()
    reports = scratch.file("reports.jsonl")
    with open(scratch.file("tests.json"), "w", encoding="utf-8") as file:
        json.dump([item.nodeid for item in items], file)
    before = {name: os.environ.get(name) for name in (_TESTS, _REPORTS)}
    os.environ.update({_TESTS: scratch.file("tests.json"), _REPORTS: reports})
    words = ["dry-run", "--quiet", *program.option_words({"gpu": gpu}), "--", sys.executable, "-m",
             "pytest", *session.config.invocation_params.args]
    try:
        ended = program.run(words)
    finally:
        _restore(before)
    told = _reports_of(session, reports)
    for item in items:
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in told.get(item.nodeid) or [_missing(item, ended)]:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        # As pytest itself after each test: with -x, the child ran none of the others.
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)


def _restore(before: Dict[str, Optional[str]]) -> None:
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _reports_of(session: Any, path: str) -> Dict[str, List[Any]]:
    from _pytest.reports import TestReport

    found: Dict[str, List[Any]] = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for told in map(json.loads, file):
                if "warning" in told:
                    _warn(session, told)
                    continue
                report = TestReport._from_json(told)
                found.setdefault(report.nodeid, []).append(report)
    return found


def _warn(session: Any, told: Dict[str, Any]) -> None:
    # The summary needs no more of a category than its name.
    category = type(told["category"], (Warning,), {})
    message = warnings.WarningMessage(told["warning"], category, told["filename"], told["lineno"])
    session.config.hook.pytest_warning_recorded.call_historic(
        kwargs={"warning_message": message, **{name: told[name] for name in ("when", "nodeid", "location")}})


def _missing(item: Any, ended: Ended) -> Any:
    from _pytest.reports import TestReport

    if ended.errors:
        # Refused before it began, such as for the name of a GPU.
        text = f"the dry run did not begin: {program.error_of('dry-run', ended)}"
    else:
        said = (ended.output.decode("utf-8", "replace") + "".join(ended.texts)).strip()
        text = f"the dry run ended with status {ended.status} before this test was over\n{said[-2000:]}"
    return TestReport(nodeid=item.nodeid, location=item.location, keywords={}, outcome="failed",
                      longrepr=text, when="call")
