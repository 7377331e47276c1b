"""Tasks: many calls at a time, each with its own `last`, cancelled at once, closed whole."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_server import Answered, Sent, as_json, refusal, serving

from asfiled import AsyncClient, Client, errors

_seconds = 30.0


def within(work: Coroutine[Any, Any, Any]) -> Any:
    """A test that hangs is a failure."""
    return asyncio.run(asyncio.wait_for(work, _seconds))


def one_row(sent: Sent) -> Answered:
    ticker = sent.query["ticker"]
    sink = pa.BufferOutputStream()
    table = pa.table({"ticker": [ticker], "m": ["revenue"], "value": [1.0]})
    pq.write_table(table.replace_schema_metadata({"data_version": ticker[1:]}), sink)
    return Answered(bytes(sink.getvalue()))


def test_every_method_of_the_client_is_there_with_its_arguments() -> None:
    for name, method in inspect.getmembers(Client, inspect.isfunction):
        if name.startswith("_"):
            continue
        same = getattr(AsyncClient, name)
        if name == "changes":
            continue
        assert inspect.iscoroutinefunction(same), name
        assert inspect.signature(same) == inspect.signature(method) or name == "close"
        assert same.__doc__ is not None


def test_calls_run_at_the_same_time_and_each_task_has_its_own_last(library: str) -> None:
    together = threading.Barrier(4)

    def answer(sent: Sent) -> Answered:
        together.wait(_seconds)
        return one_row(sent)

    async def version(client: AsyncClient, number: int) -> tuple[str, int | None]:
        rows = await client.fundamentals(f"K{number}")
        await asyncio.sleep(0.05)
        return str(rows["ticker"][0]), client.last.data_version

    async def work(url: str) -> Any:
        async with AsyncClient("key", url, frame=library, concurrency=4) as client:
            found = await asyncio.gather(*(version(client, number) for number in range(4)))
            assert client.last.data_version is None
            return found

    with serving(answer) as fake:
        assert within(work(fake.url)) == [(f"K{number}", number) for number in range(4)]


def test_no_more_calls_run_at_a_time_than_allowed() -> None:
    running, most = [0], [0]
    lock = threading.Lock()

    def answer(sent: Sent) -> Answered:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.01)
        with lock:
            running[0] -= 1
        return as_json({"object": "me"})

    async def work(url: str) -> None:
        async with AsyncClient("key", url, concurrency=2) as client:
            await asyncio.gather(*(client.me() for _ in range(12)))

    with serving(answer) as fake:
        within(work(fake.url))
        assert len(fake.sent) == 12
    assert most[0] == 2
    with pytest.raises(ValueError, match="1 to 32"):
        AsyncClient(concurrency=0)


def test_errors_are_those_of_the_client() -> None:
    def answer(sent: Sent) -> Answered:
        if "X" in sent.query["ticker"]:
            return refusal("entity_unknown", 404, "not_found", "ticker=X is not a known company.")
        return one_row(sent)

    async def work(url: str) -> None:
        async with AsyncClient("key", url) as client:
            with pytest.raises(errors.EntityUnknownError):
                await client.get("/x", ticker="X")

    with serving(answer) as fake:
        within(work(fake.url))


def test_a_cancelled_task_ends_at_once_and_its_call_at_the_next_wait() -> None:
    busy = refusal("compute_busy", 503, "unavailable", Retry_After="100")

    async def work(url: str, sent: list[Sent]) -> None:
        async with AsyncClient("key", url, max_wait=1_000) as client:
            task = asyncio.create_task(client.me())
            while not sent:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        # close() waited for the thread, which did not wait for 100 seconds.

    with serving(lambda sent: busy) as fake:
        within(work(fake.url, fake.sent))
        assert len(fake.sent) == 1


def test_a_cancelled_task_cancels_the_backtest_it_waits_for() -> None:
    job = {"id": "bt_1", "state": "running", "progress": {"done": 0, "total": 4}, "finished_at": None}

    def answer(sent: Sent) -> Answered:
        return as_json({**job, "state": "cancelled"} if sent.method == "DELETE" else job)

    async def work(url: str, sent: list[Sent]) -> None:
        async with AsyncClient("key", url) as client:
            task = asyncio.create_task(client.backtest(source={"market": "US"}, job=True, progress=False))
            while not any(one.method == "GET" for one in sent):
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    with serving(answer) as fake:
        within(work(fake.url, fake.sent))
        assert [one.path for one in fake.sent if one.method == "DELETE"] == ["/api/v1/backtests/bt_1"]


def test_jobs_and_their_results_are_awaited(tmp_path: Path) -> None:
    job = {"id": "bt_1", "state": "running", "progress": {"done": 0, "total": 4}, "finished_at": None}
    ended = {**job, "state": "succeeded", "finished_at": "2026-01-01", "result": {"metrics": {"sharpe": 1.0}}}

    def answer(sent: Sent) -> Answered:
        if sent.query.get("format") == "html":
            return Answered(b"<html>")
        return as_json(job if sent.method == "POST" else ended)

    async def work(url: str) -> None:
        async with AsyncClient("key", url) as client:
            submitted = await client.submit_backtest(source={"market": "US"})
            assert (submitted.id, submitted.state) == ("bt_1", "running")
            assert await submitted.refresh() is submitted
            result = await submitted.wait(progress=False)
            assert result.metrics == {"sharpe": 1.0}
            assert (await result.save_report(tmp_path / "report.html")).read_bytes() == b"<html>"

    with serving(answer) as fake:
        within(work(fake.url))


def test_the_change_feed_is_read_with_async_for() -> None:
    def answer(sent: Sent) -> Answered:
        page = int(sent.query.get("cursor", "0"))
        sink = pa.BufferOutputStream()
        table = pa.table({"change": [f"page {page}"]}).replace_schema_metadata({"data_version": "9", "as_of": "2020-01-01"})
        pq.write_table(table, sink)
        return Answered(bytes(sink.getvalue()), headers={} if page == 2 else {"X-Next-Cursor": str(page + 1)})

    async def work(url: str) -> None:
        async with AsyncClient("key", url) as client:
            feed = client.changes(3)
            assert [page["change"][0] async for page in feed] == ["page 0", "page 1", "page 2"]
            assert (feed.data_version, feed.as_of) == (9, "2020-01-01")

    with serving(answer) as fake:
        within(work(fake.url))


def test_bulk_is_awaited_too() -> None:
    async def work(url: str) -> None:
        async with AsyncClient("key", url) as client:
            assert await client.bulk.releases() == [{"data_version": 3}]

    with serving(lambda sent: as_json({"releases": [{"data_version": 3}]})) as fake:
        within(work(fake.url))


def test_closing_ends_what_still_runs_and_refuses_what_comes_later() -> None:
    busy = refusal("compute_busy", 503, "unavailable", Retry_After="100")

    async def work(url: str, sent: list[Sent]) -> None:
        client = AsyncClient("key", url, max_wait=1_000)
        task = asyncio.create_task(client.me())
        while not sent:
            await asyncio.sleep(0.01)
        await client.close()
        with pytest.raises(RuntimeError, match="closed"):
            await task
        with pytest.raises(RuntimeError, match="closed"):
            await client.me()
        await client.close()

    with serving(lambda sent: busy) as fake:
        within(work(fake.url, fake.sent))
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("asfiled")] == []
