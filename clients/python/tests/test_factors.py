"""Factors of a backtest, from files and frames. No server is needed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandas as pd
import polars as pl

from asfiled._backtest import factor_columns

names = {"Mkt-RF": [0.0289, None], "SMB": [-0.0255, -0.0114], "RF": [0.0022, 0.0025]}
expected = {
    "date": ["1926-07-31", "1926-08-31"],
    "returns": {"Mkt-RF": [0.0289, None], "SMB": [-0.0255, -0.0114]},
    "rf": [0.0022, 0.0025],
}


def test_a_frame_of_either_library_becomes_columns() -> None:
    days = [dt.date(1926, 7, 31), dt.date(1926, 8, 31)]
    assert factor_columns(pd.DataFrame({"date": pd.to_datetime(days), **names})) == expected
    assert factor_columns(pl.DataFrame({"date": days, **names})) == expected


def test_days_and_months_as_the_index_count_as_the_date() -> None:
    days = pd.to_datetime(["1926-07-31", "1926-08-31"])
    assert factor_columns(pd.DataFrame(names, index=days)) == expected
    months = pd.period_range("1926-07", periods=2, freq="M")
    assert factor_columns(pd.DataFrame(names, index=months)) == expected


def test_a_path_is_sent_as_the_text_of_its_file_and_a_mapping_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "F-F_Research_Data_Factors.csv"
    file.write_text(",Mkt-RF,RF\n192607,   2.89,   0.22\n", encoding="utf-8")
    assert factor_columns(file) == {"file": ",Mkt-RF,RF\n192607,   2.89,   0.22\n"}
    assert factor_columns(str(file)) == factor_columns(file)
    assert factor_columns({"file": "x", "lags": 3}) == {"file": "x", "lags": 3}
