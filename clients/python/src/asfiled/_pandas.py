"""pandas, with pyarrow for Parquet."""

from __future__ import annotations

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
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as missing:
    raise ImportError(f"{missing.name} is not installed: pip install 'asfiled[pandas]', or use frame='polars'.") from None


class PandasFrames:
    def read(self, bodies: Sequence[bytes]) -> tuple[Any, list[Mapping[str, Any]]]:
        tables = [pq.read_table(parquet_source(body)) for body in bodies]
        said = [_metadata(table) for table in tables]
        # A column that only some companies have (stale) is null for the others.
        whole = pa.concat_tables([table.replace_schema_metadata() for table in tables], promote_options="default")
        return _days_in_one_unit(whole).to_pandas(), said

    def make(self, columns: Mapping[str, Sequence[Any]], days: Sequence[str] = ()) -> Any:
        frame = pd.DataFrame({name: list(values) for name, values in columns.items()})
        for name in days:
            frame[name] = pd.to_datetime(frame[name], format="%Y-%m-%d").astype("datetime64[us]")
        return frame

    def days(self, frame: Any, name: str) -> list[str]:
        return [str(text) for text in np.datetime_as_string(_day_array(frame[name], name))]

    def texts(self, frame: Any, name: str) -> list[str | None]:
        column = frame[name]
        missing = column.isna()
        if not missing.any():
            return [_text(name, value) for value in column.tolist()]
        return [None if gone else _text(name, value) for value, gone in zip(column.tolist(), missing)]

    def numbers(self, frame: Any, name: str) -> list[float | None]:
        values = frame[name].to_numpy(dtype="float64", na_value=float("nan"))
        if np.isfinite(values).all():
            plain: list[float | None] = values.tolist()
            return plain
        return finite(name, values.tolist())

    def join_bodies(self, frame: Any, date: str, ticker: str, size: int, has_times: bool) -> Iterator[bytes]:
        table = pa.table(self._keys(frame, date, ticker, has_times))
        for start in range(0, len(frame), size):
            yield _as_parquet(table.slice(start, size))

    def _keys(self, frame: Any, date: str, ticker: str, has_times: bool) -> dict[str, Any]:
        days = pa.array(_times(frame[date], date) if has_times else _day_array(frame[date], date))
        tickers = pa.array(frame[ticker], type=pa.string()) if _is_text(frame[ticker]) else pa.array(self.texts(frame, ticker))
        if tickers.null_count > 0:
            row = tickers.is_null().index(True).as_py()
            raise ValueError(f"Column {ticker}, row {row}: there is no ticker. Drop such rows, or name the company.")
        return {"time" if has_times else "date": days, "ticker": tickers}

    def number_columns(self, frame: Any) -> list[str]:
        return [str(name) for name in frame.columns if isinstance(name, str) and _is_number(frame[name])]

    def audit_body(self, frame: Any, date: str, ticker: str, names: Sequence[str], has_times: bool) -> bytes:
        columns = self._keys(frame, date, ticker, has_times)
        for name in names:
            column = frame[name]
            columns[name] = pa.array(column if _is_number(column) else self.numbers(frame, name), from_pandas=True)
        return _as_parquet(pa.table(columns))

    def typed(self, frame: Any, kinds: Mapping[str, str]) -> Any:
        made = frame.copy(deep=False)
        for name, kind in kinds.items():
            if kind == "number":
                made[name] = made[name].astype("float64")
            elif kind == "whole":
                made[name] = made[name].astype("Int32")
            elif kind == "text" and not _is_text(made[name]):
                texts = [None if value is None or value != value else value for value in made[name].tolist()]
                made[name] = pd.Series(texts, made.index, dtype="str")
        return made

    def beside(self, frame: Any, values: Any, names: Sequence[str]) -> Any:
        require_free(frame.columns, names)
        result = frame.copy(deep=False)
        for name in names:
            # By place, not by label: an index may repeat, and pd.concat would multiply its rows.
            result[name] = values[name].array
        return result

    def next_to(self, frame: Any, date: str, added: Any, prefix: str, has_times: bool) -> Any:
        key = "time" if has_times else "date"
        if has_times:
            sent, back = _times(frame[date], date).to_numpy(), added[key].dt.tz_convert("UTC").to_numpy()
        else:
            sent, back = _day_array(frame[date], date), added[key].to_numpy().astype("datetime64[D]")
        same = len(added) == len(frame) and bool((back == sent).all())
        require_joined(len(added), len(frame), same)
        values = added.drop(columns=[key, "ticker"]).add_prefix(prefix)
        return self.beside(frame, values, list(values.columns))

    def note(self, frame: Any, answer: Mapping[str, Any]) -> Any:
        frame.attrs["asfiled"] = dict(answer)
        return frame

    def statement(self, table: StatementTable) -> Any:
        lines = self.make(table.lines, [name for name in table.lines if name == "end"])
        for name in ("depth", "quarters"):
            if name in lines:
                lines[name] = lines[name].astype("Int64")
        if table.ends is None:
            columns: Any = pd.Index(table.components, dtype="str", name="component")
        else:
            ends = pd.to_datetime(pd.Series(table.ends, dtype="str"), format="%Y-%m-%d").astype("datetime64[us]")
            columns = pd.MultiIndex.from_arrays([ends, list(table.quarters)], names=["end", "quarters"])
        cells = np.array(table.cells, dtype="float64").reshape(len(columns), len(lines)).T
        return pd.DataFrame(cells, index=pd.MultiIndex.from_frame(lines), columns=columns)

    def as_table(self, frame: Any, metric: str) -> Any:
        table = frame[list(table_columns)].copy()
        table[metric] = frame["value"]
        table["currency"] = pd.Series([currency_of(unit) for unit in frame["unit"]], frame.index, dtype="str")
        earlier = [metric if generation == "earlier" else None for generation in frame["generation"]]
        table["earlier"] = pd.Series(earlier, frame.index, dtype="str")
        table["older"] = pd.Series([None] * len(frame), frame.index, dtype="str")
        for name in ("source", *last_table_columns):
            if name in frame.columns:
                table[name] = frame[name]
        return table


def _day_array(column: Any, name: str) -> Any:
    """A column as `datetime64[D]`. Nothing but whole days of no time zone is one."""
    if not pd.api.types.is_datetime64_dtype(column.dtype):
        return np.array(day_texts(name, column.tolist()), dtype="datetime64[D]")
    values = column.to_numpy()
    days = values.astype("datetime64[D]")
    wrong = np.flatnonzero(np.isnat(values) | (days != values))
    if wrong.size > 0:
        raise ValueError(f"Column {name}, row {wrong[0]}: {values[wrong[0]]} is not a day. Send the day alone.")
    return days


def _times(column: Any, name: str) -> Any:
    """A column of instants in UTC."""
    if not isinstance(column.dtype, pd.DatetimeTZDtype):
        raise no_zone(name)
    missing = np.flatnonzero(column.isna().to_numpy())
    if missing.size > 0:
        raise no_time(name, int(missing[0]))
    return column.dt.tz_convert("UTC")


def _is_text(column: Any) -> bool:
    return isinstance(column.dtype, pd.StringDtype)


def _is_number(column: Any) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column.dtype)) and not pd.api.types.is_bool_dtype(column.dtype)


def _as_parquet(table: Any) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue())


def _text(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    raise ValueError(f"Column {name} has {value!r}, which is not a text. An ID read as a number has lost its zeros.")


def _days_in_one_unit(table: Any) -> Any:
    fields = [
        pa.field(field.name, pa.timestamp("us")) if pa.types.is_date(field.type) else field for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def _metadata(table: Any) -> Mapping[str, Any]:
    said = table.schema.metadata or {}
    return {name.decode(): value.decode() for name, value in said.items()}
