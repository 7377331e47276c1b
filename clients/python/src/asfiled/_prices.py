"""Prices that the operator of a server imported, and forward returns from them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, Union, cast
from urllib.parse import quote

from ._answer import answer_of, joined
from ._connection import Connection
from ._frames import day_text, frames_of, require_columns
from ._reply import parse_json
from ._rows import Value, pages
from .errors import DataVersionChanged

F = TypeVar("F")
T = TypeVar("T")

_companies_at_a_time = 100
# What the server takes in one request: rows, and rows times horizons.
_rows_at_a_time = 100_000
_returns_at_a_time = 500_000
_max_restarts = 3


class Prices(Connection[F]):
    """What `Client` has for prices."""

    def price_sets(self) -> F:
        """The price sets that the key may see: `name`, `currency`, `basis`, what each states, `companies`, `first` and `last`."""
        answer = self.get("/api/v1/prices")
        names = ["name", "currency", "basis", "states_splits", "states_dividends", "states_delistings"]
        names += ["latest_version", "companies", "first", "last"]
        columns = {name: [one[name] for one in answer["data"]] for name in names}
        return cast(F, self._frames.note(self._frames.make(columns, ["first", "last"]), self.last.as_dict()))

    def prices(
        self,
        price_set: str,
        tickers: Union[str, Sequence[str]],
        *,
        from_: Any = None,
        to: Any = None,
        as_of: Any = None,
        data_version: int | None = None,
    ) -> F:
        """Daily prices of companies: `close` as stated, `close_as_traded`, volumes, splits, dividends, and the day `known`.

        :param as_of: only prices that were known by then; the close of a day is known at the end of the day
        """
        names = [tickers] if isinstance(tickers, str) else list(dict.fromkeys(tickers))
        path = f"/api/v1/prices/{quote(price_set, safe='')}"
        values: dict[str, Value] = {"from": from_, "to": to, "as_of": as_of, "data_version": data_version}

        def fetch() -> Iterator[bytes]:
            for start in range(0, len(names), _companies_at_a_time):
                batch = names[start : start + _companies_at_a_time]
                yield from pages(self._transport, path, {**values, "ticker": batch})

        return self._rows(fetch, path)

    def forward_returns(
        self,
        frame: T,
        price_set: str,
        horizons: Union[int, Sequence[int]] = 1,
        *,
        date: str = "date",
        ticker: str = "ticker",
        entry_lag: int = 1,
        delisting: float | None = None,
        as_of: Any = None,
    ) -> T:
        """Your frame with `forward_return_5` and `state_5` for each horizon (here 5 trading days) at its right.

        With `entry_lag=1` a row trades at the close of the next trading day after its date, so what ranks it may be anything that
        was known by the end of its date. `state` says where a return comes from, or why it is missing. Returns are outcomes: they
        are no input of a score.

        :param delisting: the return after the last close of securities whose prices end without a word; the server's default is -0.3
        :param as_of: only prices that were known by the end of this day
        """
        wanted = [int(horizons)] if isinstance(horizons, int) else [int(horizon) for horizon in horizons]
        frames = frames_of(frame)
        columns = list(cast(Any, frame).columns)
        require_columns(columns, [date, ticker])
        days, tickers = frames.days(frame, date), frames.texts(frame, ticker)
        if not days:
            raise ValueError("The frame has no rows.")
        without = next((row for row, name in enumerate(tickers) if name is None), None)
        if without is not None:
            raise ValueError(f"{ticker} is missing in row {without}.")
        settings: dict[str, Any] = {"horizons": wanted, "entry_lag": entry_lag}
        if delisting is not None:
            settings["delisting"] = delisting
        if as_of is not None:
            settings["as_of"] = day_text(as_of)
        rows = self._returns(price_set, days, cast("list[str]", tickers), settings, len(wanted))
        values: dict[str, list[Any]] = {}
        for at, horizon in enumerate(wanted):
            own = rows[at :: len(wanted)]
            values[f"forward_return_{horizon}"] = [row["forward_return"] for row in own]
            values[f"state_{horizon}"] = [row["state"] for row in own]
        kinds = {name: "number" if name.startswith("forward") else "text" for name in values}
        added = frames.typed(frames.make(values), kinds)
        return cast(T, frames.note(frames.beside(frame, added, list(values)), self.last.as_dict()))

    def returns_between(
        self,
        price_set: str,
        from_: Any,
        to: Any,
        horizons: Union[int, Sequence[int]] = 1,
        *,
        tickers: Union[str, Sequence[str], None] = None,
        entry_lag: int = 1,
        delisting: float | None = None,
        as_of: Any = None,
        data_version: int | None = None,
    ) -> F:
        """A row for each company, trading day and horizon: of the companies named, or of all of the set."""
        path = f"/api/v1/prices/{quote(price_set, safe='')}/forward-returns"
        wanted = [horizons] if isinstance(horizons, int) else list(horizons)
        values: dict[str, Value] = {
            **{"from": from_, "to": to, "horizons": wanted, "ticker": tickers, "entry_lag": entry_lag},
            **{"delisting": delisting, "as_of": as_of, "data_version": data_version},
        }
        return self._rows(lambda: pages(self._transport, path, values), path)

    def _returns(
        self, price_set: str, days: Sequence[str], tickers: Sequence[str], settings: Mapping[str, Any], horizons: int
    ) -> list[Mapping[str, Any]]:
        """The rows of all requests, of one data version: where an import came between two of them, all are sent again."""
        path = f"/api/v1/prices/{quote(price_set, safe='')}/forward-returns"
        size = min(_rows_at_a_time, _returns_at_a_time // horizons)
        for _ in range(_max_restarts):
            rows: list[Mapping[str, Any]] = []
            answers = []
            for start in range(0, len(days), size):
                some = {"date": days[start : start + size], "ticker": tickers[start : start + size]}
                body = json.dumps({"rows": some, **settings}, allow_nan=False).encode()
                reply = self._transport.post(path, body, "application/json", repeatable=True)
                answer = parse_json(reply.body)
                rows += answer["data"]
                answers.append(answer_of(answer))
            if len({answer.data_version for answer in answers}) == 1:
                self.last = replace(joined(answers), source=self._transport.base_url + path)
                return rows
        raise DataVersionChanged(f"Imports came between the requests of {_max_restarts} attempts. Try again.")
