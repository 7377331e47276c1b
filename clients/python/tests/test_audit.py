"""Audits against a small server of their contract: what is sent, and the frame, report and job that come back."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_server import Answered, Fake, Sent, as_json, serving

import asfiled._audit
import asfiled._jobs
from asfiled import Client, UnknownTickers
from asfiled.errors import AnswerError, ApiError, AuditCancelled

job_path = "/api/v1/audits/019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c56"
filing = "0001193125-10-012091"


def job(state: str, done: int, **more: Any) -> dict[str, Any]:
    ended = None if state in ("queued", "running") else "2026-07-01T09:30:09.300Z"
    url = f"{job_path}/result" if state == "succeeded" else None
    fields = {"object": "audit_job", "id": job_path[-36:], "state": state, "url": job_path, "result_url": url}
    return {**fields, "progress": {"done": done, "total": 3}, "finished_at": ended, "error": None, **more}


class Audits:
    """Calls 42905 restated by 89 days, what is missing empty, and all else known."""

    def __init__(self) -> None:
        self.polls = [job("running", 1), job("succeeded", 3)]
        self.unknown: list[str] = []
        self.reverses = False
        self.answer: dict[str, Any] = {}
        self.rows: Any = None

    def __call__(self, sent: Sent) -> Answered:
        if sent.method == "DELETE":
            return as_json(job("cancelled", 0))
        if sent.path == job_path:
            return as_json(self.polls.pop(0) if len(self.polls) > 1 else self.polls[0])
        if sent.path == f"{job_path}/result":
            if sent.query["format"] == "json":
                return as_json(self.answer)
            sink = pa.BufferOutputStream()
            pq.write_table(self.rows, sink)
            return Answered(bytes(sink.getvalue()))
        assert (sent.method, sent.path) == ("POST", "/api/v1/audits")
        assert sent.headers["content-type"] == "application/vnd.apache.parquet" and sent.headers["idempotency-key"]
        rows = pq.read_table(io.BytesIO(sent.body))
        names = [name for name in rows.schema.names if name not in ("date", "time", "ticker", "forward_return")]
        added: dict[str, Any] = {}
        for name in names:
            values = rows[name].to_pylist()
            late = [value == 42905 for value in values]
            added[f"{name}_state"] = [None if v is None else "restated" if l else "known" for v, l in zip(values, late)]
            added[f"{name}_known"] = [36537 if l else v for v, l in zip(values, late)]
            added[f"{name}_days"] = [None if v is None else 89 if l else -1 for v, l in zip(values, late)]
            for ending in filter(None, sent.query.get("with", "").split(",")):
                of = {"filing": filing, "filed": "2010-01-25", "end": "2009-09-26"}[ending]
                added[f"{name}_{ending}"] = [of if l else None for l in late]
        worst = {"row": 1, "date": "2009-10-28", "ticker": "AAPL", "column": names[0], "value": 42905, "known": 36537}
        worst |= {"state": "restated", "reason": None, "days": 89, "period_end": "2009-09-26", "filed": "2010-01-25"}
        self.answer = {
            **{"object": "audit", "count": rows.num_rows, "data_version": 7, "counts": {"known": 2, "restated": 1}},
            "columns": [{"name": name, "counts": {"known": 2}, "reading": {"metric": "revenue"}} for name in names],
            "worst": [worst | {"filing": filing, "issuer_id": "0000320193", "url": "https://www.sec.gov/"}],
            "premium": [{"column": names[0], "result": None, "reason": "Too few names."}],
            **{"unknown": self.unknown, "unknown_count": len(self.unknown), "attribution": ["SEC"]},
        }
        tickers = rows["ticker"].to_pylist()
        if self.reverses:
            tickers.reverse()
        if sent.query["format"] == "json":
            return as_json({**self.answer, "rows": {**rows.to_pydict(), "ticker": tickers, "date": [], "time": [], **added}})
        days = {name: pa.array(values) for name, values in added.items()}
        for name in days:
            if name.endswith(("_filed", "_end")):
                days[name] = days[name].cast(pa.date32())
            elif name.endswith("_days"):
                days[name] = days[name].cast(pa.int32())
        self.rows = pa.table({"ticker": tickers, **days})
        assert sent.headers["prefer"] == "respond-async"
        return as_json(job("queued", 0), 202)


@pytest.fixture
def audits() -> Audits:
    return Audits()


@pytest.fixture
def fake(audits: Audits) -> Iterator[Fake]:
    with serving(audits) as made:
        yield made


@pytest.fixture(params=["at once", "as a job"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(asfiled._jobs, "_first_poll", 0.01)
    if request.param == "as a job":
        monkeypatch.setattr(asfiled._audit, "_rows_of_a_job", 2)
    return str(request.param)


index = pd.Index(["x", "x", "y"], name="label")


def panel() -> pd.DataFrame:
    days = pd.to_datetime(["2009-10-28", "2009-10-28", "2009-10-29"])
    columns = {"day": days, "name": ["AAPL", "AAPL", "MSFT"], "sales": [42905, 36537, None], "note": ["a", "b", "c"]}
    return pd.DataFrame({**columns, "held": [True, False, True]}, index=index)


def test_pandas_rows_order_index_and_columns_stay(fake: Fake, way: str) -> None:
    frame = panel()
    before = frame.copy(deep=True)
    client = Client("k", fake.url)
    result = client.audit(frame, date="day", ticker="name", with_=["filing", "filed", "end"], progress=False)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(result.rows[list(before.columns)], before)
    pd.testing.assert_index_equal(result.rows.index, index)
    assert list(result.rows.columns[5:]) == [f"sales_{x}" for x in ("state", "known", "days", "filing", "filed", "end")]
    kinds = [str(result.rows[name].dtype) for name in result.rows.columns[5:]]
    assert kinds == ["str", "float64", "Int32", "str", "datetime64[us]", "datetime64[us]"]
    assert result.rows["sales_state"].fillna("").tolist() == ["restated", "known", ""]
    assert result.rows["sales_known"].fillna(0).tolist() == [36537, 36537, 0]
    assert result.rows["sales_days"].fillna(0).tolist() == [89, -1, 0]
    assert result.rows["sales_filing"].fillna("").tolist() == [filing, "", ""]
    assert "rows" not in result.report and result.counts["restated"] == 1
    assert result.columns["sales"]["reading"] == {"metric": "revenue"}
    assert result.premium["sales"]["reason"] == "Too few names."
    assert result.worst["filed"].dtype == "datetime64[us]" and result.worst["filing"].tolist() == [filing]
    assert client.last.data_version == 7 and result.rows.attrs["asfiled"]["attribution"] == ["SEC"]
    assert fake.sent[0].query["format"] == ("json" if way == "at once" else "parquet")


def test_polars_frames_come_back_as_polars_and_worst_as_the_client_has_it(fake: Fake, way: str) -> None:
    frame = pl.from_pandas(panel().drop(columns="held"))
    result = Client("k", fake.url).audit(frame, date="day", ticker="name", with_=["filed"], progress=False)
    assert result.rows.drop("sales_state", "sales_known", "sales_days", "sales_filed").equals(frame)
    wanted = {"sales_state": pl.String, "sales_known": pl.Float64, "sales_days": pl.Int32, "sales_filed": pl.Date}
    assert {name: result.rows.schema[name] for name in wanted} == wanted
    assert result.rows["sales_days"].to_list() == [89, -1, None]
    assert isinstance(result.worst, pd.DataFrame)
    assert isinstance(Client("k", fake.url, frame="polars").audit(frame, date="day", ticker="name", progress=False).worst, pl.DataFrame)


def test_only_numbers_are_sent_or_what_columns_names(fake: Fake, library: str) -> None:
    frame: Any = panel().reset_index(drop=True).rename(columns={"day": "date", "name": "ticker"})
    frame = frame.assign(forward_return=[0.1, 0.2, 0.3], single=pd.Series([0.1, 0.2, 0.3], dtype="float32"))
    frame = pl.from_pandas(frame) if library == "polars" else frame
    client = Client("k", fake.url, frame=library)  # type: ignore[call-overload]
    client.audit(frame)
    rows = pq.read_table(io.BytesIO(fake.sent[-1].body))
    assert rows.schema.names == ["date", "ticker", "sales", "single", "forward_return"]
    # As a double, 0.1 would be 0.10000000149, which no filing states.
    assert rows.schema.field("single").type == pa.float32()
    columns = {"sales": {"metric": "revenue", "fp": "TTM"}}
    client.audit(frame, columns=columns, inclusive=True, max_age_days=500, config={"quantile": 0.2}, data_version=3)
    query = fake.sent[-1].query
    assert json.loads(query.pop("columns")) == columns and json.loads(query.pop("config")) == {"quantile": 0.2}
    assert query == {"format": "json", "inclusive": "true", "max_age_days": "500", "data_version": "3"}
    assert pq.read_table(io.BytesIO(fake.sent[-1].body)).schema.names == ["date", "ticker", "sales", "forward_return"]


def test_rows_with_times_are_sent_as_times(fake: Fake, library: str) -> None:
    times = pd.to_datetime(["2009-10-28 16:00", "2009-10-28 17:00"]).tz_localize("America/New_York")
    frame: Any = pd.DataFrame({"at": times, "ticker": ["AAPL", "AAPL"], "sales": [1.0, 2.0]})
    frame = pl.from_pandas(frame) if library == "polars" else frame
    result = Client("k", fake.url).audit(frame, time="at")
    sent = pq.read_table(io.BytesIO(fake.sent[-1].body))
    assert sent.schema.names == ["time", "ticker", "sales"]
    assert [time.isoformat() for time in sent["time"].to_pylist()] == ["2009-10-28T20:00:00+00:00", "2009-10-28T21:00:00+00:00"]
    assert list(result.rows["sales_state"]) == ["known", "known"]


def test_what_cannot_be_audited_is_refused_before_it_is_sent(fake: Fake) -> None:
    client = Client("k", fake.url)
    frame = panel().rename(columns={"day": "date", "name": "ticker"})
    cases: list[tuple[dict[str, Any], pd.DataFrame, str]] = [
        ({"columns": {"turnover": "revenue"}}, frame, "no column turnover"),
        ({"forward_return": "r"}, frame, "no column r"),
        ({}, frame[["date", "ticker", "note", "held"]], "no column of numbers"),
        ({}, frame.iloc[:0], "no rows"),
        ({"config": {"quantile": float("nan")}}, frame, "config cannot be sent"),
        ({"date": "day"}, frame.rename(columns={"date": "day", "sales": "time"}), "Rename the column time"),
        ({}, frame.assign(ticker=["AAPL", None, "MSFT"]), "there is no ticker"),
    ]
    for settings, rows, why in cases:
        with pytest.raises(ValueError, match=why):
            client.audit(rows, **settings)
    with pytest.raises(TypeError, match="DataFrame is needed"):
        client.audit([1, 2])
    assert fake.sent == []


def test_a_column_of_the_frame_is_never_overwritten(fake: Fake, library: str) -> None:
    frame: Any = panel().reset_index(drop=True).assign(sales_state=["a", "b", "c"])
    frame = pl.from_pandas(frame) if library == "polars" else frame
    with pytest.raises(ValueError, match="already has a column sales_state"):
        Client("k", fake.url).audit(frame, date="day", ticker="name")


def test_rows_in_another_order_are_refused(fake: Fake, audits: Audits, way: str) -> None:
    audits.reverses = True
    with pytest.raises(AnswerError, match="other rows"):
        Client("k", fake.url).audit(panel(), date="day", ticker="name", progress=False)


def test_unknown_tickers_are_named(fake: Fake, audits: Audits) -> None:
    audits.unknown = ["MSFT"]
    with pytest.warns(UnknownTickers, match=r"Unknown tickers \(1\) are not covered: MSFT"):
        Client("k", fake.url).audit(panel(), date="day", ticker="name")


@pytest.mark.parametrize("way", ["as a job"], indirect=True)
def test_a_job_shows_its_progress_and_fails_as_the_request_would(fake: Fake, audits: Audits, way: str) -> None:
    client = Client("k", fake.url)
    seen: list[tuple[int, int | None]] = []
    client.audit(panel(), date="day", ticker="name", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 3), (1, 3), (3, 3)]
    error = {"code": "entity_cap_reached", "message": "Too many companies.", "type": "permission", "param": None}
    audits.polls = [job("failed", 0, error=error)]
    with pytest.raises(ApiError, match="Too many companies"):
        client.audit(panel(), date="day", ticker="name", progress=False)
    audits.polls = [job("cancelled", 0)]
    with pytest.raises(AuditCancelled):
        client.audit(panel(), date="day", ticker="name", progress=False)


@pytest.mark.parametrize("way", ["as a job"], indirect=True)
def test_an_interrupted_wait_cancels_the_job(fake: Fake, audits: Audits, way: str) -> None:
    def interrupt(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Client("k", fake.url).audit(panel(), date="day", ticker="name", progress=interrupt)
    assert (fake.sent[-1].method, fake.sent[-1].path) == ("DELETE", job_path)
