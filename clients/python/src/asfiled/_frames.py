"""Frames of pandas and Polars, made from Parquet and turned into the columns of a body. A library is imported when it is used.

Days are `datetime64[us]` in pandas, which is its own default, and `Date` in Polars, whatever route they come from: two
columns of different units cannot be merged. Texts stay texts, so an ID keeps its zeros.
"""

from __future__ import annotations

import datetime as dt
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from ._statements import StatementTable
from .errors import AnswerError

FrameName = Literal["pandas", "polars"]
Row = Mapping[str, Any]


class Frames(Protocol):
    """One library of frames."""

    def read(self, bodies: Sequence[bytes]) -> tuple[Any, list[Mapping[str, Any]]]:
        """The rows of Parquet files below each other, and what each file says besides them."""

    def make(self, columns: Mapping[str, Sequence[Any]], days: Sequence[str] = ()) -> Any:
        """A frame of columns. `days` are texts like 2010-01-25, or None."""

    def days(self, frame: Any, name: str) -> list[str]:
        """A column of a caller's frame as days."""

    def texts(self, frame: Any, name: str) -> list[str | None]:
        """A column of a caller's frame as texts."""

    def numbers(self, frame: Any, name: str) -> list[float | None]:
        """A column of a caller's frame as numbers that JSON can have."""

    def join_bodies(self, frame: Any, date: str, ticker: str, size: int, has_times: bool) -> Iterator[bytes]:
        """The columns date and ticker of a caller's frame as Parquet, `size` rows at a time.

        :param has_times: the column `date` has times; its name in the Parquet is then `time`
        """

    def next_to(self, frame: Any, date: str, added: Any, prefix: str, has_times: bool) -> Any:
        """The caller's frame with the columns of a join at its right, row by row, its index unchanged."""

    def number_columns(self, frame: Any) -> list[str]:
        """The columns of numbers of a caller's frame."""

    def audit_body(self, frame: Any, date: str, ticker: str, names: Sequence[str], has_times: bool) -> bytes:
        """The columns date, ticker and `names` of a caller's frame as Parquet.

        :param has_times: the column `date` has times; its name in the Parquet is then `time`
        """

    def typed(self, frame: Any, kinds: Mapping[str, str]) -> Any:
        """The frame with columns of one type, also where they have no value: text, number, whole (a whole number) or day."""

    def beside(self, frame: Any, values: Any, names: Sequence[str]) -> Any:
        """The caller's frame with columns of `values` at its right, row by row, its index unchanged."""

    def note(self, frame: Any, answer: Mapping[str, Any]) -> Any:
        """The frame with the answer attached, where its library can do that. What else is attached to it stays."""

    def statement(self, table: StatementTable) -> Any:
        """A presented statement: a row a line, a column a period."""

    def as_table(self, frame: Any, metric: str) -> Any:
        """A cross-section of one metric with the columns that one of several metrics has."""


def frames_named(name: FrameName) -> Frames:
    if name == "pandas":
        from ._pandas import PandasFrames

        return PandasFrames()
    if name == "polars":
        from ._polars import PolarsFrames

        return PolarsFrames()
    raise ValueError(f"frame={name!r} is not allowed: pandas or polars.")


def frames_of(frame: object) -> Frames:
    """The library that a caller's frame is of."""
    for cls in type(frame).__mro__:
        library = cls.__module__.split(".")[0]
        if cls.__name__ == "DataFrame" and library == "pandas":
            return frames_named("pandas")
        if cls.__name__ == "DataFrame" and library == "polars":
            return frames_named("polars")
    raise TypeError(f"A pandas or Polars DataFrame is needed, not {type(frame).__name__}.")


def require_columns(present: Sequence[Any], needed: Sequence[str]) -> None:
    missing = [name for name in needed if name not in list(present)]
    if missing:
        raise ValueError(f"The frame has no column {', '.join(missing)}. Its columns: {', '.join(map(str, present))}.")


def day_text(value: object) -> str:
    """A day as the server has it. A time of day is refused: a day does not say which filings were known at noon."""
    if isinstance(value, str):
        try:
            return dt.date.fromisoformat(value).isoformat()
        except ValueError:
            raise ValueError(f"{value!r} is not a day. Send it as YYYY-MM-DD or a date.") from None
    item = getattr(value, "item", None)
    if not isinstance(value, dt.date) and callable(item):
        value = item()
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None or value.time() != dt.time():
            raise ValueError(f"{value} has a time of day or a zone. Send the day alone.")
        return value.date().isoformat()
    if isinstance(value, dt.date):
        return value.isoformat()
    raise ValueError(f"{value!r} is not a day. Send it as YYYY-MM-DD or a date.")


def moment_text(value: object) -> str:
    """A day, or an instant, in the server's format. A datetime needs a zone, because without one it is not an instant."""
    if isinstance(value, str):
        if re.fullmatch(r"\d{4}-\d\d-\d\d([T@].{1,30})", value):
            return value
        return day_text(value)
    item = getattr(value, "item", None)
    if not isinstance(value, dt.date) and callable(item):
        value = item()
    if isinstance(value, dt.datetime) and (value.tzinfo is not None or value.time() != dt.time()):
        if value.utcoffset() is None:
            raise ValueError(
                f"{value} has no zone, so it is not an instant. Send value.replace(tzinfo=ZoneInfo('America/New_York')), or the day alone."
            )
        return value.isoformat()
    return day_text(value)


def no_zone(name: str) -> ValueError:
    return ValueError(
        f"Column {name} has no zone, so its times are not instants. Localize it: dt.tz_localize in pandas, dt.replace_time_zone in Polars."
    )


def no_time(name: str, row: int) -> ValueError:
    return ValueError(f"Column {name}, row {row}: the time is missing. Drop such rows.")


def day_texts(name: str, values: Sequence[object]) -> list[str]:
    """`day_text` of a column. Each day is read once: a panel repeats a day for each of its names."""
    known: dict[object, str] = {}
    texts = []
    for row, value in enumerate(values):
        text = known.get(value)
        if text is None:
            try:
                text = known[value] = day_text(value)
            except (ValueError, TypeError) as error:
                raise ValueError(f"Column {name}, row {row}: {error}") from None
        texts.append(text)
    return texts


def finite(name: str, values: Sequence[float | None]) -> list[float | None]:
    """NaN is a missing value; an infinity is none, and JSON has no word for it."""
    numbers: list[float | None] = []
    for row, value in enumerate(values):
        if value is None or value != value:
            numbers.append(None)
        elif math.isinf(value):
            raise ValueError(f"Column {name}, row {row}: {value} is not a finite number.")
        else:
            numbers.append(value)
    return numbers


def require_joined(rows: int, sent: int, same_days: bool) -> None:
    """A join whose rows are others than those sent would put values next to the wrong names."""
    if rows != sent or not same_days:
        raise AnswerError(f"The join answered {rows} rows for {sent}, or others than those sent.")


def require_free(present: Sequence[Any], added: Sequence[str]) -> None:
    taken = [name for name in added if name in list(present)]
    if taken:
        raise ValueError(f"The frame already has a column {', '.join(taken)}. Choose a prefix=, or drop it.")


def parquet_source(body: bytes) -> io.BytesIO:
    if body[:4] != b"PAR1":
        raise AnswerError("The answer is not Parquet. Is base_url the address of asfiled?")
    return io.BytesIO(body)


table_columns = ("ticker", "issuer_id", "fy", "fp", "end", "filed")
"""Of a cross-section, before its metrics."""

last_table_columns = ("known_by", "group")
"""Of a cross-section, after its source, where they were asked for."""


def currency_of(unit: object) -> str | None:
    """USD of USD and USD/shares; None of what is not in money."""
    return unit[:3] if isinstance(unit, str) and re.match(r"[A-Z]{3}(/|$)", unit) else None
