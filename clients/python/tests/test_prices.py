"""Prices and forward returns against the real server, which has the set `daily` of a few made-up closes."""

from __future__ import annotations

import os
from typing import Any

import pandas as pd
import polars as pl
import pytest

from asfiled import ApiError, Client


@pytest.fixture
def daily(client: Client) -> Client:
    if not os.environ.get("ASFILED_TEST_PRICES"):
        pytest.skip("no price set: `bun test test/clients` imports one")
    return client


def frame_of(library: str, columns: dict[str, list[Any]]) -> Any:
    return pd.DataFrame(columns) if library == "pandas" else pl.DataFrame(columns)


# AAPL closes at 100, 110, 55 after a split 2-for-1, 66 and 33 from 2012-01-02 to 2012-01-06.
def test_prices_are_those_known_on_a_day(daily: Client) -> None:
    sets = daily.price_sets()
    assert sets["name"].to_list() == ["daily"] and sets["currency"].to_list() == ["USD"]
    rows = daily.prices("daily", "AAPL", to="2012-01-06", as_of="2012-01-04")
    assert rows["close"].to_list() == [100, 110, 55]
    assert rows["split_factor"].to_list() == [1, 1, 2]


def test_forward_returns_come_next_to_the_rows(daily: Client, library: str) -> None:
    frame = frame_of(library, {"date": ["2012-01-02", "2012-01-03", "2012-01-02"], "ticker": ["AAPL", "AAPL", "NOSUCH"]})
    found = daily.forward_returns(frame, "daily", [1, 2], entry_lag=0)
    assert list(found.columns) == ["date", "ticker", "forward_return_1", "state_1", "forward_return_2", "state_2"]
    one, two = found["forward_return_1"].to_list(), found["forward_return_2"].to_list()
    assert one[:2] == pytest.approx([0.1, 0.0]) and two[:2] == pytest.approx([0.1, 0.2])
    assert found["state_1"].to_list() == ["closes", "closes", "unknown_company"]
    assert pd.isna(one[2]) or one[2] is None
    later = daily.forward_returns(frame, "daily", entry_lag=1)
    assert later["forward_return_1"].to_list()[:2] == pytest.approx([0.0, 0.2])
    known = daily.forward_returns(frame, "daily", entry_lag=0, as_of="2012-01-03")
    assert known["state_1"].to_list() == ["closes", "pending", "unknown_company"]


def test_returns_of_every_trading_day(daily: Client) -> None:
    rows = daily.returns_between("daily", "2012-01-02", "2012-01-04", tickers="AAPL", entry_lag=0)
    assert rows["forward_return"].to_list() == pytest.approx([0.1, 0.0, 0.2])


def test_a_set_that_the_key_may_not_see_does_not_exist(daily: Client, real: tuple[str, str]) -> None:
    with Client("demo", real[0]) as demo:
        assert len(demo.price_sets()) == 0
        with pytest.raises(ApiError, match="no price set daily"):
            demo.prices("daily", "AAPL")


def test_a_backtest_takes_its_returns_from_a_set(daily: Client, library: str) -> None:
    days = [f"2012-01-0{day}" for day in (2, 3, 4)]
    frame = frame_of(
        library,
        {
            "date": [day for day in days for _ in range(2)],
            "asset": ["AAPL", "MSFT"] * 3,
            "score": [1.0, 0.0, 0.0, 1.0, 1.0, 0.0],
        },
    )
    config = {"quantile": 0.5, "costBps": 0, "borrowBps": 0}
    found = daily.backtest(frame, config=config, prices={"set": "daily", "entry_lag": 0})
    # On the first day nothing had a close before, so nobody could know that it trades. Then AAPL earns 0% and 20%, and MSFT
    # stays at 10: half of each difference.
    assert found.result["equity_curve"] == pytest.approx([1, 1, 1.1])
    rows = found.result["prices"]["rows"]
    assert (rows["with_return"], rows["not_traded"]) == (4, 2)
