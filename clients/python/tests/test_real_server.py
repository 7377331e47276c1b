"""Everything against the real server with its shipped sample."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest

from asfiled import ApiError, Client, EmptyAnswer, IncompleteAnswer, UnknownTickers, errors


def days_of(frame: Any, name: str) -> list[str]:
    return [str(day)[:10] for day in frame[name].to_list()]


def test_every_error_code_of_the_server_is_a_class() -> None:
    codes = os.environ.get("ASFILED_TEST_CODES")
    if not codes:
        pytest.skip("no list of error codes: `bun test test/clients` has it")
    assert set(codes.split(",")) == set(errors.by_code)


def test_figures_are_those_of_the_api_as_of_the_day(client: Client) -> None:
    before = client.fundamentals("AAPL", "revenue", fp="FY", fy=2009, as_of="2009-12-31")
    after = client.fundamentals("AAPL", "revenue", fp="FY", fy=2009, as_of=dt.date(2010, 2, 1))
    assert before["v"].to_list() == [36_537_000_000]
    assert after["v"].to_list() == [36_537_000_000, 42_905_000_000]
    assert days_of(after, "filed") == ["2009-10-27", "2010-01-25"]
    assert after["issuer_id"].to_list() == ["0000320193"] * 2
    assert client.last.data_version is not None and "EDGAR" in client.last.attribution[0]


def test_the_universe_of_a_day_has_those_who_reported_by_then(client: Client) -> None:
    then = client.universe("US", as_of="2010-03-31", state="reporting")
    apple = then["ticker"].to_list().index("AAPL")
    assert then["sector"].to_list()[apple] == "SIC 3571"
    assert set(then["state"].to_list()) == {"reporting"}
    # Apple's first report on record was accepted on 2009-07-22 at 16:43, and counts from the end of that day.
    for hour, lists_apple in ((23, False), (24, True)):
        at = dt.datetime(2009, 7, 22, tzinfo=ZoneInfo("America/New_York")) + dt.timedelta(hours=hour)
        assert ("AAPL" in client.universe("US", as_of=at)["ticker"].to_list()) is lists_apple
        assert client.last is not None and client.last.as_of == at.isoformat()
    for metrics in ("roe", ["roe", "revenue"]):
        groups = client.cross_section(metrics, "US", as_of="2010-03-31T10:00", group="ff49", universe=["reporting"])
        by_ticker = dict(zip(groups["ticker"].to_list(), groups["group"].to_list()))
        assert by_ticker["AAPL"] == "Hardw" and by_ticker["PFE"] == "Drugs"
        assert list(groups.columns)[-3:] == ["source", "known_by", "group"]


def test_days_have_one_unit_everywhere(client: Client, library: str) -> None:
    wanted = np.dtype("datetime64[us]") if library == "pandas" else pl.Date
    frames = [
        client.fundamentals("AAPL", "revenue"),
        client.fundamentals("AAPL", "revenue", layout="wide"),
        client.cross_section("roe", "US", as_of="2010-03-31"),
        client.cross_section(["roe", "revenue"], "US", as_of="2010-03-31"),
        client.restatements("revenue", "US"),
        client.filings("AAPL", limit=10),
        client.signals(limit=10),
    ]
    with pytest.warns(EmptyAnswer, match="no resolved forecasts of market XX"):
        frames.append(client.signals(market="XX"))
    days = {"date", "end", "filed", "until", "filed_before"}
    for frame in frames:
        kinds = [frame[name].dtype for name in frame.columns if name in days]
        assert kinds and all(kind == wanted for kind in kinds)
        ids = [frame[name] for name in ("ticker", "issuer_id", "accession") if name in frame.columns]
        assert all(column.dtype == (pl.String if library == "polars" else "str") for column in ids)


# Apple's 10-Q of 2025-05-02 (0000320193-25-000057), for the quarter to 2025-03-29.
def test_a_statement_has_a_row_a_line_and_a_column_a_period(client: Client, library: str) -> None:
    table: Any = client.statement("AAPL", "income", as_of="2025-05-02", filings=1)
    sales = [95_359_000_000, 90_753_000_000, 219_659_000_000, 210_328_000_000]
    eps = [1.65, 1.53, 4.05, 3.71]
    if library == "pandas":
        assert table.index.names == ["line", "depth", "label", "tag", "unit", "member"]
        assert table.columns.names == ["end", "quarters"]
        assert table.columns.levels[0].dtype == np.dtype("datetime64[us]")
        assert [(str(end)[:10], quarters) for end, quarters in table.columns] == [
            ("2025-03-29", 1),
            ("2024-03-30", 1),
            ("2025-03-29", 2),
            ("2024-03-30", 2),
        ]
        by_label = table.droplevel(["line", "depth", "tag", "unit", "member"])
        assert by_label.loc["Diluted (in dollars per share)"].to_list() == eps
        assert table.loc[pd.IndexSlice[:, :, "Net sales"], :].iloc[0].to_list() == sales
        assert list(table.index.get_level_values("line")) == list(range(1, len(table) + 1))
        # A heading has no values.
        assert table.xs("us-gaap:EarningsPerShareAbstract", level="tag").isna().all(axis=None)
        assert table.xs("USD/shares", level="unit").shape == (2, 4)
        assert table.attrs["asfiled"]["as_of"] == "2025-05-02"
    else:
        periods = ["3 months to 2025-03-29", "3 months to 2024-03-30", "6 months to 2025-03-29", "6 months to 2024-03-30"]
        assert table.columns == ["line", "depth", "label", "tag", "unit", "member", *periods]
        assert list(table.filter(pl.col("label") == "Net sales").row(0)[6:]) == sales
        assert list(table.filter(pl.col("label") == "Diluted (in dollars per share)").row(0)[6:]) == eps
    assert client.last.source is not None and client.last.source.endswith("/api/v1/statements")
    # The 10-Q of July 2009 adds its two columns of a quarter, and not those of nine months.
    assert len(client.statement("AAPL", "income", as_of="2025-05-02").columns) == len(table.columns) + 2
    # Nothing that was filed later: the day before, the latest statement on record is that of July 2009.
    before: Any = client.statement("AAPL", "income", as_of="2025-05-01", view="as_filed", layout="long")
    assert set(before["accession"].to_list()) == {"0001193125-09-153165"}
    assert set(days_of(before, "filed")) == {"2009-07-22"}


def test_a_statement_of_equity_has_its_components_as_columns(client: Client, library: str) -> None:
    table: Any = client.statement("AAPL", "equity", as_of="2025-05-02")
    names = ["Total", "Common stock and additional paid-in capital", "Retained earnings/(Accumulated deficit)"]
    assert [str(name) for name in table.columns][: 3 if library == "pandas" else 0] == names[: 3 if library == "pandas" else 0]
    if library == "polars":
        assert [name for name in table.columns if name in names] == names
        table = table.to_pandas().set_index("tag")
    else:
        assert table.index.names == ["line", "depth", "label", "tag", "unit", "member", "end", "quarters"]
        assert table.index.get_level_values("end").dtype == np.dtype("datetime64[us]")
        table = table.droplevel(["line", "depth", "label", "unit", "member", "end", "quarters"])
    # Net income of the quarter, and of the other three periods.
    assert 24_780_000_000 in table.loc["us-gaap:NetIncomeLoss"]["Total"].to_list()


def test_a_statement_of_no_filing_is_an_empty_frame_with_a_warning(client: Client) -> None:
    with pytest.warns(EmptyAnswer, match="No filing of AAPL"):
        assert len(client.statement("AAPL", "income", as_of="2009-07-01")) == 0
    with pytest.raises(ValueError, match="layout='tidy'"):
        client.statement("AAPL", "income", layout="tidy")  # type: ignore[arg-type]


def test_any_tag_segments_and_frames_are_rows(client: Client, library: str) -> None:
    wanted = np.dtype("datetime64[us]") if library == "pandas" else pl.Date
    reported: Any = client.reported("AAPL", "us-gaap:NetIncomeLoss", as_of="2010-02-01")
    assert set(reported["accession"].to_list()) >= {"0001193125-09-153165", "0001193125-10-012091"}
    assert max(days_of(reported, "filed")) <= "2010-02-01"
    # The 10-Q of 2009-07-22 states net income of 1,229 million for the quarter to 2009-06-27.
    rows = zip(reported["accession"], reported["quarters"], days_of(reported, "end"), reported["value"], strict=True)
    assert ("0001193125-09-153165", 1, "2009-06-30", "1229000000") in list(rows)

    segments: Any = client.segments("AAPL", "revenue", fp="Q2", fy=2025)
    quarter = [row for row in zip(segments["quarters"], segments["label"], segments["value"], segments["difference"])]
    assert (1, "iPhone", "46841000000", "0") in quarter

    # Total assets of 2009-06-27: 48,140 million.
    assets: Any = client.frame("us-gaap:Assets", "CY2009Q2I", "US", as_of="2009-08-31")
    assert dict(zip(assets["ticker"], assets["value"]))["AAPL"] == 48_140_000_000
    assert assets["issuer_id"].to_list()[assets["ticker"].to_list().index("AAPL")] == "0000320193"
    assert len(client.frame("us-gaap:Assets", "CY2009Q2I", "US", as_of="2009-08-31", limit=3)) == 3
    with pytest.warns(EmptyAnswer):
        assert len(client.frame("us-gaap:Assets", "CY2009Q2I", "US", as_of="2009-07-01")) == 0
    for frame in (reported, segments, assets):
        assert all(frame[name].dtype == wanted for name in ("start", "end", "filed") if name in frame.columns)


def test_figures_name_their_lines(client: Client) -> None:
    rows: Any = client.fundamentals("AAPL", "revenue", fp="Q3", fy=2009, as_of="2009-07-31", fields=["statement", "line", "label"])
    assert [rows[name].to_list() for name in ("statement", "line", "label")] == [["income"], [1], ["Net sales"]]


def test_more_than_a_hundred_companies_go_in_batches(client: Client) -> None:
    market = client.cross_section("assets", "US", as_of="2010-03-31", fp="latest")
    tickers = market["ticker"].to_list()[:230]
    # By number, because one of the tickers of today was nobody's on that day.
    figures = client.fundamentals(market["issuer_id"].to_list()[:230], "assets", as_of="2010-03-31", view="latest")
    assert list(dict.fromkeys(figures["ticker"].to_list())) == tickers
    assert dict(zip(figures["ticker"], figures["v"])) == dict(zip(market["ticker"].to_list()[:230], market["assets"]))
    with pytest.warns(EmptyAnswer):
        figures = client.fundamentals(["AAPL", tickers[5]], "revenue", fp="FY", fy=1999)
    assert len(figures) == 0 and client.last.notes == (f"No rows under these IDs: AAPL, {tickers[5]}.",)
    with pytest.raises(ValueError, match="aapl more than once"):
        client.fundamentals(["AAPL", *tickers[2:], "aapl"])


def test_pages_follow_each_other_to_the_last(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {
        "signals": client.signals(to="2012-12-31"),
        "cross-section": client.cross_section("roe", "US", as_of="2010-03-31"),
        "restatements": client.restatements("revenue", "US"),
        "filings": client.filings(market="US", as_of="2010-03-31"),
    }
    monkeypatch.setattr("asfiled._figures._page", {name: 130 for name in whole})
    paged = {
        "signals": client.signals(to="2012-12-31"),
        "cross-section": client.cross_section("roe", "US", as_of="2010-03-31"),
        "restatements": client.restatements("revenue", "US"),
        "filings": client.filings(market="US", as_of="2010-03-31"),
    }
    for name, frame in whole.items():
        assert len(frame) > (5 if name == "restatements" else 130), name
        assert frame.equals(paged[name]), name
    assert client.signals(to="2012-12-31", limit=300).equals(whole["signals"].head(300))
    assert len(client.filings(market="US", as_of="2010-03-31", limit=131)) == 131


def test_an_import_between_two_pages_is_noticed(real: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from asfiled import _rows

    monkeypatch.setattr("asfiled._figures._page", {"signals": 20_000})
    read, versions = _rows.answer_of, iter([1, 2, 2, 2, 3, 3])
    monkeypatch.setattr(_rows, "answer_of", lambda said: replace(read(said), data_version=next(versions)))
    with Client(real[1], real[0]) as client:
        client.signals(limit=40_000)
        assert client.last.data_version == 2
    monkeypatch.setattr(_rows, "answer_of", lambda said: replace(read(said), data_version=id(said)))
    with Client(real[1], real[0]) as client, pytest.raises(errors.DataVersionChanged):
        client.signals(limit=40_000)


def test_cross_sections_have_bounds_and_columns(client: Client) -> None:
    table = client.cross_section(
        ["revenue", "roe"], "US", as_of="2010-03-31", filters={"min_revenue": 150_000_000_000}
    )
    assert len(table) == len(set(table["ticker"].to_list())) == 3
    assert list(table.columns)[6:8] == ["revenue", "roe"] and min(table["revenue"].to_list()) >= 150_000_000_000


def test_a_demo_key_gets_all_companies_too_and_the_licence_with_them(real: tuple[str, str]) -> None:
    with Client("demo", real[0]) as demo, Client(real[1], real[0]) as owner, pytest.warns(IncompleteAnswer, match="most recent"):
        market = demo.cross_section("assets", "US", fp="latest")
        assert market["ticker"].tolist() == owner.cross_section("assets", "US", fp="latest")["ticker"].tolist()
        assert len(demo.cross_section("assets", "US", fp="latest", limit=600)) == min(600, len(market))
        assert demo.last.licence is not None and "most recent reported fiscal year" in demo.last.notes[0]
        assert market.attrs["asfiled"]["licence"] == demo.last.licence


def test_both_libraries_have_the_same_values(real: tuple[str, str]) -> None:
    with Client(real[1], real[0]) as one, Client(real[1], real[0], frame="polars") as other:
        for call in (
            lambda c: c.fundamentals(["AAPL", "2330.TW", "E02367.JP"], fp="FY"),
            lambda c: c.signals(horizon="1d", limit=1_000),
            lambda c: c.restatements("revenue", "US"),
        ):
            here, there = call(one), call(other)
            assert list(here.columns) == there.columns
            assert here.astype(object).where(here.notna(), None).equals(
                pd.DataFrame(there.with_columns(pl.col(pl.Date).cast(pl.Datetime("us"))).to_dict(as_series=False))
                .astype(object)
                .pipe(lambda frame: frame.where(frame.notna(), None))
            )


def test_search_me_and_any_other_route(client: Client) -> None:
    assert client.search("nintendo")["ticker"].to_list() == ["E02367.JP"]
    assert len(client.search("zzzzqqqq")) == 0
    assert client.me()["quant"] is True
    assert client.get("/api/v1/companies/AAPL", as_of="2010-02-01")["currency"] == "USD"


def test_companies_are_named_in_their_order_and_unknown_ones_are_warned_of(client: Client) -> None:
    with pytest.warns(UnknownTickers, match="NOSUCH"):
        rows = client.companies(["WMT", "NOSUCH", "AAPL"])
    assert rows["id"].to_list() == ["WMT", "AAPL"]
    assert rows["issuer_id"].to_list() == ["0000104169", "0000320193"]
    assert client.last.unknown == ("NOSUCH",)


def test_coverage_has_a_row_for_each_metric_and_refuses_an_unknown_company(client: Client) -> None:
    rows = client.coverage("AAPL")
    answer = client.get("/api/v1/coverage/AAPL")
    assert rows["metric"].to_list() == [row["m"] for row in answer["data"]]
    assert [f"{day:%Y-%m-%d}" for day in rows["first_filed"]] == [row["first_filed"] for row in answer["data"]]
    with pytest.raises(errors.EntityUnknownError):
        client.coverage("APPL")


def test_a_strategy_has_the_scores_that_a_join_has(client: Client) -> None:
    listed = client.strategies()
    assert "asset_growth" in listed["name"].to_list() and len(listed) == len(client.get("/api/v1/strategies")["data"])
    rows = client.strategy("asset_growth", "US", as_of="2010-04-01")
    # Numbers, because the tests give one company a ticker that it did not have then.
    companies = rows["issuer_id"].to_list()
    assert len(companies) > 200
    joined = client.panel(companies, "asset_growth", "2010-04-01", inclusive=True, max_age_days=3660)
    assert joined["asset_growth"].to_numpy().tolist() == pytest.approx(rows["score"].to_numpy().tolist(), nan_ok=True, rel=0, abs=0)
    with pytest.raises(errors.EntityUnknownError):
        client.strategy("asset_grwth")


def test_a_refusal_is_the_class_of_its_code_with_the_words_of_the_server(client: Client) -> None:
    with pytest.raises(errors.EntityUnknownError) as unknown:
        client.fundamentals("APPL")
    assert unknown.value.near == ("AAPL", "PPL") and "APPL" in unknown.value.message
    assert unknown.value.status == 404 and unknown.value.request_id is not None
    with pytest.raises(errors.ParameterInvalidError) as invalid:
        client.fundamentals("AAPL", "no_such_metric")
    assert invalid.value.param == "metric"
    with pytest.raises(ValueError, match="not a day"):
        client.fundamentals("AAPL", as_of="yesterday")
    with Client("asf_live_" + "A" * 40, client._transport.base_url) as other, pytest.raises(ApiError) as refused:
        other.me()
    assert isinstance(refused.value, errors.AuthenticationError)
    with Client("demo", client._transport.base_url) as demo, pytest.raises(errors.LicenceRequiredError):
        demo.fundamentals("MSFT", as_of="2010-02-01")


panel_names = {"asset": "ticker", "score": "predicted_pct", "forward_return": "actual_pct"}


def test_a_backtest_of_a_frame_is_that_of_the_archive(client: Client, library: str, tmp_path: Path) -> None:
    rows = client.signals(market="US", horizon="1d", from_="2016-01-01")
    config = {"quantile": 0.1, "holdDays": 5}
    mine = client.backtest(rows, columns=panel_names, config=config, include=["curves"], job=False)
    archive = client.backtest(
        source={"market": "US", "horizon": "1d", "from": "2016-01-01"}, config=config, include=["curves"], job=False
    )
    assert mine.metrics == archive.metrics and mine.result["n_rows"] == archive.result["n_rows"] == len(rows)
    curve = mine.curve
    assert list(curve.columns) == ["date", "net", "gross", "universe"]
    assert curve["net"].to_list() == mine.result["equity_curve"]
    assert str(curve["date"].dtype) == ("datetime64[us]" if library == "pandas" else "Date")
    assert len(mine.folds) == 5 and len(mine.trials) == 0
    page = mine.save_report(tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>") and len(page) > 100_000


def test_a_score_as_of_each_date_is_the_join_of_the_same_rows(client: Client, library: str) -> None:
    days = [str(dt.date(2009, 10, 14) + dt.timedelta(weeks=week)) for week in range(24)]
    tickers = ["AAPL", "MSFT", "INTC", "IBM", "GE", "CVX"]
    count = len(days) * len(tickers)
    columns = {
        "date": [day for day in days for _ in tickers],
        "ticker": tickers * len(days),
        "forward_return": [float(value) for value in np.cos(np.arange(count)) / 40],
    }
    rows = pd.DataFrame(columns) if library == "pandas" else pl.DataFrame(columns)
    config = {"quantile": 0.4, "holdDays": 5, "returnDays": 5}
    asked = client.backtest(rows, columns={"asset": "ticker"}, score={"asOf": "roe"}, config=config, progress=False)
    assert asked.result["score"]["metric"] == "roe" and asked.request["score"] == {"asOf": "roe"}
    joined = client.as_of_join(rows, "roe", max_age_days=asked.result["score"]["max_age_days"])
    assert len(set(joined["roe"].to_list())) > 6
    by_hand = client.backtest(joined, columns={"asset": "ticker", "score": "roe"}, config=config, progress=False)
    assert asked.metrics == by_hand.metrics and asked.curve.equals(by_hand.curve)
    again = client.backtest(rows, columns={"asset": "ticker"}, **asked.request, progress=False)
    assert again.result == asked.result
    with pytest.raises(errors.ParameterInvalidError, match="no_such_metric"):
        client.backtest(rows, columns={"asset": "ticker"}, score={"asOf": "no_such_metric"}, progress=False)


def test_a_submitted_backtest_has_the_bits_of_a_direct_one_and_shows_progress(client: Client, tmp_path: Path) -> None:
    source = {"market": "US", "horizon": "1d"}
    grid = {"quantile": [0.1, 0.2], "holdDays": [1, 5]}
    direct = client.backtest(source=source, sweep=grid, job=False)
    moves: list[tuple[int, int | None]] = []
    submitted = client.submit_backtest(source=source, sweep=grid)
    assert submitted.state in ("queued", "running", "succeeded")
    later = client.backtest_job(submitted.id).wait(progress=lambda done, total: moves.append((done, total)), timeout=60)
    assert later.result == direct.result and moves[-1] == (4, 4)
    assert later.deflated_sharpe is not None and later.deflated_sharpe["trials"] == 4
    assert len(later.trials) == 4
    assert later.save_report(tmp_path / "report.html").stat().st_size > 100_000


def test_faults_of_a_backtest_are_those_of_the_server(client: Client, library: str) -> None:
    rows = client.signals(market="US", horizon="1d", limit=500)
    with pytest.raises(ValueError, match="no column asset, score, forward_return"):
        client.backtest(rows)
    with pytest.raises(errors.ParameterInvalidError, match="quantile"):
        client.backtest(rows, columns=panel_names, config={"quantile": 3})
    percent = {"date": ["2024-01-02"], "asset": ["A"], "score": [1.0], "forward_return": [-2.0]}
    frame = pd.DataFrame(percent) if library == "pandas" else pl.DataFrame(percent)
    with pytest.raises(ApiError, match="forward_return") as at_once:
        client.backtest(frame, job=False)
    with pytest.raises(type(at_once.value), match="forward_return"):
        client.backtest(frame, job=True, progress=False)
    endless = {**percent, "score": [float("inf")], "forward_return": [None]}
    frame = pd.DataFrame(endless) if library == "pandas" else pl.DataFrame(endless)
    with pytest.raises(ValueError, match="Column score, row 0: inf"):
        client.backtest(frame)


def test_a_submitted_backtest_can_be_cancelled(client: Client) -> None:
    submitted = client.submit_backtest(source={"horizon": "1d"}, sweep=True, include=["spa"], evidence={"bootstraps": 10_000})
    submitted.cancel()
    with pytest.raises(errors.BacktestCancelled):
        submitted.refresh().wait(progress=False)


# As-of joins, the change feed, bulk files and pinned versions.


@pytest.mark.filterwarnings("ignore::asfiled.EmptyAnswer")
def test_a_join_knows_what_the_api_knew_the_day_before(client: Client, library: str) -> None:
    dates = ["2009-10-27", "2009-10-28", "2010-01-25", "2010-01-26", "2010-10-27", "2010-10-28"]
    panel = client.panel(["AAPL", "E02367.JP"], ["revenue", "roe"], dates, with_=["end", "filed"])
    assert len(panel) == 12 and days_of(panel, "date") == [day for day in dates for _ in range(2)]
    for row, (day, ticker) in enumerate(zip(days_of(panel, "date"), panel["ticker"].to_list())):
        eve = dt.date.fromisoformat(day) - dt.timedelta(days=1)
        known = client.fundamentals(ticker, "revenue", fp="FY", view="latest", as_of=eve)
        value = panel["revenue"].to_list()[row]
        if len(known) == 0:
            assert value is None or np.isnan(value)
        else:
            assert value == known["v"].to_list()[0]
            assert days_of(panel, "revenue_filed")[row] == days_of(known, "filed")[0]


def test_a_join_keeps_the_frame_and_names_unknown_tickers(client: Client) -> None:
    frame = pd.DataFrame(
        {"own": [1, 2, 3], "date": pd.to_datetime(["2010-02-01", "2009-12-31", "2010-02-01"]), "ticker": ["AAPL", "AAPL", "NOSUCH1"]},
        index=[5, 5, 6],
    )
    with pytest.warns(UserWarning, match="NOSUCH1"):
        joined = client.as_of_join(frame, "revenue")
    assert joined["revenue"].fillna(-1).tolist() == [42_905_000_000, 36_537_000_000, -1]
    pd.testing.assert_frame_equal(joined[["own", "date", "ticker"]], frame)


# Apple's revenue of fiscal 2009: 36,537 million in the 10-K of 2009-10-27, 42,905 million in the 10-K/A of 2010-01-25.
def test_an_audit_finds_what_could_not_have_been_known(client: Client, library: str) -> None:
    days = ["2009-09-26", "2009-10-28", "2009-10-28", "2009-10-28"]
    frame: Any = pd.DataFrame({"date": pd.to_datetime(days), "ticker": "AAPL", "sales": [36537, 36537, 42905, 32479]})
    frame = pl.from_pandas(frame) if library == "polars" else frame
    result = client.audit(frame, columns={"sales": {"metric": "revenue", "scale": 1e6}}, with_=["filing", "filed"])
    rows: Any = result.rows
    assert rows["sales_state"].to_list() == ["early", "known", "restated", "stale"]
    assert rows["sales_days"].to_list() == [31, -1, 89, -1]
    assert rows["sales_known"].to_list()[1:] == [36537] * 3
    assert rows["sales_filing"].to_list()[2] == "0001193125-10-012091" and days_of(rows, "sales_filed")[2] == "2010-01-25"
    assert result.counts["early"] == 1 and result.columns["sales"]["reading"]["fp"] == "FY"
    worst: Any = result.worst
    assert worst["row"].to_list() == [3, 1] and isinstance(worst, type(frame))
    assert "EDGAR" in client.last.attribution[0] and client.last.data_version == result.report["data_version"]


def test_what_a_join_answers_is_known_in_an_audit_also_as_a_job(client: Client, library: str) -> None:
    dates = [f"{year}-{month:02}-15" for year in (2010, 2011) for month in range(1, 13)]
    panel: Any = client.panel(["AAPL", "GE", "WMT"], ["revenue", "net_income"], dates)
    result = client.audit(panel)
    cells = sum(int(panel[name].count()) for name in ("revenue", "net_income"))
    assert cells > 50 and result.counts["known"] == cells
    times = 200_000 // len(panel) + 1
    large: Any = pl.concat([panel] * times) if library == "polars" else pd.concat([panel] * times)
    seen: list[int] = []
    job = client.audit(large, with_=["filing"], progress=lambda done, total: seen.append(done))
    assert job.counts["known"] == cells * times and seen[-1] == len(large)
    rows: Any = job.rows
    assert len(rows) == len(large)
    for name in ("revenue_state", "revenue_known", "net_income_days"):
        whole, part = rows[name].to_list(), result.rows[name].to_list()
        assert [repr(value) for value in whole[: len(part)]] == [repr(value) for value in part]


Rows = dict[tuple[Any, ...], dict[str, Any]]
key_of_a_row = ("entity", "metric", "fp", "period_end", "filed", "accession")


def mirrored(rows: Rows, page: pl.DataFrame) -> None:
    for row in page.rows(named=True):
        version, change = row.pop("version"), row.pop("change")
        assert version > 0
        key = tuple(row[name] for name in key_of_a_row)
        if change == "removed":
            del rows[key]
        elif change == "renamed":
            for other in rows.values():
                if other["entity"] == row["entity"]:
                    other["ticker"] = row["ticker"]
        elif change not in ("timed", "symbols"):
            assert change == ("ended" if key in rows else "added")
            rows[key] = row


def rows_of(frame: pl.DataFrame) -> Rows:
    return {tuple(row[name] for name in key_of_a_row): row for row in frame.rows(named=True)}


def test_a_release_and_the_feed_are_the_next_release_row_by_row(
    real: tuple[str, str], releases: tuple[int, int], tmp_path: Path
) -> None:
    client = Client(real[1], real[0], frame="polars")
    assert [release["data_version"] for release in client.bulk.releases()] == sorted(releases, reverse=True)
    early = client.bulk.sync(tmp_path, data_version=releases[0], progress=False)
    late = client.bulk.sync(tmp_path, progress=False)
    assert (early.data_version, late.data_version) == releases
    mirror, wanted = rows_of(early.read()), rows_of(late.read())
    assert len(mirror) == sum(file["rows"] for file in early.manifest["files"]) > 100_000
    assert mirror != wanted
    feed = client.changes(early.data_version, early.as_of, limit=7)
    pages = list(feed)
    assert len(pages) > 3
    for page in pages:
        mirrored(mirror, page)
    assert mirror == wanted
    # A rename has one row, and its company many.
    renamed = [row for page in pages for row in page.rows(named=True) if row["change"] == "renamed"]
    assert [row["ticker"] for row in renamed] == ["MASX"] and renamed[0]["metric"] is None
    assert sum(row["entity"] == renamed[0]["entity"] for row in wanted.values()) > 10
    assert (feed.data_version, feed.as_of) == (late.data_version, late.as_of)


def test_changes_and_bulk_rows_are_frames_of_the_library(
    client: Client, library: str, releases: tuple[int, int], tmp_path: Path
) -> None:
    early = client.bulk.sync(tmp_path, data_version=releases[0], progress=False)
    page = next(iter(client.changes(early.data_version, early.as_of)))
    rows = early.read(market="US", year=2010)
    day = "datetime64[us]" if library == "pandas" else "Date"
    for frame in (page, rows):
        assert [str(frame[name].dtype) for name in ("period_end", "filed", "until")] == [day] * 3
        changes = frame["change"].to_list() if "change" in frame.columns else ["added"] * len(frame)
        # What is said of a company has no filing.
        for accession, change in zip(frame["accession"].to_list(), changes):
            assert isinstance(accession, str) == (change not in ("renamed", "symbols"))
    assert len(rows) == sum(file["rows"] for file in early.manifest["files"] if (file["market"], file["year"]) == ("US", 2010))


@pytest.mark.filterwarnings("ignore::asfiled.EmptyAnswer")
def test_an_earlier_version_answers_as_the_store_stood_then(client: Client, releases: tuple[int, int]) -> None:
    early, late = releases
    query: dict[str, Any] = {"fp": "FY", "fy": 2010, "view": "latest"}
    assert client.fundamentals("AAPL", "revenue", **query, as_of="2012-06-01")["v"].to_list() == [65_000_000_000]
    assert client.last.data_version is not None and client.last.data_version >= late
    pinned = client.fundamentals("AAPL", "revenue", **query, as_of="2012-06-01", data_version=early)
    assert pinned["v"].to_list() == [65_225_000_000] and client.last.data_version == early
    for version, value in ((early, 65_225_000_000), (None, 65_000_000_000)):
        panel = client.panel("AAPL", "revenue", ["2011-06-01"], data_version=version)
        assert panel["revenue"].to_list() == [65_225_000_000]
        restated = client.restatements("revenue", "US", from_="2012-05-01", as_of="2012-05-01", data_version=version)
        assert restated["value"].to_list() == ([] if version else [value])
    assert "0000320193-12-999999" not in client.filings("AAPL", data_version=early)["accession"].to_list()
    assert "0000320193-12-999999" in client.filings("AAPL")["accession"].to_list()
    assert client.signals(limit=5, data_version=early).equals(client.signals(limit=5))
    market = client.cross_section("revenue", "US", as_of="2010-03-31", data_version=early)
    now = client.cross_section("revenue", "US", as_of="2010-03-31")
    assert dict(zip(market["issuer_id"], market["revenue"])) == dict(zip(now["issuer_id"], now["revenue"]))
    # Masco was renamed since.
    assert set(market["ticker"]) ^ set(now["ticker"]) == {"MAS", "MASX"}
    with pytest.raises(errors.ParameterInvalidError, match="data_version"):
        client.fundamentals("AAPL", data_version=late + 1_000)


def test_a_result_is_run_again_from_its_own_echo_to_the_bit(client: Client, releases: tuple[int, int]) -> None:
    source = {"market": "US", "horizon": "1d", "from": "2016-01-01"}
    first = client.backtest(source=source, data_version=releases[0], include=["curves"], job=False)
    assert first.result["data_version"] == releases[0]
    again = client.backtest(**first.request, job=True, progress=False)
    assert again.result == first.result
    rows = client.signals(market="US", horizon="1d", from_="2016-01-01")
    mine = client.backtest(rows, columns=panel_names, sweep={"holdDays": [1, 5]}, progress=False)
    assert client.backtest(rows, columns=panel_names, **mine.request, progress=False).result == mine.result


# What a list, a frame and a key do not have.


def test_unknown_tickers_of_a_list_are_named_and_the_others_come(client: Client) -> None:
    with pytest.warns(UnknownTickers, match=r"Unknown tickers \(3\) have no rows: NOPE1, no such, NOPE2"):
        figures = client.fundamentals(
            ["NOPE1", "AAPL", "no such", "GE", "NOPE2"], "revenue", fp="FY", view="latest", as_of="2010-03-31"
        )
    assert figures["ticker"].to_list() == ["AAPL", "GE"]
    assert (client.last.unknown, client.last.unknown_count) == (("NOPE1", "no such", "NOPE2"), 3)
    # More than one refusal names, in more than one batch.
    largest = client.cross_section("assets", "US", as_of="2010-03-31", fp="latest")
    market = largest["issuer_id"].to_list()[:150]
    nobody = [f"ZZ{number}ZZ" for number in range(25)]
    mixed = [name for pair in zip(market, nobody) for name in pair] + market[25:]
    with pytest.warns(UnknownTickers, match=r"\(25\)"):
        figures = client.fundamentals(mixed, "assets", as_of="2010-03-31", view="latest")
    assert sorted(figures["ticker"].to_list()) == sorted(largest["ticker"].to_list()[:150])
    with pytest.raises(errors.EntityUnknownError):
        client.fundamentals(["NOPE1", "NOPE2"], "revenue")
    with pytest.raises(ValueError, match="tickers has None, which is not a text"):
        client.fundamentals(["AAPL", None], "revenue")  # type: ignore[list-item]


def test_one_metric_has_the_columns_of_several(client: Client) -> None:
    for metric in ("revenue", "roe", "eps"):
        one = client.cross_section(metric, "US", as_of="2010-03-31")
        two = client.cross_section([metric, "assets"], "US", as_of="2010-03-31")
        assert list(one.columns) == [name for name in two.columns if name != "assets"]
        kinds = {name: two[name].dtype for name in two.columns}
        assert {name: one[name].dtype for name in one.columns} == {name: kinds[name] for name in one.columns}
        values = dict(zip(two["ticker"].to_list(), two[metric].to_list()))
        assert all(values[ticker] == value for ticker, value in zip(one["ticker"].to_list(), one[metric].to_list()))
    eps = client.cross_section("eps", "US", as_of="2010-03-31")
    table = client.cross_section(["eps", "revenue"], "US", as_of="2010-03-31")
    currencies = dict(zip(table["ticker"].to_list(), table["currency"].to_list()))
    assert {"USD", "JPY"} < set(eps["currency"].to_list())
    assert all(money in currencies[name] for name, money in zip(eps["ticker"].to_list(), eps["currency"].to_list()))
    without = client.cross_section("roe", "US", as_of="2010-03-31")["currency"]
    assert len(without) > 100 and (without.is_null() if isinstance(eps, pl.DataFrame) else without.isna()).all()


def test_frames_of_pandas_keep_their_attrs(real: tuple[str, str]) -> None:
    with Client(real[1], real[0]) as client:
        rows = pd.DataFrame({"date": ["2010-02-01"], "ticker": ["AAPL"]})
        rows.attrs["mine"] = {"made": "here"}
        joined = client.as_of_join(rows, "revenue")
        assert joined.attrs["mine"] == {"made": "here"} and "asfiled" not in rows.attrs
        frames = {
            "/api/v1/as-of": joined,
            "/api/v1/cross-section": client.cross_section("roe", "US", as_of="2010-03-31"),
            "/api/v1/fundamentals": client.fundamentals(["AAPL", "GE"], "revenue", as_of="2010-03-31"),
            "/api/v1/restatements": client.restatements("revenue", "US"),
            "/api/v1/filings": client.filings("AAPL", limit=3),
        }
        for path, frame in frames.items():
            said = frame.attrs["asfiled"]
            assert said["data_version"] == client.last.data_version and said["source"] == real[0] + path
            assert said["attribution"], path
        assert joined.attrs["asfiled"]["units"] == {"revenue": ["USD"]}
        assert frames["/api/v1/fundamentals"].attrs["asfiled"]["as_of"] == "2010-03-31"


def test_what_numpy_and_pandas_make_is_taken_as_what_it_is(client: Client) -> None:
    year, bound = np.int64(2009), np.float32(1e11)
    figures = client.fundamentals(
        pd.Series(["AAPL", "GE"]), pd.Index(["revenue"]), fp="FY", fy=year, as_of=pd.Timestamp("2010-03-31")
    )
    assert set(figures["ticker"].to_list()) == {"AAPL", "GE"} and set(figures["fy"].to_list()) == {2009}
    assert min(client.cross_section("revenue", "US", as_of="2010-03-31", filters={"min_revenue": bound})["revenue"]) >= 1e11
    assert len(client.panel("AAPL", "revenue", "2010-02-01")) == 1


def test_an_oem_key_has_bulk_files_where_its_order_form_says_so(real: tuple[str, str], tmp_path: Path) -> None:
    keys = os.environ.get("ASFILED_TEST_OEM_KEYS")
    if not keys:
        pytest.skip("no OEM keys: `bun test test/clients` makes them")
    without, including = keys.split(",")
    with Client(without, real[0]) as oem:
        with pytest.raises(errors.LicenceRequiredError, match="where its order form says so"):
            oem.bulk.sync(tmp_path, progress=False)
        with pytest.raises(errors.LicenceRequiredError, match="where its order form says so"):
            list(oem.changes(0))
    with Client(including, real[0]) as oem:
        release = oem.bulk.sync(tmp_path, progress=False)
        assert len(release.files()) > 1 and len(next(iter(oem.changes(0)))) > 0
        rows = release.read(market="US", year=2010)
        assert rows.attrs["asfiled"]["data_version"] == release.data_version


def test_a_join_returns_other_columns_with_their_types(real: tuple[str, str]) -> None:
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq
    import requests

    when = dt.datetime(2010, 2, 1, 9, 30, 0, 123456)
    table = pa.table(
        {
            "id": pa.array([2**53 + 1, -1, None], pa.int64()),
            "small": pa.array([1, -2, None], pa.int16()),
            "unsigned": pa.array([2**64 - 1, 0, None], pa.uint64()),
            "date": pa.array([dt.date(2010, 2, 1)] * 3, pa.date32()),
            "weight": pa.array([0.1, float("nan"), -0.0], pa.float64()),
            "single": pa.array([0.1, float("inf"), None], pa.float32()),
            "ticker": pa.array(["AAPL", "GE", "NOPE"]),
            "held": pa.array([True, None, False]),
            "settled": pa.array([dt.date(2010, 2, 3), None, dt.date(1969, 12, 31)], pa.date32()),
            "at": pa.array([when, None, when], pa.timestamp("us")),
            "ns": pa.array([1_265_016_600_000_000_001, None, -1], pa.timestamp("ns", tz="UTC")),
            "clock": pa.array([dt.time(9, 30, 0, 5), None, dt.time(0)], pa.time64("us")),
            "note": pa.array(["é, \"x\"\n", "", None]),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink)
    for form in ("parquet", "csv"):
        answer = requests.post(
            f"{real[0]}/api/v1/as-of?metrics=revenue&format={form}",
            sink.getvalue(),
            headers={"Authorization": f"Bearer {real[1]}", "Content-Type": "application/parquet"},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text
        if form == "csv":
            lines = pd.read_csv(io.BytesIO(answer.content), dtype="str", keep_default_na=False)
            assert lines["ns"].to_list() == ["2010-02-01T09:30:00.000000001Z", "", "1969-12-31T23:59:59.999999999Z"]
            assert lines["clock"].to_list() == ["09:30:00.000005", "", "00:00:00"]
            assert lines["single"].to_list() == ["0.1", "inf", ""] and lines["unsigned"][0] == str(2**64 - 1)
            continue
        joined = pq.read_table(io.BytesIO(answer.content))
        assert joined.column_names == [*table.column_names, "revenue"]
        for name in table.column_names:
            before, after = table[name], joined[name]
            assert after.type == before.type, name
            assert repr(after.to_pylist()) == repr(before.to_pylist()), name


def test_the_catalogue_has_a_row_for_each_metric_and_market(client: Client) -> None:
    rows = client.metrics("US")
    names = rows["name"].to_list()
    assert "revenue" in names and "roe" in names and len(set(names)) == len(names)
    answer = client.get("/api/v1/metrics", market="US")
    served = {metric["name"]: metric["markets"] for metric in answer["data"]}
    shares = dict(zip(names, rows["share"].to_list()))
    assert shares["revenue"] == served["revenue"][0]["share"]
    priced = [metric["name"] for metric in answer["valuations"]]
    assert "market_cap" in priced and names == [*served, *priced]
    assert rows["takes_prices"].to_list() == [False] * len(served) + [True] * len(priced)
    texts = [rows[name].dtype for name in ("name", "sign", "market")]
    assert texts[0] == texts[1] == texts[2]


def test_a_stored_panel_gives_the_result_of_its_rows_until_it_is_deleted(client: Client) -> None:
    rows = client.signals(market="US", horizon="1d", from_="2017-01-01")
    config = {"quantile": 0.1}
    stored = client.store_panel(rows, columns=panel_names)
    assert stored["n_rows"] == len(rows) and client.store_panel(rows, columns=panel_names)["id"] == stored["id"]
    assert stored["id"] in client.panels()["id"].to_list()
    kept = client.backtest(panel=stored["id"], config=config, job=False)
    sent = client.backtest(rows, columns=panel_names, config=config, job=False)
    assert kept.metrics == sent.metrics and kept.curve.equals(sent.curve)
    client.delete_panel(stored["id"])
    with pytest.raises(errors.NotFoundError):
        client.backtest(panel=stored["id"], config=config, job=False)
