"""Wide matrices as the rows of a backtest, and indexes of date and ticker, against plain loops and the real server."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from asfiled import Client, wide_panel

days = [str(day)[:10] for day in pd.bdate_range("2015-01-05", periods=60)]
tickers = [f"T{name:02}" for name in range(12)]
random = np.random.default_rng(7)
score_cells = random.normal(size=(60, 12))
close_cells = 100 * np.cumprod(1 + random.normal(0, 0.02, size=(60, 12)), axis=0)
score_cells[3, 4] = score_cells[5, 1] = np.nan
config = {"quantile": 0.25, "holdDays": 1}


def wide(library: str, cells: Any, names: list[str] = tickers, dates: list[str] = days) -> Any:
    if library == "pandas":
        return pd.DataFrame(cells, pd.to_datetime(dates), names)
    whole = [dt.date.fromisoformat(day) for day in dates]
    return pl.DataFrame({"date": whole, **{name: cells[:, at] for at, name in enumerate(names)}}, nan_to_null=True)


def long(library: str, cells: dict[str, Any]) -> Any:
    """The rows by a plain loop."""
    rows: dict[str, list[Any]] = {"date": [], "asset": [], **{name: [] for name in cells}}
    for row, day in enumerate(days):
        for at, ticker in enumerate(tickers):
            rows["date"].append(day)
            rows["asset"].append(ticker)
            for name, values in cells.items():
                value = float(values[row, at])
                rows[name].append(None if math.isnan(value) else value)
    return pd.DataFrame(rows) if library == "pandas" else pl.DataFrame(rows)


def test_matrices_of_scores_and_returns_are_the_rows_of_a_loop(client: Client, library: str) -> None:
    returns = random.normal(0, 0.02, size=(60, 12))
    returns[3, 4] = np.nan
    order = random.permutation(12)
    rows = wide_panel(
        wide(library, score_cells), forward_returns=wide(library, returns[:, order], [tickers[at] for at in order])
    )
    # The one cell without a score and a return is no row.
    assert len(rows) == 60 * 12 - 1 and list(rows.columns) == ["date", "asset", "score", "forward_return"]
    mine = client.backtest(rows, config=config, progress=False)
    loop = client.backtest(long(library, {"score": score_cells, "forward_return": returns}), config=config, progress=False)
    assert mine.metrics == loop.metrics and mine.curve.equals(loop.curve)


def test_matrices_of_closes_trade_at_the_next_close(client: Client, library: str) -> None:
    rows = wide_panel(wide(library, score_cells), closes=wide(library, close_cells))
    assert list(rows.columns) == ["date", "asset", "score", "close"]
    mine = client.backtest(rows, config=config, progress=False)
    # close[t + 2] / close[t + 1] - 1: known at the close of t, traded at the close of t + 1.
    returns = np.full_like(close_cells, np.nan)
    for row in range(58):
        for at in range(12):
            returns[row, at] = close_cells[row + 2, at] / close_cells[row + 1, at] - 1
    kept = 58 * 12
    loop = client.backtest(
        long(library, {"score": score_cells, "forward_return": returns})[:kept], config=config, progress=False
    )
    assert mine.result["n_periods"] == loop.result["n_periods"] == 58
    for name in ("sharpe", "cagr", "max_drawdown", "annual_turnover"):
        if name in mine.metrics:
            assert mine.metrics[name] == pytest.approx(loop.metrics[name], rel=1e-12), name
    assert mine.curve["net"].to_list() == pytest.approx(loop.curve["net"].to_list(), rel=1e-12)
    batch = client.backtest_batch(rows, configs=[config, {"quantile": 0.5}], progress=False).all()
    assert batch[0].result is not None and batch[0].result.metrics == mine.metrics
    stored = client.store_panel(rows)
    assert client.backtest(panel=stored["id"], config=config, progress=False).metrics == mine.metrics
    client.delete_panel(stored["id"])


def test_costs_are_those_of_the_market_of_each_ticker(client: Client, library: str) -> None:
    rows: Any = client.signals(market="US", horizon="1d", from_="2017-01-01")
    names = {"asset": "ticker", "score": "predicted_pct", "forward_return": "actual_pct"}
    if library == "pandas":
        scores, returns = (rows.pivot(index="date", columns="ticker", values=names[name]) for name in ("score", "forward_return"))
    else:
        scores, returns = (rows.pivot("ticker", index="date", values=names[name]) for name in ("score", "forward_return"))
    own = client.backtest(rows, columns=names, config=config, progress=False)
    for market in ("US", dict.fromkeys(rows["ticker"].to_list(), "US")):
        mine = client.backtest(wide_panel(scores, forward_returns=returns, market=market), config=config, progress=False)
        assert mine.metrics == own.metrics and mine.result["n_rows"] == len(rows)
    with pytest.raises(ValueError, match="market names none for"):
        wide_panel(scores, forward_returns=returns, market={"AAPL": "US"})


def test_closes_begin_with_the_first_score_and_go_on_after_the_last(library: str) -> None:
    scores = wide(library, score_cells[10:20], dates=days[10:20])
    rows = wide_panel(scores, closes=wide(library, close_cells), dollar_volume=wide(library, close_cells * 1e4))
    found = [str(day)[:10] for day in rows["date"].to_list()]
    assert sorted(set(found)) == days[10:]
    assert rows["dollar_volume"].to_list()[0] == close_cells[10, 0] * 1e4
    late = rows["score"].to_list()[-1]
    assert late is None or math.isnan(late)


def test_matrices_whose_labels_differ_are_refused(library: str) -> None:
    scores = wide(library, score_cells)
    infinite = close_cells.copy()
    infinite[2, 3] = np.inf
    twice: Any = wide(library, np.vstack([close_cells, close_cells[:1]]), dates=[*days, days[0]])
    cases: list[tuple[dict[str, Any], str]] = [
        ({"closes": scores, "forward_returns": scores}, "forward_returns or closes"),
        ({"closes": wide(library, close_cells[:-1], dates=days[:-1])}, f"no row for {days[-1]}"),
        ({"closes": wide(library, close_cells, [f"U{name}" for name in range(12)])}, "none of the tickers"),
        ({"closes": twice}, f"the date {days[0]} more than once"),
        ({"closes": wide(library, infinite)}, "closes: Column T03, row 2: inf"),
    ]
    for sent, why in cases:
        with pytest.raises(ValueError, match=why):
            wide_panel(scores, **sent)
    with pytest.raises(TypeError, match="DataFrame is needed"):
        wide_panel(scores, closes=[1])


def test_matrices_are_of_days_and_tickers() -> None:
    scores = pd.DataFrame(score_cells, pd.to_datetime(days), tickers)
    with pytest.raises(ValueError, match=r"scores.index, row 0: 0 is not a day"):
        wide_panel(scores.reset_index(drop=True))
    with pytest.raises(ValueError, match="time of day"):
        wide_panel(scores.set_axis(scores.index + pd.Timedelta(hours=16)))
    with pytest.raises(ValueError, match="has a column 1"):
        wide_panel(scores.rename(columns={"T00": 1}))
    with pytest.raises(ValueError, match="T00 of .*, not of numbers"):
        wide_panel(scores.assign(T00="a"))
    with pytest.raises(ValueError, match="no column date"):
        wide_panel(pl.DataFrame({"T00": [1.0]}))
    assert wide_panel(scores.assign(T00=None, T01=pd.array([pd.NA] * 60, dtype="object")), forward_returns=scores)["asset"].tolist()[0] == "T00"


def test_a_frame_with_returns_does_not_send_its_closes(client: Client, library: str) -> None:
    returns = random.normal(0, 0.02, size=(60, 12))
    plain = long(library, {"score": score_cells, "forward_return": returns})
    both = long(library, {"score": score_cells, "forward_return": returns, "close": close_cells})
    assert client.backtest(both, config=config, progress=False).result == client.backtest(plain, config=config, progress=False).result


def test_an_index_of_date_and_ticker_goes_out_and_comes_back(real: tuple[str, str]) -> None:
    with Client(real[1], real[0]) as client:
        panel = client.panel(["AAPL", "GE"], ["revenue", "roe"], ["2010-01-25", "2010-01-26"], index=["date", "ticker"])
        assert panel.index.names == ["date", "ticker"] and list(panel.columns) == ["revenue", "roe"]
        # 36,537 million in the 10-K, 42,905 million in the 10-K/A of 2010-01-25.
        assert panel["revenue"].unstack()["AAPL"].tolist() == [36_537_000_000, 42_905_000_000]
        assert panel.attrs["asfiled"]["data_version"] == client.last.data_version
        more = client.as_of_join(panel, "net_income")
        pd.testing.assert_index_equal(more.index, panel.index)
        assert list(more.columns) == ["revenue", "roe", "net_income"] and more.attrs["asfiled"]["units"] == {"net_income": ["USD"]}
        pd.testing.assert_frame_equal(client.as_of_join(panel, "net_income", job=True, progress=False), more)
        pd.testing.assert_frame_equal(client.submit_as_of_join(panel, "net_income").wait(progress=False), more)
        figures = client.fundamentals(["AAPL", "GE"], "revenue", fp="FY", as_of="2010-03-31", index=["filed", "ticker"])
        plain = client.fundamentals(["AAPL", "GE"], "revenue", fp="FY", as_of="2010-03-31")
        pd.testing.assert_frame_equal(figures.reset_index()[list(plain.columns)], plain)
        assert figures.attrs["asfiled"] == plain.attrs["asfiled"]
        with pytest.raises(ValueError, match="no column day"):
            client.fundamentals("AAPL", "revenue", index=["day"])
        rows = wide_panel(pd.DataFrame(score_cells, pd.to_datetime(days), tickers), closes=pd.DataFrame(close_cells, pd.to_datetime(days), tickers))
        by_index = client.backtest(rows.set_index(["date", "asset"]), config=config, progress=False)
        assert by_index.result == client.backtest(rows, config=config, progress=False).result
    with Client(real[1], real[0], frame="polars") as client:
        for call in (client.fundamentals, client.panel):
            with pytest.raises(ValueError, match="no index"):
                call(["AAPL"], "revenue", *([] if call == client.fundamentals else ["2010-01-26"]), index=["date"])
