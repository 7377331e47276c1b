"""A presented statement as a table: a row a line, a column a period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

Number = Optional[float]


@dataclass(frozen=True)
class StatementTable:
    """What `Frames.statement` makes a frame of."""

    lines: Mapping[str, Sequence[Any]]
    """What identifies a line, by its name: line, depth, label, tag, unit, member and, in a statement of equity, the period."""
    ends: Sequence[str] | None
    """The last day of each column; None where the columns are components of equity."""
    quarters: Sequence[int]
    """The length of each column in quarters, 0 for a balance."""
    components: Sequence[str]
    """The components of equity, without periods."""
    cells: Sequence[Sequence[Number]]
    """The values of each column."""

    @property
    def names(self) -> list[str]:
        """The columns in one text each."""
        if self.ends is None:
            return list(self.components)
        return [period_name(end, quarters) for end, quarters in zip(self.ends, self.quarters)]


def period_name(end: str, quarters: int) -> str:
    return end if quarters == 0 else f"{quarters * 3} months to {end}"


def statement_table(answer: Mapping[str, Any]) -> StatementTable:
    """The table of an answer of GET /api/v1/statements."""
    data: list[Mapping[str, Any]] = answer["data"]
    columns: list[Mapping[str, Any]] = answer["columns"]
    lines: dict[str, list[Any]] = {name: [line[name] for line in data] for name in ("line", "depth", "label", "tag")}
    lines["unit"] = [_unit(line["cells"]) for line in data]
    lines["member"] = [_members(line["dimensions"]) for line in data]
    periods = [column["period"] for column in columns]
    is_equity = any(period is None for period in periods)
    if is_equity:
        of_lines = [line["period"] for line in data]
        lines["end"] = [None if period is None else period["end"] for period in of_lines]
        lines["quarters"] = [None if period is None else period["quarters"] for period in of_lines]
    return StatementTable(
        lines=lines,
        ends=None if is_equity else [period["end"] for period in periods],
        quarters=[] if is_equity else [period["quarters"] for period in periods],
        components=[_members(column["dimensions"]) or "Total" for column in columns] if is_equity else [],
        cells=[[_value(line["cells"], at) for line in data] for at in range(len(columns))],
    )


def _unit(cells: Sequence[Mapping[str, Any] | None]) -> str | None:
    return next((str(cell["unit"]) for cell in cells if cell is not None), None)


def _members(dimensions: Sequence[Mapping[str, Any]]) -> str | None:
    return ", ".join(str(each["label"] or each["member"]) for each in dimensions) or None


def _value(cells: Sequence[Mapping[str, Any] | None], at: int) -> Number:
    """A heading has no cells."""
    cell = cells[at] if at < len(cells) else None
    if cell is None or cell["value"] is None:
        return None
    return float(cell["value"])
