"""How values look in a notebook: HTML without scripts. Every text from a file is escaped."""

import html
from collections.abc import Mapping
from typing import Any, Dict, List, Sequence

from vramlab.values import Value, shown_text, size_text

MOST_ROWS = 60
_WIDTH, _HEIGHT = 720, 180
_COLOURS = {"reserved": "#b8c4d6", "allocated": "#3b6ea8"}


def value_html(value: Value) -> str:
    """The fields that are no lists or objects, as a table of two columns."""
    fields = [(name, value[name]) for name in value]
    cells = "".join(
        f"<tr><th style='text-align:left'>{_text(name)}</th>"
        f"<td style='text-align:left'>{_text(_cell(name, field))}</td></tr>"
        for name, field in fields
        if not isinstance(field, (list, Mapping)) and name != "schema_version"
    )
    return f"{title_html(value._name or type(value).__name__)}<table>{cells}</table>"


def title_html(title: str) -> str:
    """The name of what follows."""
    return f"<b>{_text(title)}</b>"


def rows_html(rows: Sequence[Dict[str, Any]]) -> str:
    """A table of rows, of which the first are shown."""
    names: Dict[str, None] = {}
    for row in rows[:MOST_ROWS]:
        names.update(dict.fromkeys(row))
    head = "".join(f"<th>{_text(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(_cell(name, row.get(name)))}</td>" for name in names)
        + "</tr>"
        for row in rows[:MOST_ROWS]
    )
    more = len(rows) - MOST_ROWS
    rest = f"<p>and {more} more rows</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def curve_svg(reserved: List[int], allocated: List[int], title: str) -> str:
    """Memory over time: reserved as an area, allocated before it."""
    top = max([1, *reserved, *allocated])
    areas = "".join(
        f"<polygon points='{_points(values, top)}' fill='{_COLOURS[name]}'>"
        f"<title>{name}, at most {_text(size_text(max(values)))}</title></polygon>"
        for name, values in (("reserved", reserved), ("allocated", allocated))
        if values
    )
    label = _text(f"{title}: reserved and allocated, up to {size_text(top)}")
    return (
        f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT + 20}' width='{_WIDTH}' role='img' "
        f"xmlns='http://www.w3.org/2000/svg'><text x='0' y='12' font-size='12'>{label}</text>"
        f"<g transform='translate(0 20)'>{areas}</g></svg>"
    )


def _points(values: List[int], top: int) -> str:
    step = _WIDTH / max(1, len(values) - 1)
    ends = [f"{i * step:.1f},{_HEIGHT * (1 - value / top):.1f}" for i, value in enumerate(values)]
    return " ".join([f"0,{_HEIGHT}", *ends, f"{(len(values) - 1) * step:.1f},{_HEIGHT}"])


def _cell(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else shown_text(name.rpartition(".")[2], value)


def _text(text: str) -> str:
    return html.escape(str(text), quote=True)
