"""The change feed and bulk files against a small server of their contract: order, resume, digests, releases."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_server import Answered, Sent, as_json, refusal, serving

from asfiled import Client, TransportError, errors


def parquet(columns: dict[str, Any], said: dict[str, str] | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns).replace_schema_metadata(said), sink)
    return bytes(sink.getvalue())


def feed(sent: Sent) -> Answered:
    """Five changes in pages of two; a mirror that begins at 9 gets none."""
    changes = [] if sent.query["since"] == "9" else [(8, "added"), (8, "ended"), (9, "removed"), (9, "added"), (9, "ended")]
    start = int(sent.query.get("cursor", "0"))
    page = changes[start : start + 2]
    columns = {
        "version": pa.array([version for version, _ in page], pa.int32()),
        "change": pa.array([change for _, change in page], pa.string()),
        "accession": pa.array(["0000320193-10-000001"] * len(page), pa.string()),
    }
    more = start + 2 < len(changes)
    headers = {"X-Next-Cursor": str(start + 2)} if more else {}
    return Answered(parquet(columns, {"data_version": "9"}), headers=headers)


def test_changes_come_in_order_and_say_where_to_begin_next(library: str) -> None:
    with serving(feed) as fake:
        client = Client("k", fake.url, frame=library)
        changes = client.changes(since=7)
        pages = list(changes)
        assert [change for page in pages for change in page["change"]] == ["added", "ended", "removed", "added", "ended"]
        assert changes.data_version == 9
        again = client.changes(since=changes.data_version)
        assert list(again) == [] and again.data_version == 9


def test_a_feed_that_was_broken_off_begins_again_where_it_began() -> None:
    with serving(feed) as fake:
        changes = Client("k", fake.url).changes(since=7)
        next(iter(changes))
        assert changes.data_version == 7


class Store:
    """Releases as the server has them, with faults that a test chooses."""

    def __init__(self, releases: dict[int, dict[str, bytes]]) -> None:
        self.releases = releases
        self.reported: dict[str, bytes] = {}
        """Files of whole filings, in every release."""
        self.break_after: Callable[[Sent], int | None] = lambda sent: None
        self.change: Callable[[Sent, bytes], bytes] = lambda sent, body: body

    def manifest(self, version: int) -> dict[str, Any]:
        files = [
            {
                **{"path": path, "market": path[:2], "year": int(path[3:7]), "rows": 1},
                **{"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()},
            }
            for path, body in self.releases[version].items()
        ]
        manifest: dict[str, Any] = {"object": "bulk_manifest", "data_version": version, "files": files}
        if self.reported:
            manifest["reported"] = [
                {
                    "name": "figures",
                    "files": [
                        {
                            **{"path": path, "market": "US", "taxonomy": "us-gaap", "year": int(path[-12:-8])},
                            **{"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()},
                        }
                        for path, body in self.reported.items()
                    ],
                }
            ]
        return manifest

    def __call__(self, sent: Sent) -> Answered:
        if sent.path == "/api/v1/bulk":
            return as_json({"object": "bulk_list", "releases": [{"data_version": v} for v in sorted(self.releases, reverse=True)]})
        version, path = sent.path.removeprefix("/api/v1/bulk/").split("/", 1)
        if version == "latest":
            return Answered(status=302, headers={"Location": f"/api/v1/bulk/{max(self.releases)}/manifest.json"})
        if path == "manifest.json":
            return as_json(self.manifest(int(version)))
        body = self.change(sent, {**self.releases[int(version)], **self.reported}[path])
        assert sent.headers["accept-encoding"] == "identity"
        broken = self.break_after(sent)
        if "range" not in sent.headers:
            return Answered(body, breaks_after=broken)
        start = int(sent.headers["range"].removeprefix("bytes=").removesuffix("-"))
        if start >= len(body):
            return refusal("parameter_invalid", 416, "invalid_request")
        return Answered(body[start:], 206, breaks_after=broken)


def rows_of(year: int) -> bytes:
    return parquet({"ticker": ["AAPL"], "entity": [1], "fy": [year], "accession": ["0000320193-10-000001"]})


@pytest.fixture
def store() -> Store:
    return Store({3: {f"US/{year}.parquet": rows_of(year) for year in (2009, 2010)}})


def test_a_release_is_complete_and_checked(store: Store, tmp_path: Path, library: str) -> None:
    moved: list[tuple[int, int | None]] = []
    with serving(store) as fake:
        client = Client("k", fake.url, frame=library)
        assert client.bulk.releases() == [{"data_version": 3}]
        release = client.bulk.sync(tmp_path, progress=lambda done, total: moved.append((done, total)))
    assert release.data_version == 3 and release.folder == tmp_path / "3"
    assert json.loads((tmp_path / "3/manifest.json").read_text()) == store.manifest(3)
    assert sorted(path.name for path in release.folder.rglob("*")) == ["2009.parquet", "2010.parquet", "US", "manifest.json"]
    assert moved[-1][0] == moved[-1][1] == sum(len(body) for body in store.releases[3].values())
    rows = release.read(market="US")
    assert list(rows["fy"]) == [2009, 2010] and list(rows["accession"]) == ["0000320193-10-000001"] * 2
    assert release.files(year=2010) == [tmp_path / "3/US/2010.parquet"]


def test_whole_filings_come_when_they_are_asked_for(store: Store, tmp_path: Path) -> None:
    store.reported = {f"figures-US-us-gaap-{year}.parquet": rows_of(year + 100) for year in (2009, 2010)}
    with serving(store) as fake:
        bulk = Client("k", fake.url).bulk
        release = bulk.sync(tmp_path, progress=False)
        assert not (tmp_path / "3/reported").exists()
        fake.sent.clear()
        release = bulk.sync(tmp_path, reported=True, progress=False)
        assert [sent.path for sent in fake.sent if sent.path.endswith(".parquet")] == [
            f"/api/v1/bulk/3/figures-US-us-gaap-{year}.parquet" for year in (2009, 2010)
        ]
    found = release.reported("figures", market="US", year=2010, taxonomy="us-gaap")
    assert found == [tmp_path / "3/reported/figures-US-us-gaap-2010.parquet"]
    assert found[0].read_bytes() == store.reported["figures-US-us-gaap-2010.parquet"]
    assert len(release.reported("figures")) == 2 and release.reported("lines") == []
    assert len(release.files()) == 2


def test_the_feed_has_filings_when_they_are_asked_for() -> None:
    with serving(feed) as fake:
        list(Client("k", fake.url).changes(since=9))
        list(Client("k", fake.url).changes(since=9, filings=True))
        assert [sent.query.get("filings") for sent in fake.sent] == [None, "true"]


def test_what_is_there_is_not_fetched_again_and_what_is_spoilt_is(store: Store, tmp_path: Path) -> None:
    with serving(store) as fake:
        bulk = Client("k", fake.url).bulk
        bulk.sync(tmp_path, progress=False)
        (tmp_path / "3/US/2010.parquet").write_bytes(b"PAR1 spoilt on the disk")
        fake.sent.clear()
        bulk.sync(tmp_path, progress=False)
        assert [sent.path for sent in fake.sent if sent.path.endswith(".parquet")] == ["/api/v1/bulk/3/US/2010.parquet"]
    assert (tmp_path / "3/US/2010.parquet").read_bytes() == store.releases[3]["US/2010.parquet"]


def test_a_broken_download_goes_on_where_it_broke(store: Store, tmp_path: Path) -> None:
    store.releases[3]["US/2009.parquet"] = os.urandom(200_000)
    store.break_after = lambda sent: 100_000 if sent.path.endswith("2009.parquet") and "range" not in sent.headers else None
    with serving(store) as fake:
        release = Client("k", fake.url).bulk.sync(tmp_path, progress=False)
        ranges = [sent.headers.get("range") for sent in fake.sent if sent.path.endswith("2009.parquet")]
    assert ranges == [None, f"bytes={100_000 // 16_384 * 16_384}-"]
    assert release.files(year=2009)[0].read_bytes() == store.releases[3]["US/2009.parquet"]


def test_a_killed_sync_goes_on_and_its_release_is_not_complete_before(store: Store, tmp_path: Path) -> None:
    store.break_after = lambda sent: 0 if sent.path.endswith("2010.parquet") else None
    with serving(store) as fake:
        bulk = Client("k", fake.url).bulk
        with pytest.raises(TransportError):
            bulk.sync(tmp_path, progress=False)
        assert not (tmp_path / "3/manifest.json").exists()
        # As a process that was killed leaves it: some bytes, no name yet.
        (tmp_path / "3/US/2010.parquet.part").write_bytes(store.releases[3]["US/2010.parquet"][:50])
        store.break_after = lambda sent: None
        fake.sent.clear()
        bulk.sync(tmp_path, progress=False)
        assert [sent.headers["range"] for sent in fake.sent if sent.path.endswith(".parquet")] == ["bytes=50-"]
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize("left", [b"other bytes", b"o" * 100_000])
def test_the_rest_of_another_file_does_not_survive(store: Store, tmp_path: Path, left: bytes) -> None:
    (tmp_path / "3/US").mkdir(parents=True)
    (tmp_path / "3/US/2009.parquet.part").write_bytes(left)
    with serving(store) as fake:
        release = Client("k", fake.url).bulk.sync(tmp_path, progress=False)
    assert release.files(year=2009)[0].read_bytes() == store.releases[3]["US/2009.parquet"]


def test_wrong_bytes_get_no_name(store: Store, tmp_path: Path) -> None:
    store.change = lambda sent, body: body[:-1] + b"?" if sent.path.endswith("2010.parquet") else body
    with serving(store) as fake:
        with pytest.raises(errors.IntegrityError, match="US/2010.parquet"):
            Client("k", fake.url).bulk.sync(tmp_path, progress=False)
    assert not (tmp_path / "3/manifest.json").exists() and not (tmp_path / "3/US/2010.parquet").exists()


def test_a_next_release_takes_unchanged_files_from_the_one_before(store: Store, tmp_path: Path) -> None:
    with serving(store) as fake:
        bulk = Client("k", fake.url).bulk
        bulk.sync(tmp_path, progress=False)
        store.releases[5] = {**store.releases[3], "US/2011.parquet": rows_of(2011)}
        fake.sent.clear()
        release = bulk.sync(tmp_path, progress=False)
        assert [sent.path for sent in fake.sent if sent.path.endswith(".parquet")] == ["/api/v1/bulk/5/US/2011.parquet"]
        assert len(release.files()) == 3 and (tmp_path / "3/manifest.json").exists()
        bulk.sync(tmp_path, progress=False, keep=1)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["5"]
        bulk.sync(tmp_path, data_version=3, progress=False, keep=1)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["3"]
        assert len(bulk.sync(tmp_path, data_version=3, progress=False).files()) == 2


@pytest.mark.parametrize("path", ["../out.parquet", "/etc/x", "US/../../x", "manifest.json", "US//x", "US/x.part", ".hidden", ""])
def test_a_manifest_leads_nowhere_outside_its_folder(tmp_path: Path, path: str) -> None:
    manifest = {"data_version": 3, "files": [{"path": path, "bytes": 1, "sha256": "0" * 64, "market": "US", "year": 1}]}
    with serving(lambda sent: as_json(manifest)) as fake:
        with pytest.raises(errors.AnswerError, match="cannot be"):
            Client("k", fake.url).bulk.sync(tmp_path / "in", progress=False)
    assert not any(tmp_path.iterdir())
