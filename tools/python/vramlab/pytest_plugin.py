"""The plug-in for pytest (docs/guide/python.md): `limit_vram` and `limit_vram_growth`, the fixture
`vram_recording`, --vramlab-dry and --vramlab-baseline; at the end, the tests with most GPU memory."""

from typing import Any, Dict, Generator, List, Optional, Tuple

import pytest

_MARKS = {
    "limit_vram": "limit_vram(most, of='reserved', gpu=None, conf=None): fails if the test's peak "
                  "of GPU memory is larger; gpu and conf judge a replay under them",
    "limit_vram_growth": "limit_vram_growth(most): fails if the test still holds more GPU memory "
                         "at its end than it held at its begin",
}
_recorded: "pytest.StashKey[Any]" = pytest.StashKey()
#: The property of a report that has the peak; it comes from workers and children, and JUnit has it.
_PEAK = "vram_peak_reserved_bytes"
_MOST_SHOWN = 5


def pytest_addoption(parser: Any) -> None:
    """The options."""
    group = parser.getgroup("vramlab", "GPU memory")
    group.addoption("--vramlab-dry", action="store_true",
                    help="Run the tests on GPUs that are not there, by vramlab dry-run")
    group.addoption("--vramlab-baseline", metavar="DIR",
                    help="Compare the recordings of marked tests with those kept in DIR, or keep "
                         "those that are new")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> None:
    """Names the marks. With --vramlab-dry, pytest-xdist distributes tests in the children, not here."""
    from vramlab.testing import dry_session

    for text in _MARKS.values():
        config.addinivalue_line("markers", text)
    if config.getoption("vramlab_dry") and not dry_session.is_child() and hasattr(config.option, "dist"):
        config.option.dist = "no"


def pytest_collection_modifyitems(config: Any, items: List[Any]) -> None:
    """In a child of a dry run, only the tests that are its own."""
    from vramlab.testing import dry_session

    chosen = dry_session.own_tests()
    if chosen is not None:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
        items[:] = [item for item in items if item.nodeid in chosen]


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: Any) -> Optional[bool]:
    """With --vramlab-dry, the tests run in children, one for each GPU."""
    from vramlab.testing import dry_session

    if not session.config.getoption("vramlab_dry") or dry_session.is_child():
        return None
    if session.config.option.collectonly or session.testsfailed:
        return None
    dry_session.run_tests(session, _gpu_of)
    return True


def pytest_runtest_logreport(report: Any) -> None:
    """A child tells what it found, and what its workers told it."""
    from vramlab.testing import dry_session

    if dry_session.is_child() and not dry_session.is_worker():
        dry_session.tell(report)


def pytest_warning_recorded(warning_message: Any, when: str, nodeid: str, location: Any) -> None:
    """A child tells what it warns of; what it finds while collecting, the parent finds, too."""
    from vramlab.testing import dry_session

    if dry_session.is_child() and not dry_session.is_worker() and when == "runtest":
        dry_session.tell_warning(warning_message, when=when, nodeid=nodeid, location=location)


def _not_recorded(name: str) -> str:
    from vramlab.testing import dry_session

    way_out = ("a dry run needs a PyTorch that is built for CUDA" if dry_session.is_child()
               else "pytest --vramlab-dry runs without a GPU")
    return f"{name} is not judged: there is no CUDA here ({way_out})"


def _marks_of(item: Any) -> Dict[str, Any]:
    found = {name: item.get_closest_marker(name) for name in _MARKS}
    return {name: mark for name, mark in found.items() if mark is not None}


def _gpu_of(item: Any) -> Optional[str]:
    mark = item.get_closest_marker("limit_vram")
    return mark.kwargs.get("gpu") if mark else None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, Any, None]:
    """Records a test that is marked."""
    marks = _marks_of(item)
    if not marks:
        yield
        return
    from vramlab.testing.recorded import RecordedTest, has_cuda

    if not has_cuda():
        item.warn(pytest.PytestWarning(_not_recorded(", ".join(marks))))
        yield
        return
    recorded = item.stash[_recorded] = RecordedTest(item.nodeid)
    recorded.begin()
    yield
    recorded.end()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Generator[None, Any, None]:
    """Fails a test that passed and took too much."""
    outcome = yield
    report = outcome.get_result()
    recorded = item.stash.get(_recorded, None)
    if call.when != "call" or recorded is None:
        return
    del item.stash[_recorded]
    _note_peak(item, report, recorded)
    if not report.passed or hasattr(report, "wasxfail"):
        return
    from vramlab.testing import judging

    refusals = judging.refusals(recorded, _marks_of(item), _baseline_of(item))
    if refusals:
        report.outcome = "failed"
        report.longrepr = "\n".join(refusals)
    for title, text in recorded.notes:
        report.sections.append((title, text))


def _note_peak(item: Any, report: Any, recorded: Any) -> None:
    from vramlab.testing.recorded import peak_reserved

    if recorded.recording is None:
        return
    peak = (_PEAK, peak_reserved(recorded.recording))
    item.user_properties.append(peak)
    # pytest made the report before, from the properties that there were.
    report.user_properties.append(peak)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The marked tests that reserved most."""
    from vramlab.values import size_text

    found: List[Tuple[int, str]] = []
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                found += [(peak, report.nodeid) for name, peak in report.user_properties if name == _PEAK]
    largest = sorted(((peak, test) for peak, test in found if peak > 0),
                     key=lambda row: (-row[0], row[1]))[:_MOST_SHOWN]
    if not largest:
        return
    terminalreporter.section(f"most GPU memory: {len(largest)} of {len(found)} marked tests")
    terminalreporter.write_line(f"{'peak reserved':>13}  test")
    for peak, test in largest:
        terminalreporter.write_line(f"{size_text(peak):>13}  {test}")


def _baseline_of(item: Any) -> Optional[str]:
    folder: Optional[str] = item.config.getoption("vramlab_baseline")
    return folder


@pytest.fixture
def vram_recording(request: Any) -> Any:
    """Records the test. Calling it gives the vramlab.Recording up to now."""
    from vramlab.testing.recorded import RecordedTest, has_cuda

    if not has_cuda():
        pytest.skip(_not_recorded("vram_recording"))
    recorded = RecordedTest(request.node.nodeid)
    if not _marks_of(request.node):
        recorded.begin()
        request.addfinalizer(recorded.stop)
    return recorded.up_to_now
