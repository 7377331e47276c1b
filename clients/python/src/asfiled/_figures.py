"""Figures, filings and signals as frames: the routes that answer rows."""

from __future__ import annotations

import datetime as dt
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar, Union, cast
from urllib.parse import quote

from ._answer import Answer
from ._asof import JoinJob, JoinKeys, as_of_join, submit_join
from ._asof import job_path as join_job_path
from ._connection import Connection
from ._frames import Frames, day_text, frames_of
from ._index import flat, indexed, require_index, restored
from ._progress import Progress
from ._reply import parse_json
from ._rows import Value, pages, parameter, parameters
from ._statements import statement_table
from ._unknown import UnknownNames
from .errors import EmptyAnswer, IncompleteAnswer, UnknownTickers

F = TypeVar("F")
T = TypeVar("T")

Texts = Union[str, Sequence[str]]
"""A name, or several."""
Day = Union[str, dt.date]
"""A day: 2010-02-01 as text, or a date. A time of day is refused."""
Moment = Union[str, dt.date, dt.datetime]
"""A day, or an instant: a datetime with a zone, or text like 2010-01-25T16:00:00-05:00 or 2010-01-25@close."""

_batch = 100
_names_batch = 300
_page = {
    **{"cross-section": 10_000, "restatements": 5_000, "filings": 1_000, "signals": 50_000, "universe": 10_000},
    **{"reported": 5_000, "frames": 10_000, "strategies": 2_000},
}
# Demo and free keys get smaller pages of these than they send. Where rows are counted against a limit that would end too early.
_page_of_any_key = {"cross-section": 500, "restatements": 500}


class Figures(Connection[F]):
    """What `Client` has for rows."""

    def fundamentals(
        self,
        tickers: Texts,
        metrics: Texts | None = None,
        *,
        as_of: Moment | None = None,
        fp: Texts | None = None,
        fy: int | str | None = None,
        view: Literal["history", "latest"] | None = None,
        vintage: Literal["first", "latest", "all"] | None = None,
        from_: Day | None = None,
        max_age_days: int | None = None,
        adjust: Literal["splits"] | None = None,
        lineage: Literal["follow", "none"] | None = None,
        layout: Literal["long", "wide"] | None = None,
        fields: Texts | None = None,
        checks: Texts | None = None,
        market: str | None = None,
        index: Sequence[str] | None = None,
        data_version: int | None = None,
    ) -> F:
        """Figures of companies: by default one row per vintage filed by `as_of`. More than 100 companies are requested in batches.

        A ticker means the company that had it on `as_of`, if a source says which company that was.

        :param lineage: "follow" adds the rows of predecessors and successors; for one company
        :param checks: only figures in these states: "proved", "consistent", "unchecked", "contradicted"
        :param index: of pandas: columns that become its index, like ["filed", "ticker"]
        """
        require_index(self._frames.make({}), index)
        names = _unrepeated(_texts(tickers))
        path = "/api/v1/fundamentals"
        values: dict[str, Value] = {
            **{"metric": metrics, "as_of": as_of, "fp": fp, "fy": fy, "view": view, "vintage": vintage},
            **{"from": from_, "max_age_days": max_age_days, "adjust": adjust, "layout": layout},
            **{"fields": fields, "market": market, "data_version": data_version, "lineage": lineage},
            **{"checks": checks},
        }
        unknown = UnknownNames(names)

        def fetch() -> Iterator[bytes]:
            for start in range(0, len(names), _batch):
                batch = names[start : start + _batch]
                yield from unknown.fetch(
                    batch, lambda known: pages(self._transport, path, {**values, "ticker": known})
                )

        rows: Any = self._rows(fetch, path)
        named = [column for column in ("ticker", "issuer_id") if column in rows.columns]
        found = {ticker for column in named for ticker in rows[column].unique()}
        missing = [name for name in names if name.upper() not in found and name not in unknown.found]
        if named and missing and len(names) > 1:
            # What the server notes of single companies is not in Parquet.
            note = f"No rows under these IDs: {', '.join(missing)}."
            self.last = replace(self.last, notes=(*self.last.notes, note))
        return cast(F, indexed(self._told(rows, unknown.found), index))

    def panel(
        self,
        tickers: Texts,
        metrics: Texts,
        dates: Day | Iterable[Day],
        *,
        fp: Literal["FY", "Q", "TTM", "latest"] = "FY",
        inclusive: bool = False,
        max_age_days: int | None = None,
        with_: Sequence[Literal["end", "filed"]] = (),
        lineage: Literal["follow", "none"] | None = None,
        checks: Texts | None = None,
        prices: str | None = None,
        index: Sequence[str] | None = None,
        data_version: int | None = None,
    ) -> F:
        """A row for each date and ticker, a column for each metric: what was known strictly before the date.

        :param prices: a price set, for metrics that also take prices, such as price_to_book
        :param index: of pandas: columns that become its index, like ["date", "ticker"]
        """
        require_index(self._frames.make({}), index)
        days = [day_text(day) for day in ([dates] if isinstance(dates, (str, dt.date)) else dates)]
        names = _unrepeated(_texts(tickers))
        rows = self._frames.make(
            {"date": [day for day in days for _ in names], "ticker": [name for _ in days for name in names]},
            ["date"],
        )
        joined: F = self.as_of_join(
            rows,
            metrics,
            fp=fp,
            inclusive=inclusive,
            max_age_days=max_age_days,
            with_=with_,
            lineage=lineage,
            checks=checks,
            prices=prices,
            index=index,
            data_version=data_version,
        )
        return joined

    def as_of_join(
        self,
        frame: T,
        metrics: Texts,
        *,
        date: str = "date",
        time: str | None = None,
        ticker: str = "ticker",
        fp: Literal["FY", "Q", "TTM", "latest"] = "FY",
        inclusive: bool = False,
        max_age_days: int | None = None,
        with_: Sequence[Literal["end", "filed"]] = (),
        lineage: Literal["follow", "none"] | None = None,
        checks: Texts | None = None,
        prices: str | None = None,
        prefix: str = "",
        index: Sequence[str] | None = None,
        data_version: int | None = None,
        job: bool = False,
        progress: Progress = True,
        max_wait: float | None = None,
    ) -> T:
        """Your frame, of pandas or Polars, with a column for each metric: the value that was known strictly before the date of the row.

        Rows, their order and the index stay. A ticker means the company that had it on the date of the row, if a source says
        which company that was. Rows whose ticker no company has, or had on their date, get nulls and a warning (UnknownTickers).

        :param date, ticker: what your frame calls these columns
        :param time: instead of `date`, a column of times with a zone: each row gets what was public by then
        :param inclusive: filings of the date itself count, too; only for trades after the close
        :param with_: also the columns <metric>_end and <metric>_filed
        :param lineage: "follow" also reads the figures of predecessors and successors
        :param checks: only figures in these states, such as "proved,consistent"; the others are null
        :param prices: a price set, for metrics that also take prices, such as price_to_book
        :param prefix: before the names of the new columns
        :param index: of pandas: columns that become its index, like ["date", "ticker"]. Levels of your own index may be `date` and `ticker`
        :param job: the server runs it as a job, and the client waits with a bar of its rows. Needs a key of your own
        :param max_wait: seconds to wait for a job; then TimeoutError has its ID, and `as_of_join_job(id, frame)` finds it again
        """
        keys = JoinKeys(date if time is None else time, ticker, prefix, time is not None)
        require_index(frame, index)
        frames = frames_of(frame)
        rows = flat(frame, [keys.date, keys.ticker])
        result, answer = as_of_join(
            self._transport,
            frames,
            rows,
            _join_settings(metrics, fp, inclusive, max_age_days, with_, lineage, checks, prices),
            keys,
            job=job,
            progress=progress,
            max_wait=max_wait,
            data_version=data_version,
        )
        told = self._told_join(frames, result, answer)
        return cast(T, restored(told, frame, rows) if index is None else indexed(told, index))

    def submit_as_of_join(
        self,
        frame: T,
        metrics: Texts,
        *,
        date: str = "date",
        time: str | None = None,
        ticker: str = "ticker",
        fp: Literal["FY", "Q", "TTM", "latest"] = "FY",
        inclusive: bool = False,
        max_age_days: int | None = None,
        with_: Sequence[Literal["end", "filed"]] = (),
        lineage: Literal["follow", "none"] | None = None,
        checks: Texts | None = None,
        prices: str | None = None,
        prefix: str = "",
        data_version: int | None = None,
    ) -> JoinJob[T]:
        """The same without waiting: the server runs the join, also when this program ends. Needs a key of your own.

        `job.wait()` answers your frame with the new columns. The server keeps a finished join for 7 days.
        """
        keys = JoinKeys(date if time is None else time, ticker, prefix, time is not None)
        frames = frames_of(frame)
        settings = _join_settings(metrics, fp, inclusive, max_age_days, with_, lineage, checks, prices)
        rows = flat(frame, [keys.date, keys.ticker])
        summary = submit_join(self._transport, frames, rows, settings, keys, data_version)
        return self._join_job(frames, frame, rows, keys, summary)

    def as_of_join_job(
        self,
        id: str,
        frame: T,
        *,
        date: str = "date",
        time: str | None = None,
        ticker: str = "ticker",
        prefix: str = "",
    ) -> JoinJob[T]:
        """A join that was submitted before, by this program or another one with the same key.

        :param frame: the rows that were submitted; the values are placed next to them
        """
        keys = JoinKeys(date if time is None else time, ticker, prefix, time is not None)
        summary = parse_json(self._transport.get(join_job_path(id), cached=False).body)
        return self._join_job(frames_of(frame), frame, flat(frame, [keys.date, keys.ticker]), keys, summary)

    def _join_job(
        self, frames: Frames, frame: T, rows: T, keys: JoinKeys, summary: Mapping[str, Any]
    ) -> JoinJob[T]:
        """
        :param rows: the frame with the levels of its index as columns
        """

        def told(result: Any, answer: Answer) -> T:
            return cast(T, restored(self._told_join(frames, result, answer), frame, rows))

        return JoinJob(self._transport, frames, rows, keys, summary, told)

    def _told_join(self, frames: Frames, result: Any, answer: Answer) -> Any:
        """The result of a join, with its answer attached and warnings of the rows without values."""
        self.last = replace(answer, source=f"{self._transport.base_url}/api/v1/as-of")
        result = frames.note(result, self.last.as_dict())
        self._warn_unknown("have no values", answer)
        for symbol in answer.unmatched:
            _warn(symbol, UnknownTickers)
        return result

    def _warn_unknown(self, outcome: str, answer: Answer) -> None:
        if answer.unknown:
            some = _some(answer.unknown, answer.unknown_count)
            _warn(f"Unknown tickers ({answer.unknown_count}) {outcome}: {some}", UnknownTickers)

    def cross_section(
        self,
        metrics: Texts,
        market: str,
        *,
        as_of: Moment | None = None,
        fp: Literal["FY", "Q1", "Q2", "Q3", "Q4", "TTM", "latest"] | None = None,
        filters: Mapping[str, float] | None = None,
        sector: str | None = None,
        group: str | None = None,
        universe: Texts | None = None,
        checks: Texts | None = None,
        max_age_days: int | None = None,
        sort: str | None = None,
        currency: str | None = None,
        limit: int | None = None,
        data_version: int | None = None,
    ) -> F:
        """Metrics of every company of a market as known on `as_of`: a row a company, and a column named after each metric.

        :param filters: bounds like {"min_roe": 0.1, "max_debt_to_equity": 2}
        :param sort: a metric, with - before it for the largest first: the order is that of the whole market
        :param currency: of the amounts; by default the market's own where they are sorted or have bounds
        :param group: "ff49", "sicDivision" or "sic2" to "sic4" adds the column `group`; "ff49:Softw,Hardw" also selects
        :param universe: only companies in these states on the day: "reporting"
        :param checks: only figures in these states, such as "proved,consistent"
        :param limit: of companies looked at; by default all
        """
        values: dict[str, Value] = {
            **{"metric": metrics, "market": market, "as_of": as_of, "fp": fp, "sector": sector},
            **{"group": group, "universe": universe, "checks": checks},
            **{"max_age_days": max_age_days, "sort": sort, "currency": currency},
            **{"data_version": data_version, **(filters or {})},
        }
        named = [name for name in parameter("metric", metrics).split(",") if name]
        rows = self._paged("cross-section", values, limit)
        if len(named) != 1:
            return rows
        # One metric comes with what is known of that figure alone; code that reads tables reads this one, too.
        return cast(F, self._frames.note(self._frames.as_table(rows, named[0].strip().lower()), self.last.as_dict()))

    def restatements(
        self,
        metric: Texts | None = None,
        market: str | None = None,
        *,
        ticker: Texts | None = None,
        from_: Day | None = None,
        as_of: Moment | None = None,
        limit: int | None = None,
        data_version: int | None = None,
    ) -> F:
        """Figures whose value changed, with the vintage before and after: of one metric of a market, or of companies.

        :param ticker: companies; then `metric` is optional and may be several, and `market` is not needed
        """
        values: dict[str, Value] = {
            **{"metric": metric, "market": market, "from": from_, "as_of": as_of},
            "data_version": data_version,
        }
        if ticker is None:
            if metric is None or market is None:
                raise ValueError("restatements needs metric and market, or ticker.")
            return self._paged("restatements", values, limit)
        if limit is not None:
            raise ValueError("limit is for the restatements of a market. Those of a company come whole.")
        names = _unrepeated(_texts(ticker))
        path = "/api/v1/restatements"
        unknown = UnknownNames(names)

        def fetch() -> Iterator[bytes]:
            for name in names:
                yield from unknown.fetch(
                    [name], lambda known: pages(self._transport, path, {**values, "ticker": known})
                )

        return self._told(self._rows(fetch, path), unknown.found)

    def statement(
        self,
        ticker: str,
        statement: Literal["income", "balance", "cash_flow", "equity", "comprehensive"],
        *,
        fp: Literal["FY", "Q1", "Q2", "Q3"] | None = None,
        fy: int | None = None,
        as_of: Moment | None = None,
        view: Literal["as_known", "as_filed"] | None = None,
        accession: str | None = None,
        filings: int | None = None,
        layout: Literal["wide", "long"] = "wide",
        data_version: int | None = None,
    ) -> F:
        """A statement as the company presented it: every line in its own order and words, as known on `as_of` or as filed.

        In pandas the index has `line`, `depth`, `label`, `tag`, `unit` and `member`, and a column is the `end` of a period and its
        length in `quarters`, 0 for a balance. In Polars these are columns, and a period is named in words. Headings have no values.
        In a statement of equity the columns are the components. Values are float64, as the filing states them.

        :param view: "as_filed" shows one filing alone, the latest of the period or the one in `accession`
        :param filings: how many filings may give columns; by default 6
        :param layout: "long" has a row a cell, with the exact text in `value`, the sign of the line in `shown`, and the filing
        """
        path = "/api/v1/statements"
        values: dict[str, Value] = {
            **{"ticker": ticker, "statement": statement, "fp": fp, "fy": fy, "as_of": as_of, "view": view},
            **{"accession": accession, "filings": filings, "data_version": data_version},
        }
        if layout == "long":
            return self._told(self._rows(lambda: pages(self._transport, path, values), path))
        if layout != "wide":
            raise ValueError(f"layout={layout!r} is not allowed: wide or long.")
        table = statement_table(self.get(path, **values))
        self.last = replace(self.last, source=self._transport.base_url + path)
        return self._told(self._frames.statement(table))

    def reported(
        self,
        ticker: str,
        tag: str,
        *,
        dimensions: str | None = None,
        as_of: Moment | None = None,
        data_version: int | None = None,
    ) -> F:
        """Every figure that filings state under a tag, any of theirs: a row for each filing that states it, the latest first.

        :param dimensions: "all", or an axis like "srt:ProductOrServiceAxis"; by default figures of the whole company alone
        """
        values: dict[str, Value] = {
            **{"ticker": ticker, "tag": tag, "dimensions": dimensions, "as_of": as_of},
            "data_version": data_version,
        }
        return self._paged("reported", values, None)

    def segments(
        self,
        ticker: str,
        metric: str | None = None,
        axis: str = "product",
        *,
        tag: str | None = None,
        fp: Literal["FY", "Q1", "Q2", "Q3"] | None = None,
        fy: int | None = None,
        as_of: Moment | None = None,
        data_version: int | None = None,
    ) -> F:
        """How a filing divides a metric, or a tag: a row a member, beside the total, the sum and their difference.

        :param axis: "product", "geography", "segment" or an axis of the filing
        """
        path = "/api/v1/segments"
        values: dict[str, Value] = {
            **{"ticker": ticker, "metric": metric, "tag": tag, "axis": axis, "fp": fp, "fy": fy},
            **{"as_of": as_of, "data_version": data_version},
        }
        return self._told(self._rows(lambda: pages(self._transport, path, values), path))

    def frame(
        self,
        tag: str,
        period: str,
        market: str,
        *,
        unit: str | None = None,
        as_of: Moment | None = None,
        limit: int | None = None,
        data_version: int | None = None,
    ) -> F:
        """One tag of every company of a market for a period, as known on `as_of`: a row a company.

        :param period: a calendar year "CY2009", a quarter "CY2009Q1", or its end "CY2009Q1I" for balances
        :param unit: by default the currency of the market
        :param limit: of companies; by default all
        """
        values: dict[str, Value] = {
            **{"tag": tag, "period": period, "market": market, "unit": unit, "as_of": as_of},
            "data_version": data_version,
        }
        return self._paged("frames", values, limit)

    def filings(
        self,
        ticker: str | None = None,
        *,
        market: str | None = None,
        from_: Day | None = None,
        as_of: Moment | None = None,
        form: Texts | None = None,
        limit: int | None = None,
        data_version: int | None = None,
    ) -> F:
        """What was filed, of a company or a market, the latest first."""
        values: dict[str, Value] = {
            **{"ticker": ticker, "market": market, "from": from_, "as_of": as_of, "form": form},
            "data_version": data_version,
        }
        return self._paged("filings", values, limit)

    def universe(
        self,
        market: str,
        *,
        as_of: Moment | None = None,
        state: Texts | None = None,
        limit: int | None = None,
        data_version: int | None = None,
    ) -> F:
        """The companies as of a day, including those that have since disappeared: one row per company, with its state.

        :param state: only companies in these states, such as "reporting"
        """
        values: dict[str, Value] = {
            **{"market": market, "as_of": as_of, "state": state},
            "data_version": data_version,
        }
        return self._paged("universe", values, limit)

    def signals(
        self,
        *,
        market: str | None = None,
        horizon: Literal["1d", "3d", "7d"] | None = None,
        from_: Day | None = None,
        to: Day | None = None,
        limit: int | None = None,
        data_version: int | None = None,
    ) -> F:
        """Forecasts with their realised returns, as fractions, the latest first."""
        values: dict[str, Value] = {
            **{"market": market, "horizon": horizon, "from": from_, "to": to},
            "data_version": data_version,
        }
        return self._paged("signals", values, limit)

    def companies(self, tickers: Texts, *, data_version: int | None = None) -> F:
        """The names of companies: a row per company, with `id` as you sent it, `ticker`, `issuer_id`, `name` and `market`."""
        names = _unrepeated(_texts(tickers))
        path = "/api/v1/companies"
        rows: list[dict[str, Any]] = []
        unknown: list[str] = []
        for start in range(0, len(names), _names_batch):
            answer = self.get(path, ticker=names[start : start + _names_batch], data_version=data_version)
            rows += answer["data"]
            unknown += answer["unknown"]
        columns = ("id", "ticker", "issuer_id", "name", "market")
        self.last = replace(self.last, source=self._transport.base_url + path)
        made = self._frames.make({name: [row[name] for row in rows] for name in columns})
        return self._told(self._frames.typed(made, dict.fromkeys(columns, "text")), unknown)

    def coverage(self, id: str) -> F:
        """Which metrics of a company are on record, since when and until when: a row per metric. An unknown ID is an error."""
        path = f"/api/v1/coverage/{quote(id, safe='')}"
        metrics: list[dict[str, Any]] = self.get(path)["data"]
        self.last = replace(self.last, source=self._transport.base_url + path)
        days = ("first_end", "last_end", "first_filed", "last_filed")
        columns: dict[str, list[Any]] = {
            "metric": [row["m"] for row in metrics],
            "periods": [row["periods"] for row in metrics],
            **{day: [row[day] for row in metrics] for day in days},
        }
        made = self._frames.make(columns, days)
        kinds = {"metric": "text", "periods": "whole", **dict.fromkeys(days, "day")}
        return self._told(self._frames.typed(made, kinds))

    def metrics(self, market: str | None = None, *, data_version: int | None = None) -> F:
        """The catalogue: a row for each metric and market, with the share of examined companies that have a figure of it.

        A metric of no market has one row without a market. So have the valuations at the end, for which `takes_prices` is true: a
        join of them names a price set.
        """
        path = "/api/v1/metrics"
        answer = self.get(path, market=market, data_version=data_version)
        self.last = replace(self.last, source=self._transport.base_url + path)
        listed: list[tuple[dict[str, Any], bool]] = [
            *((metric, False) for metric in answer["data"]),
            *((metric, True) for metric in answer.get("valuations", [])),
        ]
        rows = [(metric, of, priced) for metric, priced in listed for of in metric.get("markets") or [{}]]
        texts, kinds = ("name", "unit", "sign"), {"companies_examined": "whole", "companies": "whole", "share": "number"}
        columns: dict[str, list[Any]] = {name: [metric.get(name) for metric, _, _ in rows] for name in texts}
        for name in ("market", *kinds, "absence"):
            columns[name] = [of.get(name) for _, of, _ in rows]
        columns["takes_prices"] = [priced for _, _, priced in rows]
        made = self._frames.make(columns)
        return self._told(self._frames.typed(made, {**dict.fromkeys((*texts, "market", "absence"), "text"), **kinds}))

    def strategies(self) -> F:
        """Published signals from fundamentals: name, title, period, sign, and the t value that was published. Their names are metrics."""
        path = "/api/v1/strategies"
        listed: list[dict[str, Any]] = self.get(path)["data"]
        self.last = replace(self.last, source=self._transport.base_url + path)
        texts = ("name", "title", "period", "unit")
        columns: dict[str, list[Any]] = {name: [row[name] for row in listed] for name in texts}
        columns["sign"] = [row["sign"] for row in listed]
        columns["t_value"] = [None if row["published"] is None else row["published"]["t_value"] for row in listed]
        made = self._frames.make(columns)
        return self._told(self._frames.typed(made, {**dict.fromkeys(texts, "text"), "sign": "whole"}))

    def strategy(
        self,
        name: str,
        market: str = "US",
        *,
        as_of: Moment | None = None,
        prices: str | None = None,
        limit: int | None = None,
        data_version: int | None = None,
    ) -> F:
        """A published signal of every company of a market as known on `as_of`: value, score, every line and every input.

        The score is the sign times the value, so that higher is better. On the rows of a frame of your own, name it as a metric of
        `as_of_join`. `prices` names the set of a strategy that takes prices, if you may see several.
        """
        values: dict[str, Value] = {"market": market, "as_of": as_of, "prices": prices, "data_version": data_version}
        return self._paged(f"strategies/{quote(name, safe='')}/values", values, limit)

    def search(self, query: str) -> F:
        """Up to eight companies by name, symbol or number."""
        hits = self.get("/api/search", q=query)["results"]
        names = ("ticker", "name", "market")
        found: F = self._frames.make({name: [hit[name] for hit in hits] for name in names})
        return found

    def _paged(self, route: str, values: Mapping[str, Value], limit: int | None) -> F:
        if limit is not None and limit < 1:
            raise ValueError(f"limit={limit} is not allowed: 1 or more, or none for all rows.")
        path = f"/api/v1/{route}"
        # Each strategy is a route of its own.
        kind = "strategies" if route.startswith("strategies/") else route
        size = _page[kind] if limit is None else min(_page[kind], _page_of_any_key.get(kind, _page[kind]))
        return self._told(self._rows(lambda: pages(self._transport, path, values, size, limit), path))

    def _told(self, rows: Any, unknown: Sequence[str] = ()) -> F:
        """The rows, with warnings where they are not all that was asked for."""
        if unknown:
            self.last = replace(self.last, unknown=tuple(unknown[:100]), unknown_count=len(unknown))
            some = _some(unknown, len(unknown))
            _warn(f"Unknown tickers ({len(unknown)}) have no rows: {some}", UnknownTickers)
        said = " ".join(self.last.notes)
        if self.last.seen_only:
            _warn(said or "The key may see no more companies: the rows are of those that it has seen.", IncompleteAnswer)
        elif len(rows) == 0:
            _warn(f"The answer has no rows. {said}".strip(), EmptyAnswer)
        elif self.last.licence is not None and said:
            _warn(said, IncompleteAnswer)
        return cast(F, self._frames.note(rows, self.last.as_dict()))


def _join_settings(
    metrics: Texts,
    fp: str,
    inclusive: bool,
    max_age_days: int | None,
    with_: Sequence[str],
    lineage: str | None,
    checks: Texts | None,
    prices: str | None,
) -> dict[str, str]:
    return parameters(
        {
            **{"metrics": _texts(metrics), "fp": fp, "inclusive": True if inclusive else None},
            **{"max_age_days": max_age_days, "with": list(with_) or None, "lineage": lineage},
            **{"checks": None if checks is None else ",".join(_texts(checks)), "prices": prices},
        }
    )


def _texts(values: Texts) -> list[str]:
    if isinstance(values, str):
        return [text.strip() for text in values.split(",")]
    if not isinstance(values, Iterable):
        raise ValueError(f"{values!r} is not a text or a list of texts.")
    return list(values)


def _some(tickers: Sequence[str], count: int) -> str:
    return ", ".join(tickers[:10]) + (", ..." if count > 10 else "")


def _warn(message: str, kind: type[Warning]) -> None:
    """At the line of the caller's program that called the client."""
    frame = sys._getframe(1)
    level = 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("asfiled."):
        frame = frame.f_back
        level += 1
    warnings.warn(message, kind, stacklevel=level)


def _unrepeated(tickers: list[str]) -> list[str]:
    """The server refuses a company twice in a request; here it is refused across batches, too."""
    if not tickers:
        raise ValueError("tickers is empty. Name at least one company.")
    seen: set[str] = set()
    for ticker in tickers:
        if not isinstance(ticker, str):
            raise ValueError(f"tickers has {ticker!r}, which is not a text. Drop missing ones; an ID read as a number has lost its zeros.")
        if ticker.upper() in seen:
            raise ValueError(f"tickers names {ticker} more than once. Name each company once.")
        seen.add(ticker.upper())
    return tickers
