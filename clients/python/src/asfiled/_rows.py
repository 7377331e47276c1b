"""Rows of the data routes: pages until the last one, batches, all of one data version."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ._answer import Answer, answer_of, joined
from ._frames import Frames, day_text, moment_text
from ._transport import Transport
from .errors import AnswerError, DataVersionChanged

# How often an answer of several pages is begun again because an import came between two of them.
_max_restarts = 3

Value = object
"""What a parameter may be: text, number, day, or a list of texts."""


def parameters(values: Mapping[str, Value]) -> dict[str, str]:
    """Parameters as the server takes them. None is left out."""
    return {name: parameter(name, value) for name, value in values.items() if value is not None}


def parameter(name: str, value: Value) -> str:
    if name == "as_of":
        return moment_text(value)
    if name in _days:
        return day_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    # Numbers of NumPy too: a fiscal year out of a frame is an int64, and a bound may be a float32.
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return str(float(value))
    if isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping)):
        return ",".join(map(str, value))
    raise TypeError(f"{name} is a {type(value).__name__}: a text, a number or a list of texts is needed.")


_days = frozenset({"from", "to"})


Fetch = Callable[[], Iterator[bytes]]
"""The Parquet files of one answer: its pages, or its batches."""


def pages(
    transport: Transport, path: str, values: Mapping[str, Value], size: int | None = None, limit: int | None = None
) -> Iterator[bytes]:
    """`size` is the largest page of the route, None where it has no pages."""
    fixed = {**parameters(values), "format": "parquet"}
    left = limit
    cursor: str | None = None
    while True:
        sent = dict(fixed)
        if size is not None:
            page = size if left is None else min(size, left)
            sent["limit"] = str(page)
            # A page with a next one is full.
            left = None if left is None else left - page
        if cursor is not None:
            sent["cursor"] = cursor
        reply = transport.get(path, sent)
        yield reply.body
        former, cursor = cursor, reply.headers.get("X-Next-Cursor")
        if cursor is None or left == 0:
            return
        if cursor == former:
            raise AnswerError(f"{path} answers the same page again and again.")


def read_rows(frames: Frames, fetch: Fetch, source: str | None = None) -> tuple[Any, Answer]:
    """The rows of all pages, of one data version: where an import came between two of them, all are fetched again.

    :param source: the address of the rows
    """
    for _ in range(_max_restarts):
        rows, said = frames.read(list(fetch()))
        answers = [answer_of(fields) for fields in said]
        if len({answer.data_version for answer in answers}) == 1:
            answer = replace(joined(answers), source=source)
            return frames.note(rows, answer.as_dict()), answer
    raise DataVersionChanged(
        f"Imports came between the pages of {_max_restarts} attempts. Send data_version= the one of the first page."
    )
