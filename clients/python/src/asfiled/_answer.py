"""What an answer says besides its rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Answer:
    """`Client.last` after a call, and `frame.attrs["asfiled"]` of a pandas frame as a dict."""

    data_version: int | None
    """The data version of the rows. The same call with `data_version=` this number gives the same rows later."""
    as_of: str | None = None
    """The day as of which the rows were known, where there is one."""
    notes: tuple[str, ...] = ()
    """What is missing and why, or what was assumed."""
    attribution: tuple[str, ...] = ()
    """To be shown with the figures."""
    licence: str | None = None
    """The Free Licence, of demo and free keys."""
    unknown: tuple[str, ...] = ()
    """The tickers that no company has, at most 100 of them."""
    unknown_count: int = 0
    """All of them."""
    units: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of a join: the units of each metric. Amounts of several currencies cannot be compared."""
    source: str | None = None
    """The address that answered, without its parameters."""
    unmatched: tuple[str, ...] = ()
    """Joins only: which rows have no values because no company on record had their ticker on their date, and who has it now."""
    symbol_assumed: bool = False
    """No source says which company had some of the tickers on those days, so today's companies are assumed."""
    seen_only: bool = False
    """The key may not see as many further companies as the market has: the rows are of those that it has seen."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "data_version": self.data_version,
            "as_of": self.as_of,
            "notes": list(self.notes),
            "attribution": list(self.attribution),
            "licence": self.licence,
            "unknown": list(self.unknown),
            "unknown_count": self.unknown_count,
            "units": {metric: list(units) for metric, units in self.units.items()},
            "source": self.source,
            "unmatched": list(self.unmatched),
            "symbol_assumed": self.symbol_assumed,
            "seen_only": self.seen_only,
        }


def answer_of(fields: Mapping[str, Any]) -> Answer:
    """The fields around the rows, of JSON or from the metadata of Parquet, where each is a text."""
    read = {name: _value(value) for name, value in fields.items()}
    notes = [read.get("note"), *(company.get("note") for company in _list(read.get("companies")))]
    notes += [f"{former['sent']} is {former['ticker']} today." for former in _list(read.get("renamed"))]
    unknown = tuple(str(ticker) for ticker in _list(read.get("unknown")))
    units = read.get("units")
    version = read.get("data_version")
    licence = read.get("licence")
    return Answer(
        data_version=None if version is None else int(version),
        as_of=read.get("as_of"),
        notes=tuple(str(note) for note in notes if note),
        attribution=tuple(str(text) for text in _list(read.get("attribution"))),
        licence=None if licence is None else str(licence),
        unknown=unknown,
        unknown_count=int(read.get("unknown_count") or len(unknown)),
        units={metric: tuple(of) for metric, of in units.items()} if isinstance(units, dict) else {},
        unmatched=tuple(
            f"{symbol['rows']} rows have no values: {symbol['reason']}" for symbol in _list(read.get("unmatched"))
        ),
        symbol_assumed=any(
            part.get("symbol_assumed") in (True, "true") for part in (read, *_list(read.get("companies")))
        ),
        seen_only=read.get("seen_only") in (True, "true"),
    )


def joined(answers: list[Answer]) -> Answer:
    """Of pages and batches: the notes of all, each once."""
    first = answers[0]

    def each(texts: list[tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for part in texts for text in part))

    return Answer(
        data_version=first.data_version,
        as_of=first.as_of,
        notes=each([answer.notes for answer in answers]),
        attribution=each([answer.attribution for answer in answers]),
        licence=first.licence,
        unknown=each([answer.unknown for answer in answers])[:100],
        # Parts of one frame may miss the same company, so this is a bound from below.
        unknown_count=max(answer.unknown_count for answer in answers),
        units={
            metric: each([answer.units.get(metric, ()) for answer in answers])
            for metric in dict.fromkeys(metric for answer in answers for metric in answer.units)
        },
        source=first.source,
        unmatched=each([answer.unmatched for answer in answers]),
        symbol_assumed=any(answer.symbol_assumed for answer in answers),
        seen_only=any(answer.seen_only for answer in answers),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _value(value: Any) -> Any:
    """Lists, objects and null are JSON in the metadata of Parquet."""
    if value == "null":
        return None
    if isinstance(value, str) and value[:1] in "[{":
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
