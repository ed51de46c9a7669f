"""Pictures by matplotlib, which is imported for the first of them."""

from typing import Any, Dict, List, Optional

_GIB = 1 << 30
_MOST_BARS = 30


def plot_fit(document: Dict[str, Any], axes: Optional[Any] = None) -> Any:
    """The runs of `vramlab fit`: a curve of reserved memory for each point of the grid and option string."""
    if axes is None:
        axes = _new_axes()
    searched = document["searched"]
    curves: Dict[str, List[Any]] = {}
    for run in document["runs"]:
        if run["failed_requests"] or not run["peak_reserved_bytes"]:
            continue
        name = _name_of(run)
        place = float(run["value"]) if searched else name
        curves.setdefault(name if searched else "", []).append((place, run["peak_reserved_bytes"] / _GIB))
    for name, points in curves.items():
        axes.plot(*zip(*sorted(points)), marker="o", linestyle="-" if searched else "", label=name or None)
    for gpu, memory in {(row["gpu"], row["memory_bytes"]) for row in document["rows"]}:
        axes.axhline(memory / _GIB, linestyle="--", color="tab:red")
        axes.annotate(gpu, (0.01, memory / _GIB), xycoords=("axes fraction", "data"), va="bottom", color="tab:red")
    axes.set_xlabel(searched or "")
    axes.set_ylabel("reserved memory at its peak, GiB")
    axes.set_ylim(bottom=0)
    if searched and any(curves):
        axes.legend()
    return axes


def plot_replay(document: Dict[str, Any], axes: Optional[Any] = None) -> Any:
    """The memory of each device over its events: reserved behind, allocated before it."""
    if axes is None:
        axes = _new_axes()
    devices = [device for device in document["devices"] if device["curve"]]
    for device in devices:
        curve = device["curve"]
        events = [min((at + 1) * curve["events_per_step"] - 1, curve["last_event"])
                  for at in range(len(curve["reserved_bytes"]))]
        of_gpu = f" on GPU {device['device']}" if len(devices) > 1 else ""
        for name, alpha in (("reserved", 0.35), ("allocated", 0.8)):
            sizes = [size / _GIB for size in curve[f"{name}_bytes"]]
            axes.fill_between(events, sizes, step="post", alpha=alpha, label=name + of_gpu)
    axes.set_xlabel("event")
    axes.set_ylabel("GiB")
    axes.set_ylim(bottom=0)
    if devices:
        axes.legend(loc="upper left")
    return axes


def plot_holdings(document: Dict[str, Any], axes: Optional[Any] = None) -> Any:
    """A bar for each group, such as a kind or a call site, the largest on top."""
    bars = [(f"GPU {device['device']}: {group['key']}" if len(document["devices"]) > 1 else group["key"],
             group["bytes"] / _GIB)
            for device in document["devices"] for group in device["groups"]]
    axes = _bars(bars, axes)
    axes.set_xlabel(f"GiB at {document['moment']}")
    return axes


def plot_sweep(document: Dict[str, Any], axes: Optional[Any] = None) -> Any:
    """A bar for each option string, the best on top. What PyTorch refuses has none."""
    axes = _bars([(row["conf"] or "no options", row["peak_reserved"] / _GIB)
                  for row in document["rows"] if row.get("refused") is None], axes)
    axes.set_xlabel("reserved memory at its peak, GiB")
    return axes


def _bars(bars: List[Any], axes: Optional[Any]) -> Any:
    if axes is None:
        axes = _new_axes()
    shown = bars[:_MOST_BARS]
    # Texts are places alone: two bars of one name stay two bars.
    axes.barh(range(len(shown)), [size for _, size in shown])
    axes.set_yticks(range(len(shown)), [name for name, _ in shown])
    axes.invert_yaxis()
    if len(bars) > len(shown):
        axes.set_title(f"the first {len(shown)} of {len(bars)}")
    return axes


def _name_of(run: Dict[str, Any]) -> str:
    parts = [f"{name}={value}" for name, value in run["placeholders"].items()]
    return ", ".join([*parts, run["conf"]] if run["conf"] else parts)


def _new_axes() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("a picture needs matplotlib: pip install matplotlib") from error
    # Names of call sites and option strings are long.
    return pyplot.subplots(layout="constrained")[1]
