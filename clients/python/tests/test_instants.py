"""Instants: times with a zone are sent, and times without one are refused."""

from __future__ import annotations

import datetime as dt
import io
import json
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_server import Answered, Sent, serving

from asfiled import Client
from asfiled._frames import moment_text

new_york = dt.timezone(dt.timedelta(hours=-5))


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        (dt.datetime(2010, 1, 25, 16, tzinfo=new_york), "2010-01-25T16:00:00-05:00"),
        (pd.Timestamp("2010-01-25 16:00", tz="America/New_York"), "2010-01-25T16:00:00-05:00"),
        (dt.datetime(2010, 1, 25, tzinfo=dt.timezone.utc), "2010-01-25T00:00:00+00:00"),
        ("2010-01-25@close", "2010-01-25@close"),
        ("2010-01-25T16:00", "2010-01-25T16:00"),
        ("2010-01-25", "2010-01-25"),
        (dt.date(2010, 1, 25), "2010-01-25"),
        (dt.datetime(2010, 1, 25), "2010-01-25"),
    ],
)
def test_what_as_of_is_sent_as(sent: Any, shown: str) -> None:
    assert moment_text(sent) == shown


@pytest.mark.parametrize("naive", [dt.datetime(2010, 1, 25, 16), pd.Timestamp("2010-01-25 16:00")])
def test_a_datetime_without_a_zone_is_refused(naive: Any) -> None:
    with pytest.raises(ValueError, match="has no zone, so it is not an instant"):
        Client("k", "http://localhost:1").fundamentals("AAPL", as_of=naive)


def join(sent: Sent) -> Answered:
    rows = pq.read_table(io.BytesIO(sent.body))
    assert rows.schema.names == ["time", "ticker"]
    assert rows.schema.field("time").type.tz == "UTC"
    said = {"object": "as_of_join", "data_version": "7", "unknown": json.dumps([])}
    hours = [float(time.hour) for time in rows["time"].to_pylist()]
    columns = {"time": rows["time"], "ticker": rows["ticker"], "roe": pa.array(hours)}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns).replace_schema_metadata(said), sink)
    return Answered(bytes(sink.getvalue()))


def test_rows_with_times_are_joined_in_both_libraries() -> None:
    times = pd.to_datetime(["2010-01-25 16:00", "2010-07-01 09:30"]).tz_localize("America/New_York")
    frame = pd.DataFrame({"at": times, "ticker": ["AAPL", "AAPL"]}, index=["x", "y"])
    with serving(join) as fake:
        client = Client("k", fake.url)
        joined = client.as_of_join(frame, "roe", time="at")
        assert joined["roe"].tolist() == [21.0, 13.0] and list(joined.index) == ["x", "y"]
        polars = client.as_of_join(pl.from_pandas(frame), "roe", time="at")
        assert polars["roe"].to_list() == [21.0, 13.0]


def test_times_without_a_zone_are_refused() -> None:
    frame = pd.DataFrame({"at": pd.to_datetime(["2010-01-25 16:00"]), "ticker": ["AAPL"]})
    with serving(join) as fake:
        client = Client("k", fake.url)
        for one in (frame, pl.from_pandas(frame)):
            with pytest.raises(ValueError, match="Column at has no zone"):
                client.as_of_join(one, "roe", time="at")
        missing = pd.DataFrame({"at": pd.to_datetime(["2010-01-25", None]).tz_localize("UTC"), "ticker": ["A", "B"]})
        for one in (missing, pl.from_pandas(missing)):
            with pytest.raises(ValueError, match="row 1: the time is missing"):
                client.as_of_join(one, "roe", time="at")
        assert fake.sent == []
