"""Answers in a folder: always asked about, bounded, of one key each, and safe to share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fake_server import Answered, Sent, as_json, refusal, serving

from asfiled import Client, TransportError, errors

key = "asf_live_Sup3rSecret_Sup3rSecret_Sup3rSecret"
megabyte = 1_048_576


def tagged(sent: Sent) -> Answered:
    if sent.headers.get("if-none-match") == 'W/"1"':
        return Answered(status=304, headers={"ETag": 'W/"1"'})
    said = {"ETag": 'W/"1"', "X-Next-Cursor": "abc", "Set-Cookie": "of=a-proxy"}
    return as_json({"object": "me", "who": sent.headers["authorization"]}, **said)


def answers(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_the_next_client_asks_whether_an_answer_has_changed(tmp_path: Path) -> None:
    with serving(tagged) as fake:
        for _ in range(2):
            with Client(key, fake.url, cache=tmp_path) as client:
                assert client.me()["who"] == f"Bearer {key}"
                assert client._transport.get("/api/v1/me").headers["x-next-cursor"] == "abc"
    assert ["if-none-match" in sent.headers for sent in fake.sent] == [False, True, True, True]


def test_a_changed_answer_takes_the_place_of_the_former(tmp_path: Path) -> None:
    versions = iter((1, 2))

    def changing(sent: Sent) -> Answered:
        version = next(versions)
        return as_json({"version": version}, ETag=f'"{version}"')

    with serving(changing) as fake, Client(key, fake.url, cache=str(tmp_path)) as client:
        assert [client.me()["version"], client.me()["version"]] == [1, 2]
    assert fake.sent[1].headers["if-none-match"] == '"1"'
    assert len(answers(tmp_path)) == 1


def test_a_key_that_was_revoked_and_a_server_that_is_gone_give_nothing(tmp_path: Path) -> None:
    refused = False

    def answer(sent: Sent) -> Answered:
        return refusal("key_unknown", 401, "authentication") if refused else tagged(sent)

    with serving(answer) as fake:
        with Client(key, fake.url, cache=tmp_path) as client:
            client.me()
        refused = True
        with Client(key, fake.url, cache=tmp_path) as client, pytest.raises(errors.KeyUnknownError):
            client.me()
    with Client(key, fake.url, cache=tmp_path, retries=0) as client, pytest.raises(TransportError):
        client.me()


def test_another_key_and_another_server_have_answers_of_their_own(tmp_path: Path) -> None:
    with serving(tagged) as fake, serving(tagged) as other:
        for each, url in ((key, fake.url), ("other", fake.url), (key, other.url)):
            with Client(each, url, cache=tmp_path) as client:
                assert client.me()["who"] == f"Bearer {each}"
    assert all("if-none-match" not in sent.headers for sent in [*fake.sent, *other.sent])
    assert len(answers(tmp_path)) == 3


def test_neither_the_key_nor_a_cookie_is_on_disk(tmp_path: Path) -> None:
    silent = as_json({"object": "me"}, ETag='"1"', Set_Cookie="of=a-proxy")
    with serving(lambda sent: silent) as fake, Client(key, fake.url, cache=tmp_path / "new") as client:
        client.me()
    (found,) = answers(tmp_path / "new")
    kept = found.name.encode() + found.read_bytes()
    assert key.encode() not in kept and b"a-proxy" not in kept
    if os.name == "posix":
        assert (found.stat().st_mode & 0o077, found.parent.stat().st_mode & 0o077) == (0, 0)


def test_what_the_server_does_not_want_to_be_kept_is_not(tmp_path: Path) -> None:
    silent = as_json({"object": "me"}, ETag='"1"', Cache_Control="no-store")
    with serving(lambda sent: silent) as fake, Client(key, fake.url, cache=tmp_path) as client:
        client.me()
    assert answers(tmp_path) == []


def test_the_folder_is_bounded_and_the_oldest_goes_first(tmp_path: Path) -> None:
    page = b'{"x": "' + b"y" * 100_000 + b'"}'
    foreign = tmp_path / "notes.txt"
    foreign.write_bytes(b"z" * 2 * megabyte)
    left_behind = tmp_path / "asfiled-killed.part"
    left_behind.write_bytes(b"half")
    os.utime(left_behind, (0, 0))
    with serving(lambda sent: Answered(page, headers={"ETag": '"1"'})) as fake:
        with Client(key, fake.url, cache=tmp_path, cache_mb=1) as client:
            for number in range(30):
                client.get("/x", a=str(number))
                kept = [path for path in answers(tmp_path) if path.suffix == ".answer"]
                assert sum(path.stat().st_size for path in kept) <= megabyte
                for path in kept:
                    # Time stamps of some file systems are coarse.
                    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns - 1_000_000_000))
                client.get("/x", a="0")
            assert len(kept) == 9
            # The first was used all the time, so it is there; the second went long ago.
            client.get("/x", a="1")
            assert ["if-none-match" in sent.headers for sent in fake.sent[-2:]] == [True, False]
    assert foreign.exists() and not left_behind.exists()


def test_one_large_answer_does_not_push_out_the_others(tmp_path: Path) -> None:
    page = b'{"x": "' + b"y" * megabyte + b'"}'
    with serving(lambda sent: Answered(page, headers={"ETag": '"1"'})) as fake:
        with Client(key, fake.url, cache=tmp_path, cache_mb=2) as client:
            client.me()
    assert answers(tmp_path) == []


@pytest.mark.parametrize("damage", [b"", b"{}", None])
def test_a_damaged_file_is_no_answer(tmp_path: Path, damage: bytes | None) -> None:
    with serving(tagged) as fake, Client(key, fake.url, cache=tmp_path) as client:
        client.me()
        (found,) = answers(tmp_path)
        found.write_bytes(found.read_bytes()[:-3] + b"x" if damage is None else damage)
        assert client.me()["who"] == f"Bearer {key}"
        assert "if-none-match" not in fake.sent[1].headers
        client.me()
        assert "if-none-match" in fake.sent[2].headers


def test_a_folder_that_cannot_be_written_to_is_refused_and_one_that_goes_away_is_no_failure(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(ValueError, match="no folder that can be written to"):
        Client(key, cache=file)
    gone = tmp_path / "gone"
    with serving(tagged) as fake, Client(key, fake.url, cache=gone) as client:
        gone.rmdir()
        assert client.me()["object"] == client.me()["object"] == "me"


program = """
import sys
from asfiled import Client
url, folder, start = sys.argv[1:]
with Client("key", url, cache=folder, cache_mb=0.5) as client:
    for turn in range(60):
        number = str((int(start) + turn) % 40)
        # Twice, because the folder holds a third of the answers: the other programs may drop any that was asked for earlier.
        for _ in range(2):
            assert client.get("/x", a=number) == {"a": number, "fill": number * 20_000}, number
"""


def test_several_processes_share_a_folder(tmp_path: Path) -> None:
    def answer(sent: Sent) -> Answered:
        number = sent.query["a"]
        if sent.headers.get("if-none-match") == f'"{number}"':
            return Answered(status=304, headers={"ETag": f'"{number}"'})
        return as_json({"a": number, "fill": number * 20_000}, ETag=f'"{number}"')

    with serving(answer) as fake:
        running = [
            subprocess.Popen(
                [sys.executable, "-c", program, fake.url, str(tmp_path), str(10 * number)],
                env={**os.environ, "PYTHONPATH": "src"},
                stderr=subprocess.PIPE,
            )
            for number in range(4)
        ]
        said = [process.communicate(timeout=120)[1] for process in running]
    assert [(process.returncode, text) for process, text in zip(running, said)] == [(0, b"")] * 4
    # 304 only ever came to those that had the answer: the programs compared every byte.
    assert any("if-none-match" in sent.headers for sent in fake.sent)
    assert sum(path.stat().st_size for path in answers(tmp_path)) <= megabyte // 2
    assert all(path.suffix == ".answer" for path in answers(tmp_path))
