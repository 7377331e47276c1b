"""Retries, limits, ETags, compression, and where the key must never be."""

from __future__ import annotations

import gzip
import json
import logging
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable
from email.utils import formatdate
from time import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_server import Answered, Sent, as_json, refusal, serving

from asfiled import ApiError, Client, IncompleteAnswer, TransportError, UnknownTickers, errors

key = "asf_live_Sup3rSecret_Sup3rSecret_Sup3rSecret"


def waits_of(client: Client) -> list[float]:
    waits: list[float] = []
    client._transport._sleep = waits.append
    return waits


def test_retry_after_of_a_limit_is_waited_for() -> None:
    answers = iter([refusal("rate_limited_minute", 429, "rate_limit", Retry_After="7"), as_json({"object": "me"})])
    with serving(lambda sent: next(answers)) as fake, Client(key, fake.url) as client:
        waits = waits_of(client)
        assert client.me() == {"object": "me"}
        assert waits == [7.0]


def test_retry_after_may_be_a_time() -> None:
    then = formatdate(time() + 20, usegmt=True)
    answers = iter([Answered(b"busy", 503, {"Retry-After": then}), as_json({"object": "me"})])
    with serving(lambda sent: next(answers)) as fake, Client(key, fake.url) as client:
        waits = waits_of(client)
        client.me()
        assert 15 < waits[0] <= 20


def test_a_wait_beyond_the_bound_is_not_begun_and_says_how_long_it_would_be() -> None:
    day = refusal("rate_limited_day", 429, "rate_limit", "The day limit is reached.", Retry_After="40000")
    with serving(lambda sent: day) as fake, Client(key, fake.url) as client:
        waits = waits_of(client)
        with pytest.raises(errors.RateLimitedDayError, match="The day limit is reached") as caught:
            client.me()
        assert caught.value.retry_after == 40_000
        assert waits == [] and len(fake.sent) == 1


def test_attempts_are_bounded() -> None:
    busy = refusal("compute_busy", 503, "unavailable", Retry_After="1")
    with serving(lambda sent: busy) as fake, Client(key, fake.url, retries=3) as client:
        waits_of(client)
        with pytest.raises(errors.ComputeBusyError):
            client.me()
        assert len(fake.sent) == 4


@pytest.mark.parametrize("status", [400, 403, 404, 413, 422, 500, 504])
def test_what_does_not_pass_by_itself_is_sent_once(status: int) -> None:
    with serving(lambda sent: refusal("internal", status, "internal")) as fake, Client(key, fake.url) as client:
        with pytest.raises(errors.ServerError):
            client.me()
        assert len(fake.sent) == 1


def test_a_broken_connection_is_tried_again_and_a_missing_server_ends() -> None:
    answers = iter([Answered(b"x" * 100, breaks_after=0), as_json({"object": "me"})])
    with serving(lambda sent: next(answers)) as fake:
        address = fake.url
        with Client(key, fake.url) as client:
            waits_of(client)
            assert client.me() == {"object": "me"}
    with Client(key, address, retries=2) as client:
        waits = waits_of(client)
        with pytest.raises(TransportError, match="No answer from"):
            client.me()
        assert len(waits) == 2


def test_a_backtest_is_sent_again_under_one_idempotency_key() -> None:
    result = {"object": "backtest_result", "metrics": {"sharpe": 1.0}, "n_periods": 3}
    answers = iter(
        [
            refusal("shutting_down", 503, "unavailable", Retry_After="1"),
            refusal("idempotency_in_flight", 409, "invalid_request", Retry_After="1"),
            as_json(result),
            as_json(result),
        ]
    )
    with serving(lambda sent: next(answers)) as fake, Client(key, fake.url) as client:
        waits_of(client)
        assert client.backtest(source={"market": "US"}).result == result
        client.backtest(source={"market": "US"})
        keys = [sent.headers["idempotency-key"] for sent in fake.sent]
        assert len(set(keys[:3])) == 1 and keys[3] != keys[0]


def test_a_comparison_of_vintages_is_sent_and_found_in_the_result() -> None:
    compared = {"variants": [{"vintages": "final", "withheld": True}], "differences": []}
    request = {"source": {"market": "US", "score": "roe"}, "compare": ["as_known", "final"], "data_version": 3}
    result = {"metrics": {}, "request": request, "compare": compared}
    with serving(lambda sent: as_json(result)) as fake, Client(key, fake.url) as client:
        found = client.backtest(source={"market": "US", "score": "roe"}, compare=("as_known", "final"))
        assert json.loads(fake.sent[0].body)["compare"] == ["as_known", "final"]
        assert found.comparison == compared
        # The request of a result gives it again.
        client.backtest(**found.request)
        assert json.loads(fake.sent[1].body) == request


def test_rows_without_a_score_or_with_a_source_are_refused_before_they_are_sent() -> None:
    import polars as pl

    rows = pl.DataFrame({"date": ["2024-01-02"], "asset": ["A"], "forward_return": [0.1], "own": [1]})
    with Client(key, "http://127.0.0.1:9") as client:
        with pytest.raises(ValueError, match="no column score"):
            client.backtest(rows)
        with pytest.raises(ValueError, match="frame and source both name rows"):
            client.backtest(rows, source={"market": "US"})


def test_an_unchanged_answer_comes_from_the_cache() -> None:
    def answer(sent: Sent) -> Answered:
        if sent.headers.get("if-none-match") == 'W/"1"':
            return Answered(status=304, headers={"ETag": 'W/"1"'})
        return as_json({"object": "me", "n": 1}, ETag='W/"1"')

    with serving(answer) as fake, Client(key, fake.url) as client:
        assert client.get("/x", a="1") == client.get("/x", a="1") == {"object": "me", "n": 1}
        assert "if-none-match" not in fake.sent[0].headers
        assert fake.sent[1].headers["if-none-match"] == 'W/"1"'
        client.get("/x", a="2")
        assert "if-none-match" not in fake.sent[2].headers


def test_the_cache_is_bounded_in_bytes() -> None:
    page = b'{"x": "' + b"y" * 100_000 + b'"}'

    def answer(sent: Sent) -> Answered:
        return Answered(page, headers={"ETag": '"1"'})

    with serving(answer) as fake, Client(key, fake.url, cache_mb=1) as client:
        for number in range(40):
            client.get("/x", a=str(number))
        cache = client._transport._cache
        assert sum(len(reply.body) for _, reply in cache._replies.values()) == cache._bytes <= 1_048_576
        client.get("/x", a="39")
        client.get("/x", a="0")
        assert "if-none-match" in fake.sent[-2].headers and "if-none-match" not in fake.sent[-1].headers


def test_compressed_answers_are_accepted() -> None:
    def answer(sent: Sent) -> Answered:
        assert "gzip" in sent.headers["accept-encoding"]
        return Answered(gzip.compress(b'{"object": "me"}'), headers={"Content-Encoding": "gzip"})

    with serving(answer) as fake, Client(key, fake.url) as client:
        assert client.me() == {"object": "me"}


def test_a_silent_server_is_given_up() -> None:
    import socket

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with Client(key, url, timeout=0.2, retries=0) as client, pytest.raises(TransportError, match="ReadTimeout"):
            client.me()


def test_an_answer_of_something_else_is_no_answer() -> None:
    with serving(lambda sent: Answered(b"<html>Login</html>")) as fake, Client(key, fake.url) as client:
        with pytest.raises(errors.AnswerError, match="base_url"):
            client.me()
        with pytest.raises(errors.AnswerError, match="base_url"):
            client.signals()
    with serving(lambda sent: Answered(b"<html>Bad</html>", 418)) as fake, Client(key, fake.url) as client:
        with pytest.raises(ApiError, match="418 without an error of asfiled"):
            client.me()


def test_errors_are_classes_by_code_and_a_new_code_is_one_of_its_type() -> None:
    known = refusal("entity_unknown", 404, "not_found", "No company APPL.")
    with serving(lambda sent: known) as fake, Client(key, fake.url) as client:
        with pytest.raises(errors.EntityUnknownError, match="No company APPL.") as caught:
            client.get("/x")
        assert isinstance(caught.value, errors.NotFoundError)
    new = refusal("too_beautiful", 403, "permission")
    with serving(lambda sent: new) as fake, Client(key, fake.url) as client:
        with pytest.raises(errors.PermissionDeniedError) as other:
            client.get("/x")
        assert other.value.code == "too_beautiful"


def test_the_key_is_sent_and_nowhere_else(caplog: pytest.LogCaptureFixture, monkeypatch, tmp_path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login other password other\n")
    monkeypatch.setenv("NETRC", str(netrc))
    caplog.set_level(logging.DEBUG)
    with serving(lambda sent: refusal("key_unknown", 401, "authentication")) as fake:
        client = Client(key, fake.url, retries=0)
        with pytest.raises(errors.KeyUnknownError) as refused:
            client.me()
        assert fake.sent[0].headers["authorization"] == f"Bearer {key}"
        assert all(key not in sent.path + str(sent.query) for sent in fake.sent)
    gone = Client(key, fake.url, retries=1, max_wait=1)
    with pytest.raises(TransportError) as broken:
        gone.me()
    seen = [repr(client), str(vars(client)), repr(client._transport), caplog.text]
    for error in (refused.value, broken.value):
        assert error.__cause__ is None and error.__context__ is None
        seen += [str(error), repr(error), str(vars(error)), "".join(traceback.format_exception(error))]
    assert [text for text in seen if key in text] == []
    with pytest.raises(TypeError, match="key would be stored"):
        pickle.dumps(client)


def test_a_key_that_cannot_be_one_is_refused_without_being_shown() -> None:
    with pytest.raises(ValueError, match="printable") as caught:
        Client("sec\nret")
    assert "sec" not in str(caught.value)
    with pytest.raises(ValueError, match="must not have a user") as caught:
        Client(base_url="http://user:secret@127.0.0.1")
    assert "secret" not in str(caught.value)


def test_the_key_is_not_sent_to_another_server() -> None:
    with serving(lambda sent: as_json({"object": "me"})) as other:
        there = Answered(status=302, headers={"Location": f"{other.url}/api/v1/me"})
        with serving(lambda sent: there) as fake, Client(key, fake.url, retries=0) as client:
            with pytest.raises(TransportError, match="another server"):
                client.me()
        assert other.sent == []


def test_key_and_address_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda sent: as_json({"object": "me"})) as fake:
        monkeypatch.setenv("ASFILED_URL", fake.url)
        with Client() as client:
            client.me()
        monkeypatch.setenv("ASFILED_KEY", key)
        with Client() as client:
            client.me()
        assert [sent.headers["authorization"] for sent in fake.sent] == ["Bearer demo", f"Bearer {key}"]


@pytest.mark.parametrize(("used", "unused"), [("polars", ["pandas", "pyarrow"]), ("pandas", ["polars"])])
def test_only_the_library_in_use_is_imported(used: str, unused: list[str]) -> None:
    lines = ["import sys, asfiled", "assert not {'pandas', 'polars', 'pyarrow', 'tqdm'} & set(sys.modules)"]
    lines += [f"asfiled.Client(frame={used!r})", f"assert not set({unused}) & set(sys.modules), 'imported'"]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, timeout=60, env={"PYTHONPATH": "src"})


def refusing(known: set[str], names_them: bool) -> Callable[[Sent], Answered]:
    """A server that knows some companies. An older one does not say in its message which it does not know."""

    def answer(sent: Sent) -> Answered:
        asked = sent.query["ticker"].split(",")
        unknown = [name for name in asked if name not in known]
        if unknown:
            named = f"ticker={','.join(unknown[:10])} are not known companies." if names_them else "Some are unknown."
            error = {"type": "not_found", "code": "entity_unknown", "message": named, "param": "ticker"}
            return as_json({"error": error}, 404)
        sink = pa.BufferOutputStream()
        table = pa.table({"ticker": asked, "m": ["revenue"] * len(asked), "value": [1.0] * len(asked)})
        pq.write_table(table.replace_schema_metadata({"data_version": "7"}), sink)
        return Answered(bytes(sink.getvalue()))

    return answer


@pytest.mark.parametrize("names_them", [True, False])
def test_unknown_companies_of_a_list_are_found_however_the_server_says_it(names_them: bool) -> None:
    names = [f"K{number}" for number in range(90)]
    mixed = [*names[:40], "X1", *names[40:], "X2", "X3"]
    with serving(refusing(set(names), names_them)) as fake, pytest.warns(UnknownTickers, match=r"\(3\).*: X1, X2, X3"):
        client = Client("k", fake.url)
        figures = client.fundamentals(mixed)
    assert figures["ticker"].tolist() == names
    assert figures.attrs["asfiled"]["unknown"] == ["X1", "X2", "X3"]
    assert len(fake.sent) <= (2 if names_them else 40)


def test_a_warning_names_the_line_of_the_caller(library: str) -> None:
    with serving(refusing({"A"}, True)) as fake, pytest.warns(UnknownTickers) as told:
        Client("k", fake.url, frame=library).fundamentals(["A", "B"])
    assert told[0].filename == __file__


def test_restatements_of_companies_are_asked_for_one_by_one() -> None:
    with serving(refusing({"A", "C"}, True)) as fake, pytest.warns(UnknownTickers, match="B"):
        changed = Client("k", fake.url).restatements(["revenue", "eps"], ticker=["A", "B", "C"], as_of="2020-01-01")
    assert changed["ticker"].tolist() == ["A", "C"]
    assert fake.sent[0].query == {"metric": "revenue,eps", "ticker": "A", "as_of": "2020-01-01", "format": "parquet"}
    client = Client("k", fake.url)
    with pytest.raises(ValueError, match="metric and market, or ticker"):
        client.restatements("revenue")
    with pytest.raises(ValueError, match="come whole"):
        client.restatements(ticker="A", limit=5)


def test_an_answer_that_a_key_cuts_warns() -> None:
    def answer(sent: Sent) -> Answered:
        sink = pa.BufferOutputStream()
        said = {"data_version": "7", "seen_only": "true", "note": "This key may see 3 more companies."}
        pq.write_table(pa.table({"ticker": ["A"]}).replace_schema_metadata(said), sink)
        return Answered(bytes(sink.getvalue()))

    with serving(answer) as fake, pytest.warns(IncompleteAnswer, match="3 more companies"):
        client = Client("k", fake.url)
        client.filings(market="US")
    assert client.last.seen_only
