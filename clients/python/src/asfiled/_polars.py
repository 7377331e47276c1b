"""Polars, which reads Parquet itself."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._frames import (
    currency_of,
    day_texts,
    finite,
    last_table_columns,
    no_time,
    no_zone,
    parquet_source,
    require_free,
    require_joined,
    table_columns,
)
from ._statements import StatementTable

try:
    import polars as pl
except ImportError as missing:
    raise ImportError(f"{missing.name} is not installed: pip install 'asfiled[polars]', or use frame='pandas'.") from None


class PolarsFrames:
    def read(self, bodies: Sequence[bytes]) -> tuple[pl.DataFrame, list[Mapping[str, Any]]]:
        said = [pl.read_parquet_metadata(parquet_source(body)) for body in bodies]
        tables = [pl.read_parquet(parquet_source(body)) for body in bodies]
        # A column that only some companies have (stale) is null for the others.
        whole = tables[0] if len(tables) == 1 else pl.concat(tables, how="diagonal")
        return whole, list(said)

    def make(self, columns: Mapping[str, Sequence[Any]], days: Sequence[str] = ()) -> pl.DataFrame:
        frame = pl.DataFrame({name: list(values) for name, values in columns.items()}, strict=False)
        return frame.with_columns(pl.col(name).cast(pl.String).str.to_date("%Y-%m-%d") for name in days)

    def days(self, frame: pl.DataFrame, name: str) -> list[str]:
        return _days(frame[name]).dt.to_string("%Y-%m-%d").to_list()

    def texts(self, frame: pl.DataFrame, name: str) -> list[str | None]:
        column = frame[name]
        _require_text(column)
        return column.cast(pl.String).to_list()

    def numbers(self, frame: pl.DataFrame, name: str) -> list[float | None]:
        column = frame[name].cast(pl.Float64)
        if column.null_count() == 0 and column.is_finite().all():
            return column.to_list()
        return finite(name, column.to_list())

    def join_bodies(
        self, frame: pl.DataFrame, date: str, ticker: str, size: int, has_times: bool
    ) -> Iterator[bytes]:
        rows = pl.DataFrame(_keys(frame, date, ticker, has_times))
        for start in range(0, frame.height, size):
            yield _as_parquet(rows.slice(start, size))

    def number_columns(self, frame: pl.DataFrame) -> list[str]:
        return [name for name, kind in frame.schema.items() if kind.is_numeric()]

    def audit_body(
        self, frame: pl.DataFrame, date: str, ticker: str, names: Sequence[str], has_times: bool
    ) -> bytes:
        columns = _keys(frame, date, ticker, has_times)
        for name in names:
            column = frame[name]
            is_plain = column.dtype.is_integer() or column.dtype.is_float()
            columns[name] = column if is_plain else column.cast(pl.Float64)
        return _as_parquet(pl.DataFrame(columns))

    def typed(self, frame: pl.DataFrame, kinds: Mapping[str, str]) -> pl.DataFrame:
        types = {"text": pl.String, "number": pl.Float64, "whole": pl.Int32, "day": pl.Date}
        return frame.with_columns(pl.col(name).cast(types[kind]) for name, kind in kinds.items())

    def beside(self, frame: pl.DataFrame, values: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
        require_free(frame.columns, names)
        return frame.hstack(values.select(names))

    def next_to(
        self, frame: pl.DataFrame, date: str, added: pl.DataFrame, prefix: str, has_times: bool
    ) -> pl.DataFrame:
        key = "time" if has_times else "date"
        sent = _times(frame[date]) if has_times else _days(frame[date])
        back = added[key].cast(sent.dtype) if has_times else added[key]
        same = added.height == frame.height and bool((back == sent).all())
        require_joined(added.height, frame.height, same)
        values = added.drop(key, "ticker")
        values = values.rename({name: prefix + name for name in values.columns})
        return self.beside(frame, values, values.columns)

    def note(self, frame: pl.DataFrame, answer: Mapping[str, Any]) -> pl.DataFrame:
        return frame

    def statement(self, table: StatementTable) -> pl.DataFrame:
        lines = self.make(table.lines, [name for name in table.lines if name == "end"])
        texts = [name for name in ("label", "unit", "member")]
        lines = lines.with_columns(pl.col(name).cast(pl.String) for name in texts)
        names = table.names
        unique = [name if names.index(name) == at else f"{name} ({at + 1})" for at, name in enumerate(names)]
        return lines.hstack([pl.Series(name, values, pl.Float64) for name, values in zip(unique, table.cells)])

    def as_table(self, frame: pl.DataFrame, metric: str) -> pl.DataFrame:
        currencies = [currency_of(unit) for unit in frame["unit"]]
        earlier = [metric if generation == "earlier" else None for generation in frame["generation"]]
        return frame.select(
            *table_columns,
            frame["value"].alias(metric),
            pl.Series("currency", currencies, pl.String),
            pl.Series("earlier", earlier, pl.String),
            pl.lit(None, pl.String).alias("older"),
            "source",
            *(name for name in last_table_columns if name in frame.columns),
        )


def _keys(frame: pl.DataFrame, date: str, ticker: str, has_times: bool) -> dict[str, pl.Series]:
    _require_text(frame[ticker])
    tickers = frame[ticker].cast(pl.String)
    if tickers.null_count() > 0:
        row = tickers.is_null().arg_max()
        raise ValueError(f"Column {ticker}, row {row}: there is no ticker. Drop such rows, or name the company.")
    days = _times(frame[date]) if has_times else _days(frame[date])
    return {"time" if has_times else "date": days, "ticker": tickers}


def _as_parquet(rows: pl.DataFrame) -> bytes:
    sink = io.BytesIO()
    rows.write_parquet(sink, compression="snappy")
    return sink.getvalue()


def _days(column: pl.Series) -> pl.Series:
    """A column as Date. Nothing but whole days of no time zone is one."""
    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is None:
        days = column.cast(pl.Date)
        # Others go the slow way, which names the row.
        if (days.cast(column.dtype) == column).all():
            column = days
    if column.dtype == pl.Date and column.null_count() == 0:
        return column
    return pl.Series(column.name, day_texts(column.name, column.to_list()), pl.String).str.to_date("%Y-%m-%d")


def _times(column: pl.Series) -> pl.Series:
    """A column of instants in UTC."""
    if not isinstance(column.dtype, pl.Datetime) or column.dtype.time_zone is None:
        raise no_zone(column.name)
    if column.null_count() > 0:
        raise no_time(column.name, int(column.is_null().arg_max() or 0))
    return column.dt.convert_time_zone("UTC")


def _require_text(column: pl.Series) -> None:
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        raise ValueError(
            f"Column {column.name} is {column.dtype}, not a text. An ID read as a number has lost its zeros."
        )
