"""The steps of a program in a notebook: what the allocator did at each event, and the segments that
changed, as HTML without scripts."""

import html
from typing import Any, Dict, List, Optional

from vramlab.notebook import MOST_ROWS, title_html
from vramlab.values import size_text

_MOST_PASSED_OVER = 3
_COLOURS = {"active_allocated": "#9db8d9", "active_pending_free": "#e6c48a", "inactive": "#e4e8ee"}
_CELL = "style='text-align:left;vertical-align:top'"


def steps_html(document: Dict[str, Any]) -> str:
    """A row for each event; one more where the version beside it did otherwise."""
    beside = document["beside"]
    others = beside["steps"] if beside else []
    versions = [document["reference"], beside["reference"]] if beside else [document["reference"]]
    shown = document["steps"][:MOST_ROWS]
    rows = []
    before: Dict[str, Any] = {}
    before_other: Dict[str, Any] = {}
    for place, step in enumerate(shown):
        row = _row(step, document["rules"], before)
        other = others[place] if place < len(others) else None
        row_of_other = _row(other, document["rules"], before_other) if other else row
        rows.append(_event(step, row, versions[0] if row != row_of_other else ""))
        if row != row_of_other:
            rows.append(_event(None, row_of_other, versions[-1]))
    head = "".join(f"<th {_CELL}>{name}</th>" for name in ("event", "the allocator", "segments that changed", "counters"))
    title = title_html(f"Steps by the rules of PyTorch {' and '.join(versions)}")
    more = len(document["steps"]) - len(shown)
    rest = f"<p>and {more} more events</p>" if more else ""
    return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{rest}"


def _event(step: Optional[Dict[str, Any]], cells: List[str], version: str) -> str:
    line = f"<code>{_text(step['line'])}</code>" if step else ""
    name = f" <i>{_text(version)}</i>" if version else ""
    return f"<tr><td {_CELL}>{line}{name}</td>" + "".join(f"<td {_CELL}>{cell}</td>" for cell in cells) + "</tr>"


def _row(step: Dict[str, Any], rules: Dict[str, str], before: Dict[str, Any]) -> List[str]:
    return [_deeds(step, rules), _segments(step, before), _counters(step)]


def _deeds(step: Dict[str, Any], rules: Dict[str, str]) -> str:
    lines = [f"{entry['action']} {size_text(entry['bytes'])}" for entry in step["entries"]]
    lines += [step["failure"]] if step["failure"] else []
    lines += [f"passed over {size_text(block['bytes'])}: {block['reason']} (rule {block['rule']})"
              for block in step["passed_over"][:_MOST_PASSED_OVER]]
    kept = step["not_split"]
    lines += [f"not split: a rest of {size_text(kept['rest_bytes'])} stays with the block: {kept['reason']} "
              f"(rule {kept['rule']})"] if kept else []
    told = "<br>".join(_text(line) for line in lines)
    acted = "".join(f"<li>{_text(rule)}: {_text(rules.get(rule, ''))}</li>" for rule in step["rules"])
    return told + (f"<details><summary>{_rule_count(step['rules'])}</summary><ul>{acted}</ul></details>" if acted else "")


def _rule_count(rules: List[str]) -> str:
    return "1 rule" if len(rules) == 1 else f"{len(rules)} rules"


def _segments(step: Dict[str, Any], before: Dict[str, Any]) -> str:
    """The segments that are not as they were; `before` has those of each memory and is brought up to date."""
    memory = "pinned" if step["memory"] == "pinned" else str(step["device"])
    known, before[memory] = before.get(memory, []), step["segments"]
    lines = ["".join(_block(block) for block in segment["blocks"])
             for segment in step["segments"] if segment not in known]
    return "<br>".join(lines)


def _block(block: Dict[str, Any]) -> str:
    name = {"inactive": "free ", "active_pending_free": f"{block['name']} waits: "}.get(
        block["state"], f"{block['name']}: " if block["name"] else "")
    return (f"<span style='background:{_COLOURS[block['state']]};color:#000;border:1px solid #789;padding:0 .4em'>"
            f"{_text(name + size_text(block['bytes']))}</span>")


def _counters(step: Dict[str, Any]) -> str:
    lines = []
    for counter in step["counters"]:
        change = counter["after"] - counter["before"]
        shown = size_text if "bytes" in counter["name"] else str
        sign = "+" if change > 0 else "-"
        lines.append(f"{counter['name'].split('.')[0]} {shown(counter['after'])} ({sign}{shown(abs(change))})")
    return "<br>".join(_text(line) for line in lines)


def _text(text: str) -> str:
    return html.escape(str(text), quote=True)
