"""Batches of backtests: against the real server the results of single requests, against a small one what breaks off."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from fake_server import Answered, serving

from asfiled import AsyncClient, Client, errors

panel_names = {"asset": "ticker", "score": "predicted_pct", "forward_return": "actual_pct"}
configs: list[dict[str, Any]] = [{"quantile": 0.1}, {"quantile": 0.2, "holdDays": 5}, {"quantile": 0.1, "weighting": "rank"}]


def without_verdict(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "verdict"}


def test_a_batch_has_the_results_of_single_requests(client: Client, library: str) -> None:
    rows = client.signals(market="US", horizon="1d", from_="2016-01-01")
    moves: list[tuple[int, int | None]] = []
    batch = client.backtest_batch(
        rows,
        columns=panel_names,
        configs=configs,
        include=["curves"],
        progress=lambda done, total: moves.append((done, total)),
    )
    seen = list(batch)
    assert sorted(one.index for one in seen) == [0, 1, 2] and moves[-1] == (3, 3)
    assert batch.summary is not None and (batch.summary["count"], batch.summary["failed"]) == (3, 0)
    assert [one.index for one in batch.all()] == [0, 1, 2]
    for one, config in zip(batch.ended, configs):
        single = client.backtest(rows, columns=panel_names, config=config, include=["curves"], job=False)
        assert one.error is None and one.result is not None
        assert without_verdict(dict(one.result.result)) == without_verdict(dict(single.result))
        assert one.result.curve.equals(single.curve)
        assert one.deflated_sharpe is not None and one.deflated_sharpe["trials"] == 3
        with pytest.raises(ValueError, match="no reports"):
            one.result.save_report("never.html")


def test_a_batch_ranks_rows_by_a_metric_and_neutralises_scores_by_group(client: Client) -> None:
    rows = client.signals(market="US", horizon="1d", from_="2016-01-01")
    for score, names, some in (
        ({"asOf": "roe"}, {"asset": "ticker", "forward_return": "actual_pct"}, configs),
        ({"group": "sicDivision"}, panel_names, [{**config, "neutralise": {"demean": ["group"]}} for config in configs]),
    ):
        batch = client.backtest_batch(rows, columns=names, configs=some, score=score, progress=False)
        for one, config in zip(batch.all(), some):
            single = client.backtest(rows, columns=names, config=config, score=score, job=False)
            assert one.result is not None and one.result.result["score"]["n_assets"] > 0
            assert without_verdict(dict(one.result.result)) == without_verdict(dict(single.result))


def test_one_that_fails_does_not_stop_the_others(client: Client) -> None:
    stored = client.store_panel(client.signals(market="US", horizon="1d", from_="2017-01-01"), columns=panel_names)
    items: list[dict[str, Any]] = [
        {"panel": stored["id"], "config": {"quantile": 0.1}},
        {"panel": stored["id"], "config": {"neutral": "group"}},
    ]
    batch = client.backtest_batch(items=items, progress=False)
    good, bad = batch.all()
    client.delete_panel(stored["id"])
    assert good.result is not None and good.error is None
    assert isinstance(bad.error, errors.ApiError) and bad.result is None
    assert batch.summary is not None and batch.summary["failed"] == 1


def test_a_batch_is_refused_as_a_whole_with_the_item_named(client: Client) -> None:
    source = {"market": "US", "horizon": "1d"}
    with pytest.raises(errors.ParameterInvalidError, match=r"configs\[1\]"):
        client.backtest_batch(source=source, configs=[{}, {"quantile": 3}])
    for wrong in ({}, {"configs": [{}], "items": [{}]}, {"configs": [{}], "source": source, "panel": "x"}):
        with pytest.raises(ValueError, match="Send"):
            client.backtest_batch(**wrong)  # type: ignore[arg-type]


def test_closing_a_batch_cancels_it(client: Client) -> None:
    many = [{"quantile": 0.05 + step / 1000} for step in range(200)]
    with client.backtest_batch(source={"horizon": "1d"}, configs=many, progress=False) as batch:
        first = next(batch)
    assert first.result is not None and batch.summary is None and "not complete" in repr(batch)
    with pytest.raises(errors.BatchCutOff, match="closed"):
        batch.all()


error = {"code": "backtest_impossible", "message": "Too few rows.", "type": "invalid_request", "param": None}
lines = [
    {"object": "batch_progress", "done": 0, "batch_size": 2},
    {"object": "batch_error", "index": 1, "batch_size": 2, "error": error},
    {"object": "batch_error", "index": 0, "batch_size": 2, "error": error},
    {"object": "batch_summary", "batch_size": 2, "count": 0, "failed": 2, "best": None},
]


def answered(*sent: Any) -> Answered:
    body = b"".join(json.dumps(line).encode() + b"\n" for line in sent)
    return Answered(body, 200, {"Content-Type": "application/x-ndjson"})


def outcomes(answer: Answered) -> Any:
    with serving(lambda sent: answer) as fake, Client("k", fake.url, retries=0) as client:
        batch = client.backtest_batch(configs=[{}, {}], progress=False)
        try:
            return [one.index for one in batch.all()]
        except errors.BatchCutOff as cut_off:
            return len(batch.ended), str(cut_off)


def test_an_answer_without_its_summary_was_cut_off() -> None:
    assert outcomes(answered(*lines)) == [0, 1]
    for count in (0, 1, 2, 3):
        ended, message = outcomes(answered(*lines[:count]))
        assert ended == max(0, count - 1) and "last line is missing" in message
    whole = answered(*lines).body
    ended, message = outcomes(Answered(whole[:-20]))
    assert ended == 2 and "not complete" in message
    ended, message = outcomes(Answered(whole, breaks_after=len(whole) - 1))
    assert "broke off" in message


def test_a_task_reads_a_batch_as_it_arrives() -> None:
    async def work(url: str, answer: str) -> list[int]:
        async with AsyncClient("k", url, retries=0) as client:
            batch = await client.backtest_batch(configs=[{}, {}], progress=False)
            if answer == "all":
                return [one.index for one in await batch.all()]
            return [one.index async for one in batch]

    with serving(lambda sent: answered(*lines)) as fake:
        assert asyncio.run(work(fake.url, "all")) == [0, 1]
        assert asyncio.run(work(fake.url, "each")) == [1, 0]
    with serving(lambda sent: answered(*lines[:2])) as fake, pytest.raises(errors.BatchCutOff):
        asyncio.run(work(fake.url, "each"))


def test_what_is_not_a_batch_is_an_error() -> None:
    for wrong, why in (
        (answered(*lines[:2], lines[1]), "twice"),
        (answered(lines[1], lines[3]), "1 of 2"),
        (answered(*lines, lines[0]), "after its summary"),
        (answered({"object": "x"}), "not a batch"),
        (Answered(b"<html>\n"), "not a JSON object"),
    ):
        with pytest.raises(errors.AnswerError, match=why):
            outcomes(wrong)
