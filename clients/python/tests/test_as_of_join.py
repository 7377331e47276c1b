"""The join against a small server of its contract: rows, order, index, days, and nothing from the future."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_server import Answered, Fake, Sent, serving

from asfiled import Client, UnknownTickers
from asfiled.errors import AnswerError

# (end, filed, value) of a company. Its year 2009 is amended after that of 2010 is filed: the amendment is not the newest year.
vintages = {
    "007A": [
        ("2009-12-31", "2010-02-10", 1.0),
        ("2010-12-31", "2011-02-10", 2.0),
        ("2009-12-31", "2011-05-01", 1.5),
        ("2010-12-31", "2011-06-01", 2.5),
    ],
    "AAPL": [("2009-09-26", "2009-10-27", 36.5), ("2009-09-26", "2010-01-25", 42.9)],
}


def known_before(ticker: str, date: str, inclusive: bool) -> tuple[str, str, float] | None:
    seen = [row for row in vintages.get(ticker, []) if row[1] < date or (inclusive and row[1] == date)]
    return max(seen, key=lambda row: (row[0], row[1]), default=None)


def join(sent: Sent) -> Answered:
    assert (sent.method, sent.path) == ("POST", "/api/v1/as-of")
    assert sent.headers["content-type"] == "application/vnd.apache.parquet"
    rows = pq.read_table(io.BytesIO(sent.body))
    assert rows.schema.field("date").type == pa.date32() and rows.schema.names == ["date", "ticker"]
    tickers = rows["ticker"].to_pylist()
    days = [day.isoformat() for day in rows["date"].to_pylist()]
    found = [known_before(t, d, sent.query.get("inclusive") == "true") for t, d in zip(tickers, days)]
    columns: dict[str, Any] = {"date": rows["date"], "ticker": rows["ticker"]}
    for metric in sent.query["metrics"].split(","):
        columns[metric] = pa.array([None if row is None else row[2] for row in found], pa.float64())
        for place, name in enumerate(("end", "filed")):
            if name in sent.query.get("with", "").split(","):
                days_of = [None if row is None else dt.date.fromisoformat(row[place]) for row in found]
                columns[f"{metric}_{name}"] = pa.array(days_of, pa.date32())
    unknown = sorted(set(tickers) - set(vintages))
    said = {"object": "as_of_join", "data_version": sent.query.get("data_version", "7"), "unknown": json.dumps(unknown)}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns).replace_schema_metadata(said), sink)
    return Answered(bytes(sink.getvalue()))


@pytest.fixture
def fake() -> Iterator[Fake]:
    with serving(join) as made:
        yield made


def test_an_amendment_of_an_old_year_does_not_displace_the_newest(fake: Fake, library: str) -> None:
    dates = ["2010-02-10", "2010-02-11", "2011-03-01", "2011-05-02", "2011-06-02"]
    panel = Client("k", fake.url, frame=library).panel("007A", "roe", dates)
    assert list(panel["roe"])[1:] == [1.0, 2.0, 2.0, 2.5]
    assert panel["roe"].is_null()[0] if library == "polars" else panel["roe"].isna()[0]


def test_a_filing_of_the_date_itself_counts_only_when_inclusive(fake: Fake) -> None:
    frame = pl.DataFrame({"date": [dt.date(2010, 1, 25)], "ticker": ["AAPL"]})
    client = Client("k", fake.url, frame="polars")
    assert client.as_of_join(frame, "revenue")["revenue"].to_list() == [36.5]
    assert client.as_of_join(frame, "revenue", inclusive=True)["revenue"].to_list() == [42.9]


def test_pandas_rows_order_index_and_columns_stay(fake: Fake) -> None:
    index = pd.Index(["x", "x", "y"], name="label")
    frame = pd.DataFrame(
        {"day": pd.to_datetime(["2011-03-01", "2009-01-01", "2010-03-01"]), "name": ["007A", "AAPL", "AAPL"], "own": [1, 2, 3]},
        index=index,
    )
    before = frame.copy(deep=True)
    joined = Client("k", fake.url).as_of_join(
        frame, ["roe", "revenue"], date="day", ticker="name", with_=["end", "filed"], prefix="k_"
    )
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(joined[list(frame.columns)], before)
    pd.testing.assert_index_equal(joined.index, index)
    assert joined["k_roe"].fillna(-1).tolist() == [2.0, -1, 42.9]
    assert list(joined.columns[3:]) == [f"k_{m}{s}" for m in ("roe", "revenue") for s in ("", "_end", "_filed")]
    assert joined["k_roe_filed"].dtype == "datetime64[us]" == joined["day"].dtype


def test_polars_frames_come_back_as_polars_whatever_the_client_is_of(fake: Fake) -> None:
    frame = pl.DataFrame({"date": ["2011-03-01", "2010-03-01"], "ticker": ["007A", "AAPL"], "own": [1, 2]})
    joined = Client("k", fake.url, frame="pandas").as_of_join(frame, "roe", with_=["end"])
    assert joined.drop("roe", "roe_end").equals(frame)
    assert joined["roe"].to_list() == [2.0, 42.9] and joined.schema["roe_end"] == pl.Date


@pytest.mark.parametrize(
    "days",
    [
        ["2011-03-01"],
        [dt.date(2011, 3, 1)],
        [dt.datetime(2011, 3, 1)],
        [np.datetime64("2011-03-01")],
        pd.to_datetime(["2011-03-01"]).as_unit("ns"),
        pd.to_datetime(["2011-03-01"]).as_unit("s"),
        pd.Series(["2011-03-01"], dtype="object"),
        pd.Categorical(["2011-03-01"]),
        pl.Series([dt.datetime(2011, 3, 1)]),
        pl.Series(["2011-03-01"], dtype=pl.Categorical),
    ],
)
def test_days_of_any_kind_are_the_same_days(fake: Fake, days: Any) -> None:
    library = pl if isinstance(days, pl.Series) else pd
    frame = library.DataFrame({"date": days, "ticker": ["007A"]})
    assert Client("k", fake.url).as_of_join(frame, "roe")["roe"].to_list() == [2.0]


@pytest.mark.parametrize(
    ("days", "why"),
    [
        (pd.to_datetime(["2011-03-01 09:30"]), "Send the day alone"),
        (pd.to_datetime(["2011-03-01"]).tz_localize("UTC"), "time of day or a zone"),
        (pd.to_datetime([None]), "not a day"),
        ([None], "not a day"),
        (["01.03.2011"], "not a day"),
        ([20110301], "not a day"),
    ],
)
def test_what_is_no_day_is_refused_with_its_row(fake: Fake, days: Any, why: str) -> None:
    frame = pd.DataFrame({"date": days, "ticker": ["007A"]})
    with pytest.raises(ValueError, match=f"row 0: .*{why}"):
        Client("k", fake.url).as_of_join(frame, "roe")
    with pytest.raises(ValueError, match=f"row 0: .*{why}"):
        Client("k", fake.url).as_of_join(pl.from_pandas(frame), "roe")
    assert fake.sent == []


def test_ids_stay_texts(fake: Fake) -> None:
    for frame in (pd.DataFrame({"date": ["2011-03-01"], "ticker": [7]}), pl.DataFrame({"date": ["2011-03-01"], "ticker": [7]})):
        with pytest.raises(ValueError, match="lost its zeros"):
            Client("k", fake.url).as_of_join(frame, "roe")
    category = pd.DataFrame({"date": ["2011-03-01"], "ticker": pd.Categorical(["007A"])})
    assert Client("k", fake.url).as_of_join(category, "roe")["roe"].tolist() == [2.0]
    missing = pd.DataFrame({"date": ["2011-03-01"] * 2, "ticker": ["007A", None]})
    with pytest.raises(ValueError, match="row 1: there is no ticker"):
        Client("k", fake.url).as_of_join(missing, "roe")


def test_unknown_tickers_are_named_and_their_rows_stay(fake: Fake, library: str) -> None:
    client = Client("k", fake.url, frame=library)
    with pytest.warns(UnknownTickers, match=r"Unknown tickers \(1\) have no values: NOSUCH"):
        panel = client.panel(["NOSUCH", "007A"], "roe", ["2011-03-01"])
    assert len(panel) == 2 and client.last.unknown == ("NOSUCH",)


def test_rows_whose_ticker_was_another_companys_are_warned_of_with_who_has_it_now(fake: Fake) -> None:
    reason = "FB belonged to CIK0000012345 to 2003-03-28, and that company is not loaded here. Today it is Meta (META)."
    unmatched = [{"ticker": "FB", "from": None, "to": "2003-03-28", "rows": 1, "reason": reason}]

    def dated(sent: Sent) -> Answered:
        table = pq.read_table(io.BytesIO(join(sent).body))
        said = {**{k.decode(): v.decode() for k, v in table.schema.metadata.items()}, "unknown": "[]"}
        sink = pa.BufferOutputStream()
        said |= {"unmatched": json.dumps(unmatched), "symbol_assumed": "true"}
        pq.write_table(table.replace_schema_metadata(said), sink)
        return Answered(bytes(sink.getvalue()))

    frame = pd.DataFrame({"date": ["2001-01-02"], "ticker": ["FB"]})
    with serving(dated) as server:
        client = Client("k", server.url)
        with pytest.warns(UnknownTickers, match="1 rows have no values: FB belonged to CIK0000012345"):
            client.as_of_join(frame, "roe", lineage="follow")
        assert server.sent[0].query["lineage"] == "follow"
    assert client.last.symbol_assumed and len(client.last.unmatched) == 1


def test_a_column_of_the_same_name_is_not_overwritten(fake: Fake) -> None:
    for library in (pd, pl):
        frame = library.DataFrame({"date": ["2011-03-01"], "ticker": ["007A"], "roe": [9.0]})
        with pytest.raises(ValueError, match="already has a column roe"):
            Client("k", fake.url).as_of_join(frame, "roe")


def test_parts_of_a_large_frame_are_joined_with_one_data_version(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asfiled._asof._rows_at_a_time", 2)
    frame = pd.DataFrame({"date": ["2011-03-01"] * 5, "ticker": ["007A", "AAPL"] * 2 + ["007A"]})
    joined = Client("k", fake.url).as_of_join(frame, "roe")
    assert joined["roe"].tolist() == [2.0, 42.9, 2.0, 42.9, 2.0]
    assert [sent.query.get("data_version") for sent in fake.sent] == [None, "7", "7"]


def test_settings_reach_the_server_and_defaults_do_not(fake: Fake) -> None:
    frame = pd.DataFrame({"date": ["2011-03-01"], "ticker": ["007A"]})
    client = Client("k", fake.url)
    client.as_of_join(frame, "roe, revenue", fp="TTM", max_age_days=500, data_version=3)
    assert fake.sent[0].query == {
        **{"metrics": "roe,revenue", "fp": "TTM", "max_age_days": "500"},
        **{"format": "parquet", "data_version": "3"},
    }
    assert client.last.data_version == 3


@pytest.mark.parametrize("library", [pd, pl])
def test_rows_in_another_order_are_not_put_beside_the_wrong_names(library: Any) -> None:
    def shuffled(sent: Sent) -> Answered:
        rows = pq.read_table(io.BytesIO(sent.body))
        sink = pa.BufferOutputStream()
        pq.write_table(pa.table({**{name: rows[name][::-1] for name in rows.column_names}, "roe": [1.0, 2.0]}), sink)
        return Answered(bytes(sink.getvalue()))

    frame = library.DataFrame({"date": ["2011-03-01", "2011-03-02"], "ticker": ["007A", "007A"]})
    with serving(shuffled) as fake, pytest.raises(AnswerError, match="others than those sent"):
        Client("k", fake.url).as_of_join(frame, "roe")
