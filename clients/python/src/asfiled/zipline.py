"""Figures in zipline's pipelines: a data set with a column for each metric, and its loader.

>>> from asfiled import Client
>>> from asfiled.zipline import FundamentalsLoader, fundamentals
>>> Fundamentals = fundamentals(["revenue", "net_income"], fp="TTM")
>>> loader = FundamentalsLoader(Client(), asset_finder)
>>> engine = SimplePipelineEngine(lambda column: loader, asset_finder, default_domain=US_EQUITIES)
>>> engine.run_pipeline(Pipeline({"revenue": Fundamentals.revenue.latest}), start, end)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from ._client import Client
from ._figures import Texts

try:
    import numpy as np
    import pandas as pd
    from zipline.lib.adjusted_array import AdjustedArray
    from zipline.pipeline.data import Column, DataSet
    from zipline.pipeline.loaders.base import PipelineLoader
except ImportError as missing:
    raise ImportError(f"{missing.name} is not installed: pip install 'asfiled[pandas,zipline]'.") from None

__all__ = ["FundamentalsLoader", "fundamentals"]

Period = Literal["FY", "Q", "TTM", "latest"]
Field = Literal["end", "filed"]

_periods = ("FY", "Q", "TTM", "latest")
_fields: tuple[Field, ...] = ("end", "filed")


def fundamentals(
    metrics: Texts,
    *,
    fp: Period = "FY",
    with_: Sequence[Field] = (),
    name: str = "Fundamentals",
) -> Any:
    """A DataSet with a column of floats for each metric, named after it.

    :param fp: the kind of period, as in `Client.as_of_join`
    :param with_: also the columns <metric>_end and <metric>_filed, which are days
    :param name: what zipline calls the data set in its messages
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names:
        raise ValueError("Name at least one metric, such as revenue.")
    if fp not in _periods:
        raise ValueError(f"fp={fp!r} is no kind of period. Allowed: {', '.join(_periods)}.")
    columns: dict[str, Any] = {}
    for metric in names:
        if not metric.isidentifier() or metric in columns:
            raise ValueError(f"{metric!r} is named twice, or is not the name of a metric.")
        columns[metric] = Column(np.dtype("float64"), missing_value=np.nan)
        for field in with_:
            if field not in _fields:
                raise ValueError(f"with_ has {field!r}. Allowed: {', '.join(_fields)}.")
            columns[f"{metric}_{field}"] = Column(np.dtype("datetime64[ns]"), missing_value=np.datetime64("NaT", "ns"))
    sources = {
        **{metric: (metric, None) for metric in names},
        **{f"{metric}_{field}": (metric, field) for metric in names for field in with_},
    }
    return type(name, (DataSet,), {**columns, "asfiled_period": fp, "asfiled_sources": sources})


class FundamentalsLoader(PipelineLoader):
    """Loads data sets made by `fundamentals` with as-of joins.

    The row of a session has what was public when the data of the session's domain ends: `US_EQUITIES` stops 45 minutes before
    the open. A filing counts from the time at which its register accepted it, else from the end of its filing day. With
    `known="day"` only its day is looked at: what was filed on the day of the session or later does not count.

    A row of a window of several sessions has what was known on that session, so a later restatement changes no earlier row.

    :param asset_finder: says which ticker an asset had on each session; assets without figures get NaN and a warning
    :param ticker_of: the ID that asfiled knows for a symbol of zipline, if it is another one
    :param max_age_days: figures whose period ended longer ago are missing
    :param lineage: "follow" also reads the figures of predecessors and successors
    :param checks: only figures in these states, such as "proved,consistent"
    :param data_version: the data as of this version, so that later imports change nothing
    """

    def __init__(
        self,
        client: Client[Any],
        asset_finder: Any,
        *,
        known: Literal["cutoff", "day"] = "cutoff",
        ticker_of: Callable[[str], str] | None = None,
        max_age_days: int | None = None,
        lineage: Literal["follow", "none"] | None = None,
        checks: Texts | None = None,
        data_version: int | None = None,
    ) -> None:
        if known not in ("cutoff", "day"):
            raise ValueError(f"known={known!r} is not allowed. Allowed: cutoff, day.")
        self._client = client
        self._finder = asset_finder
        self._known = known
        self._ticker_of = ticker_of
        self._settings: Mapping[str, Any] = {
            **{"max_age_days": max_age_days, "lineage": lineage},
            **{"checks": checks, "data_version": data_version},
        }

    def load_adjusted_array(self, domain: Any, columns: Sequence[Any], dates: Any, sids: Any, mask: Any) -> dict[Any, Any]:
        groups: dict[str, list[Any]] = {}
        for column in columns:
            if not hasattr(column.dataset, "asfiled_sources"):
                raise ValueError(f"{column} is not of a data set that asfiled.zipline.fundamentals made.")
            groups.setdefault(column.dataset.asfiled_period, []).append(column)
        rows = self._rows(domain, dates, sids, mask)
        loaded: dict[Any, Any] = {}
        for period, of_period in groups.items():
            loaded.update(self._load(period, of_period, rows, mask.shape))
        return loaded

    def _rows(self, domain: Any, dates: Any, sids: Any, mask: Any) -> Any:
        """A row for each session and asset that exists on it: their numbers, the ticker and the day or the cutoff."""
        tickers = _tickers(self._finder, domain.country_code, dates, sids)
        wanted = np.asarray(mask, dtype=bool) & (tickers != "")
        session, asset = np.nonzero(wanted)
        names = tickers[session, asset]
        if self._ticker_of is not None:
            renamed = {symbol: self._ticker_of(symbol) for symbol in sorted(set(names))}
            names = np.array([renamed[symbol] for symbol in names], dtype=object)
        days = pd.DatetimeIndex(dates)
        when = _without_zone(days) if self._known == "day" else _in_utc(domain.data_query_cutoff_for_sessions(days))
        return pd.DataFrame({"session": session, "asset": asset, "ticker": pd.Series(names, dtype="str"), "when": when[session]})

    def _load(self, period: Any, columns: Sequence[Any], rows: Any, shape: tuple[int, int]) -> dict[Any, Any]:
        sources = {column: column.dataset.asfiled_sources[column.name] for column in columns}
        metrics = list(dict.fromkeys(metric for metric, _ in sources.values()))
        fields = [field for field in _fields if any(wanted == field for _, wanted in sources.values())]
        joined: Any = rows
        if len(rows) > 0:
            settings: dict[str, Any] = {**self._settings, "date" if self._known == "day" else "time": "when"}
            joined = self._client.as_of_join(rows, metrics, fp=period, with_=fields, prefix="known_", **settings)
        grids = {column: _grid(column, source, joined, shape) for column, source in sources.items()}
        return {column: AdjustedArray(grid, {}, column.missing_value) for column, grid in grids.items()}


def _grid(column: Any, source: tuple[str, str | None], joined: Any, shape: tuple[int, int]) -> Any:
    metric, field = source
    grid = np.full(shape, column.missing_value, dtype=column.dtype)
    if len(joined) > 0:
        values = joined[f"known_{metric}" if field is None else f"known_{metric}_{field}"]
        grid[joined["session"].to_numpy(), joined["asset"].to_numpy()] = values.to_numpy(dtype=column.dtype)
    return grid


def _tickers(finder: Any, country: str, dates: Any, sids: Any) -> Any:
    """The symbol of each asset on each session; empty where it has none."""
    days = _without_zone(pd.DatetimeIndex(dates))
    place = {int(sid): index for index, sid in enumerate(sids)}
    spells = [
        (_day(spell.start), _day(spell.end), place[spell.sid], spell.value)
        for owners in finder.symbol_ownership_maps_by_country_code.get(country, {}).values()
        for spell in owners
        if spell.sid in place
    ]
    tickers = np.full((len(days), len(place)), "", dtype=object)
    # An asset that was renamed keeps its old symbol in zipline until another asset has it, so the symbol that began last counts.
    for start, end, asset, symbol in sorted(spells, key=lambda spell: spell[0]):
        tickers[days.searchsorted(start) : days.searchsorted(end), asset] = symbol
    return tickers


def _day(stamp: Any) -> Any:
    return _without_zone(pd.DatetimeIndex([stamp]))[0]


def _without_zone(days: Any) -> Any:
    return days if days.tz is None else days.tz_convert("UTC").tz_localize(None)


def _in_utc(times: Any) -> Any:
    return times.tz_localize("UTC") if times.tz is None else times.tz_convert("UTC")
