"""Pictures by matplotlib, which is imported for the first of them."""

from typing import Any, Dict, List, Optional

_GIB = 1 << 30


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


def _name_of(run: Dict[str, Any]) -> str:
    parts = [f"{name}={value}" for name, value in run["placeholders"].items()]
    return ", ".join([*parts, run["conf"]] if run["conf"] else parts)


def _new_axes() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("a picture needs matplotlib: pip install matplotlib") from error
    return pyplot.subplots()[1]
