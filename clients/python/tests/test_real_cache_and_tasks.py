"""The cache folder and tasks against the real server."""

from __future__ import annotations

import asyncio
from pathlib import Path

from asfiled import AsyncClient, Client

asked = {"metrics": ["revenue", "net_income"], "fp": "FY", "as_of": "2011-01-01"}


def test_the_next_client_gets_the_same_rows_from_the_folder(real: tuple[str, str], library: str, tmp_path: Path) -> None:
    url, key = real
    found, statuses = [], []
    for _ in range(2):
        with Client(key, url, frame=library, cache=tmp_path) as client:
            client._transport._session.hooks["response"].append(
                lambda response, **_: statuses.append(response.status_code)
            )
            found.append(client.fundamentals(["AAPL", "MAS"], **asked))
    assert statuses == [200, 304]
    assert found[0].equals(found[1]) and len(found[0]) > 0


def test_tasks_get_the_rows_of_the_client(real: tuple[str, str], library: str) -> None:
    url, key = real
    tickers = ["AAPL", "MAS", "XOM", "GE"]

    async def all_of() -> list[object]:
        async with AsyncClient(key, url, frame=library) as client:
            return await asyncio.gather(*(client.fundamentals(ticker, **asked) for ticker in tickers))

    with Client(key, url, frame=library) as client:
        expected = [client.fundamentals(ticker, **asked) for ticker in tickers]
    assert [found.equals(one) for found, one in zip(asyncio.run(all_of()), expected)] == [True] * len(tickers)
