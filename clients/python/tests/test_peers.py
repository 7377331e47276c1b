"""Frames for alphalens and vectorbt, by small panels worked out by hand; the packages themselves run in test/clients."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import polars as pl
import pytest

from asfiled import to_alphalens, to_vectorbt

days = [dt.date(2024, 1, 4), dt.date(2024, 1, 5)]
rows = {
    "date": [days[0]] * 5 + [days[1]] * 4,
    "asset": ["B", "A", "C", "D", "E", "A", "B", "C", "D"],
    "score": [2.0, 2.0, 1.0, 3.0, None, 1.0, 2.0, 3.0, 4.0],
    "forward_return": [0.1, 0.2, 0.3, None, 0.5, -0.5, 0.0, 0.5, 1.0],
}


@pytest.fixture
def frame(library: str) -> object:
    return pl.DataFrame(rows) if library == "polars" else pd.DataFrame(rows)


def test_quantiles_are_cut_before_rows_without_a_return_are_left_out(frame: object) -> None:
    table = to_alphalens(frame, quantiles=2)
    first = table.loc["2024-01-04"]
    # C, A, B, D by score and then by name: D is in the upper half, and has no return.
    assert first["factor_quantile"].to_dict() == {"A": 1, "B": 2, "C": 1}
    assert list(table.columns) == ["1D", "factor", "factor_quantile"] and table.index.names == ["date", "asset"]
    assert table.index.levels[0].freq is not None
    assert table.attrs["asfiled"] == {"rows_without_score": 1, "rows_without_return_or_group": 1}


def test_returns_of_several_horizons_and_groups_are_columns() -> None:
    frame = pd.DataFrame(
        {"date": pd.to_datetime(days), "ticker": "A", "s": [1, 2], "sector": ["x", "y"]}
    ).assign(forward_return_1=0.1, forward_return_5=0.2)
    table = to_alphalens(frame, asset="ticker", score="s", group="sector")
    assert list(table.columns) == ["1D", "5D", "factor", "group", "factor_quantile"]
    assert table["group"].dtype == "category"
    named = to_alphalens(frame, {"5D": "forward_return_5"}, asset="ticker", score="s")
    assert list(named.columns) == ["5D", "factor", "factor_quantile"]


def test_prices_follow_the_returns_and_weights_the_legs(frame: object) -> None:
    frames = to_vectorbt(frame, quantile=0.25)
    # The last date is a Friday, so the last return ends on Monday.
    assert [str(day.date()) for day in frames.close.index] == ["2024-01-04", "2024-01-05", "2024-01-08"]
    assert frames.close["A"].tolist() == pytest.approx([1, 1.2, 0.6])
    assert frames.close["D"].tolist() == [1, 1, 2] and frames.close["E"].tolist() == [1, 1.5, 1.5]
    assert frames.weights.iloc[0].to_dict() == {"A": 0, "B": 0, "C": -0.5, "D": 0.5, "E": 0}
    assert frames.weights.iloc[1].to_dict() == {"A": -0.5, "B": 0, "C": 0, "D": 0.5, "E": 0}
    assert frames.weights.iloc[2].isna().all()
    assert frames.entries["D"].tolist() == [True, False, False] and not frames.exits.to_numpy().any()
    assert frames.short_entries["A"].tolist() == [False, True, False]
    assert frames.short_exits["C"].tolist() == [False, True, False]


def test_tranches_and_weightings_are_those_of_the_server(frame: object) -> None:
    held = to_vectorbt(frame, quantile=0.25, hold_periods=2, direction="long_only").weights
    assert held["D"].tolist()[:2] == [0.5, 1.0]
    ranked = to_vectorbt(frame, quantile=0.5, weighting="rank").weights
    assert ranked.iloc[1].to_dict() == pytest.approx({"A": -1 / 3, "B": -1 / 6, "C": 1 / 6, "D": 1 / 3, "E": 0})
    scored = to_vectorbt(frame, quantile=0.5, weighting="score").weights
    assert scored.iloc[1].to_dict() == pytest.approx({"A": -0.375, "B": -0.125, "C": 0.125, "D": 0.375, "E": 0})


def test_what_cannot_be_is_refused_with_its_row(frame: object) -> None:
    twice = pd.DataFrame({**rows, "date": days[0]})
    with pytest.raises(ValueError, match="Row 5 has A on 2024-01-04 a second time"):
        to_alphalens(twice)
    with pytest.raises(ValueError, match="asset is missing in row 0"):
        to_vectorbt(pd.DataFrame({**rows, "asset": [None, *rows["asset"][1:]]}))
    with pytest.raises(ValueError, match="no column forward_return"):
        to_alphalens(frame, {})
    with pytest.raises(ValueError, match="both be 1D"):
        to_alphalens(pd.DataFrame(rows).assign(forward_return_1=0.0))
    with pytest.raises(ValueError, match="quantile has to be"):
        to_vectorbt(frame, quantile=0)
    with pytest.raises(ValueError, match="weighting is one of"):
        to_vectorbt(frame, weighting="market")
    with pytest.raises(ValueError, match="Send 1 to 1000"):
        to_alphalens(frame, quantiles=0)
