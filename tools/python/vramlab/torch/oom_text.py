"""The text about an out-of-memory, at most 20 lines, from what the program answers about it."""

import os
from typing import Any, Dict, List, NamedTuple

from vramlab.values import size_text

MOST_LINES = 20
_MOST_HOLDERS = 5
_MOST_PINNERS = 3


class Failure(NamedTuple):
    """A request that found no memory, as PyTorch tells of it."""

    device: int
    requested: int
    device_total: int
    device_free: int
    place: str
    #: The option string that was in force.
    conf: str


def headline(failure: Failure) -> str:
    """The size that was asked for, and the line that asked."""
    return (f"vramlab: out of memory on GPU {failure.device}: {size_text(failure.requested)} "
            f"requested at {failure.place}")


def there_was(failure: Failure, statistics: Dict[str, int]) -> List[str]:
    """The memory that there was when the request failed."""
    allocated = statistics.get("allocated_bytes.all.current", 0)
    reserved = statistics.get("reserved_bytes.all.current", 0)
    return [_line("there was", f"{size_text(allocated)} allocated, {size_text(reserved)} reserved, "
                               f"{size_text(failure.device_free)} left of "
                               f"{size_text(failure.device_total)}")]


def holders(document: Dict[str, Any], device: int) -> List[str]:
    """Who holds most, from the JSON of `top`."""
    groups = [group for found in document["devices"] if found["device"] == device
              for group in found["groups"]]
    return [_line("holds most" if i == 0 else "", f"{size_text(group['bytes']):>10}  "
                                                  f"{group['key']}")
            for i, group in enumerate(groups[:_MOST_HOLDERS])]


def strands(document: Dict[str, Any], device: int) -> List[str]:
    """The blocks that strand free memory, from the JSON of `snapshot`."""
    for found in document["devices"]:
        stranded = found["metrics"]["stranded"]
        if found["device"] != device or not stranded:
            continue
        lines = [_line("stranded", f"{size_text(stranded)} of the reserved memory are free, beside "
                                   "live blocks such as")]
        for pinner in found["pinners"][:_MOST_PINNERS]:
            where = pinner["call_site"] or "a block older than the recording"
            lines.append(_line("", f"{size_text(pinner['stranded_bytes']):>10}  beside "
                                   f"{size_text(pinner['bytes'])} of {where}"))
        return lines
    return []


def ways_out(document: Dict[str, Any], failure: Failure) -> List[str]:
    """The options that would have passed, or what is missing, from the JSON of `snapshot`."""
    for explained in document["out_of_memory"]:
        if explained["device"] != failure.device:
            continue
        passing = [tried for tried in explained["tried"] if tried["passes"]]
        # An option with which all later requests pass, too, is the better one.
        passing.sort(key=lambda tried: not tried["runs_through"])
        for tried in passing[:1]:
            return [_line("would pass", f"PYTORCH_CUDA_ALLOC_CONF="
                                        f"{joined(failure.conf, tried['added_options'])} "
                                        "(found by replaying)")]
        names = ", ".join(tried["added_options"] for tried in explained["tried"])
        lines = [_line("no way out", f"found by replaying with {names}")] if names else []
        if explained["shortfall_bytes"] is not None:
            lines.append(_line("missing", f"{size_text(explained['shortfall_bytes'])} of memory"))
        return lines
    return []


def joined(conf: str, added: str) -> str:
    """An option string with another one added, which replaces what it names.

    >>> joined("max_split_size_mb:64,expandable_segments:False", "expandable_segments:True")
    'max_split_size_mb:64,expandable_segments:True'
    >>> joined("roundup_power2_divisions:[256:1,>:4]", "max_split_size_mb:32")
    'roundup_power2_divisions:[256:1,>:4],max_split_size_mb:32'
    """
    new = {option.partition(":")[0] for option in _options(added)}
    kept = [option for option in _options(conf) if option.partition(":")[0].strip() not in new]
    return ",".join([*kept, added])


def _options(conf: str) -> List[str]:
    options: List[str] = []
    for piece in conf.split(","):
        if options and options[-1].count("[") > options[-1].count("]"):
            options[-1] += "," + piece
        elif piece:
            options.append(piece)
    return options


def kept(name: str, path: str) -> List[str]:
    """A line that tells where a file lies."""
    return [_line(name, os.path.abspath(path))]


def _line(name: str, text: str) -> str:
    return f"  {name:<11}{text}"
