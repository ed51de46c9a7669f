"""Whether a test took too much GPU memory, and the text that says so."""

import os
import re
import shutil
from typing import Any, Dict, List, Optional

from vramlab.errors import Error, LimitError
from vramlab.recording import Recording
from vramlab.testing.recorded import RecordedTest, all_events, event_count
from vramlab.values import size_text

_MOST_HOLDERS = 8
_USUAL_LIMIT = "peak_reserved > +2%"
_BUDGET = ".vramlab.json"
_UNITS = {"": 1, "b": 1, "bytes": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
          "tib": 1 << 40, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_PEAKS = ("reserved", "allocated", "active", "requested")


def bytes_of(size: Any) -> int:
    """A size as on the command line.

    >>> bytes_of("20GiB"), bytes_of("1.5 kB"), bytes_of(512)
    (21474836480, 1500, 512)
    """
    if isinstance(size, int) and not isinstance(size, bool):
        return size
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)", str(size).strip())
    if not match or match[2].lower() not in _UNITS:
        raise ValueError(f"expected a size such as '20GiB', found {size!r}")
    return int(float(match[1]) * _UNITS[match[2].lower()])


def refusals(recorded: RecordedTest, marks: Dict[str, Any], baseline: Optional[str]) -> List[str]:
    """Lines that say what is too much; none if nothing is, or if the test uses no GPU memory."""
    lines: List[str] = []
    assert recorded.recording is not None
    try:
        if "limit_vram" in marks:
            lines += _over_limit(recorded.recording, *marks["limit_vram"].args,
                                 **marks["limit_vram"].kwargs)
        if "limit_vram_growth" in marks:
            lines += _grown(recorded, *marks["limit_vram_growth"].args,
                            **marks["limit_vram_growth"].kwargs)
        # A recording that is over a limit already does not become a baseline.
        if baseline is not None and not lines and event_count(recorded.recording) > 0:
            lines += _worse(recorded, baseline)
    except (Error, TypeError, ValueError) as error:
        lines.append(f"vramlab: the test is not judged: {error}")
    return lines


def _over_limit(rec: Recording, most: Any, of: str = "reserved", gpu: Optional[str] = None,
                conf: Optional[str] = None) -> List[str]:
    if of not in _PEAKS:
        raise ValueError(f"of: expected one of {', '.join(_PEAKS)}, found {of!r}")
    most_bytes = bytes_of(most)
    if event_count(rec) == 0:
        return []
    if event_count(rec) == 1:
        return _over_limit_at_end(rec, most_bytes, of)
    replay = rec.replay(conf=conf, gpu=gpu, on_oom="skip")
    peak = replay.metrics["peak_" + of]
    conditions = ", ".join(f"{name} {value}" for name, value in (("gpu", gpu), ("conf", conf))
                           if value)
    under = f" (replayed with {conditions})" if conditions else ""
    lines = []
    if replay.metrics.out_of_memory:
        lines.append(f"limit_vram: {replay.metrics.out_of_memory} requests fail{under}")
    if peak > most_bytes:
        lines.append(f"limit_vram: peak {of} {size_text(peak)} is more than "
                     f"{size_text(most_bytes)}{under}")
    return lines + (_holders(rec, "who holds most at the peak", at="peak") if lines else [])


def _over_limit_at_end(rec: Recording, most_bytes: int, of: str) -> List[str]:
    """A single event can't be replayed, and the state behind it is the peak, or nearly."""
    held = max(device.segments[of + "_bytes"] for device in rec.info.devices)
    if held <= most_bytes:
        return []
    return [f"limit_vram: {of} {size_text(held)} at the end of its single event is more than "
            f"{size_text(most_bytes)}"]


def _grown(recorded: RecordedTest, most: Any = 0) -> List[str]:
    if recorded.grown_bytes <= bytes_of(most) or recorded.recording is None:
        return []
    rec = recorded.recording
    return [f"limit_vram_growth: the test holds {size_text(recorded.grown_bytes)} more at its end "
            f"than at its begin, more than {size_text(bytes_of(most))}",
            *_holders(rec, "who holds it", between=all_events(rec))]


def _holders(rec: Recording, title: str, **options: Any) -> List[str]:
    rows = rec.top(**options).rows[:_MOST_HOLDERS]
    return [f"  {title}:"] + [f"  {size_text(row.bytes):>12}  {row.key}" for row in rows]


def _worse(recorded: RecordedTest, folder: str) -> List[str]:
    rec = recorded.recording
    assert rec is not None
    base = os.path.join(folder, recorded.file_name)
    if not os.path.exists(base):
        os.makedirs(folder, exist_ok=True)
        shutil.copyfile(rec.path, base)
        recorded.notes.append(("vramlab baseline", f"kept as {base}"))
        return []
    kept = Recording(base)
    if kept.info.test not in (None, recorded.name):
        # Names differ in letters that files do not take.
        raise ValueError(f"{base} is the baseline of {kept.info.test}; rename one of the two tests")
    limits: Dict[str, Any] = {"no_budget": True, "fail_if": [_USUAL_LIMIT]}
    for place in (folder, "."):
        if os.path.exists(os.path.join(place, _BUDGET)):
            limits = {"budget": os.path.join(place, _BUDGET)}
            break
    try:
        kept.diff(rec, **limits).raise_if_broken()
    except LimitError as error:
        return [f"vramlab baseline: {recorded.name} is worse than {base}: {error}",
                *_holders(rec, "who holds most at the peak", at="peak")]
    return []
