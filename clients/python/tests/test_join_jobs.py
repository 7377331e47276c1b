"""As-of joins that the real server runs as jobs: the values are those of a direct join."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pandas as pd
import polars as pl
import pytest

from asfiled import ApiError, Client, UnknownTickers, errors


def rows_of(library: str) -> Any:
    days = [dt.datetime(2010, 1, 25), dt.datetime(2010, 1, 26), dt.datetime(2010, 1, 26)]
    columns = {"on": days, "name": ["AAPL", "AAPL", "GE"], "own": [3, 1, 2]}
    return pl.DataFrame(columns) if library == "polars" else pd.DataFrame(columns, index=["x", "x", "y"])


# Apple's revenue of fiscal 2009: 36,537 million in the 10-K, 42,905 million in the 10-K/A of 2010-01-25.
apple = [36_537_000_000, 42_905_000_000]
names: dict[str, Any] = {"date": "on", "ticker": "name", "prefix": "known_"}


def test_a_join_as_a_job_is_the_direct_join_with_a_bar_of_its_rows(client: Client, library: str) -> None:
    frame = rows_of(library)
    direct: Any = client.as_of_join(frame, ["revenue", "roe"], with_=["filed"], **names)
    moves: list[tuple[int, int | None]] = []
    joined: Any = client.as_of_join(
        frame,
        ["revenue", "roe"],
        with_=["filed"],
        **names,
        job=True,
        progress=lambda done, total: moves.append((done, total)),
    )
    assert joined["known_revenue"].to_list()[:2] == apple
    assert joined.equals(direct) and list(joined.columns) == list(direct.columns)
    assert moves[-1] == (3, 3) and client.last.data_version is not None and client.last.units["revenue"] == ("USD",)


def test_a_submitted_join_is_found_again_by_its_id(client: Client, library: str) -> None:
    frame = rows_of(library)
    job = client.submit_as_of_join(frame, "revenue", **names)
    assert job.state in ("queued", "running", "succeeded") and job.id in repr(job)
    again = client.as_of_join_job(job.id, frame, **names)
    found: Any = again.wait(progress=False, max_wait=60)
    assert found["known_revenue"].to_list()[:2] == apple and again.state == "succeeded"
    assert type(found) is type(frame) and list(found.columns) == ["on", "name", "own", "known_revenue"]
    other: Any = frame[::-1]
    with pytest.raises(ValueError, match="other rows"):
        client.as_of_join_job(job.id, other, **names).result()
    with pytest.raises(errors.NotFoundError):
        client.as_of_join_job("019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c56", frame, **names)


def test_a_wait_has_a_bound_and_the_join_continues(client: Client, library: str) -> None:
    frame = rows_of(library)
    with pytest.raises(TimeoutError, match="Join .* continues") as late:
        client.as_of_join(frame, "revenue", **names, job=True, progress=False, max_wait=0)
    found: Any = client.as_of_join_job(str(late.value).split()[1], frame, **names).wait(progress=False, max_wait=60)
    assert found["known_revenue"].to_list()[:2] == apple


def test_a_job_is_refused_and_warns_as_the_request_would(client: Client, real: tuple[str, str], library: str) -> None:
    frame = rows_of(library)
    for call in (client.submit_as_of_join, client.as_of_join):
        with pytest.raises(errors.ParameterInvalidError, match="no_such_metric"):
            call(frame, "no_such_metric", **names)
    with pytest.raises(ValueError, match="no rows"):
        client.submit_as_of_join(frame[:0], "revenue", **names)
    with Client("demo", real[0]) as demo, pytest.raises(errors.LicenceRequiredError, match="key of your own"):
        demo.submit_as_of_join(frame, "revenue", **names)
    columns = {"date": [dt.datetime(2010, 2, 1)], "ticker": ["NOSUCH1"]}
    unknown: Any = pl.DataFrame(columns) if library == "polars" else pd.DataFrame(columns)
    with pytest.warns(UnknownTickers, match="NOSUCH1"):
        assert client.as_of_join(unknown, "revenue", job=True, progress=False)["revenue"].count() == 0


def test_a_cancelled_join_has_no_result(client: Client, library: str) -> None:
    job = client.submit_as_of_join(rows_of(library), "revenue", **names)
    job.cancel()
    # It may have ended before the request to cancel it arrived.
    if job.state == "cancelled":
        with pytest.raises(errors.JoinCancelled, match=job.id):
            job.wait(progress=False)
    else:
        assert job.state == "succeeded"


def test_an_interrupted_wait_cancels_the_job(client: Client, library: str) -> None:
    frame = rows_of(library)

    def interrupt(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        client.as_of_join(frame, "revenue", **names, job=True, progress=interrupt)


def test_a_join_of_valuations_names_its_price_set(client: Client, library: str) -> None:
    columns = {"date": [dt.datetime(2012, 1, 5)] * 2, "ticker": ["AAPL", "MSFT"]}
    frame: Any = pl.DataFrame(columns) if library == "polars" else pd.DataFrame(columns)
    # The share counts of the sample are too old for the days of its prices.
    assert list(client.as_of_join(frame, "market_cap", prices="daily").columns) == ["date", "ticker", "market_cap"]
    with pytest.raises(ApiError, match="no_such_set"):
        client.as_of_join(frame, "market_cap", prices="no_such_set")
