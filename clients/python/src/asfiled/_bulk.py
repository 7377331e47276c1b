"""Bulk files: a whole release of the store in a folder, checked byte by byte."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from ._frames import Frames
from ._progress import Progress, bar
from ._reply import parse_json
from ._transport import Transport, chunks
from .errors import AnswerError, ApiError, IntegrityError, TransportError

F = TypeVar("F")

_hash = re.compile(r"[0-9a-f]{64}")
# A broken download goes on where it broke, so often without a new byte.
_max_idle_attempts = 4
_manifest = "manifest.json"
# Files of whole filings have other columns, so `*.parquet` of a release must not match them.
_reported_folder = "reported"


@dataclass(frozen=True)
class BulkRelease(Generic[F]):
    """A release on disk. Its `manifest.json` is written last, so a folder that has one is complete."""

    folder: Path
    manifest: Mapping[str, Any]
    _frames: Frames

    @property
    def data_version(self) -> int:
        return int(self.manifest["data_version"])

    @property
    def as_of(self) -> str:
        """Figures filed after this day are not in it."""
        return str(self.manifest["as_of"])

    def files(self, market: str | None = None, year: int | None = None) -> list[Path]:
        return [
            self.folder / str(file["path"])
            for file in self.manifest["files"]
            if market in (None, file["market"]) and year in (None, file["year"])
        ]

    def reported(
        self,
        table: str,
        market: str | None = None,
        year: int | None = None,
        taxonomy: str | None = None,
    ) -> list[Path]:
        """Files with whole filings that `sync(reported=True)` brought, for DuckDB, Polars or pandas to scan.

        :param table: `figures`, or `lines` of the statements
        """
        return [
            self.folder / _reported_folder / str(file["path"])
            for each in self.manifest.get("reported", [])
            if each["name"] == table
            for file in each["files"]
            if market in (None, file["market"]) and year in (None, file["year"]) and taxonomy in (None, file["taxonomy"])
        ]

    def read(self, market: str | None = None, year: int | None = None) -> F:
        """The rows as a frame. A whole market is large: DuckDB and Polars can scan `files()` instead."""
        paths = self.files(market, year)
        if not paths:
            raise ValueError(f"The release has no file of market {market} and year {year}.")
        rows = self._frames.read([path.read_bytes() for path in paths])[0]
        said = {"data_version": self.data_version, "as_of": self.manifest.get("as_of"), "source": str(self.folder)}
        noted: F = self._frames.note(rows, said)
        return noted


class Bulk(Generic[F]):
    """`Client.bulk`. Needs the licence Redistribution, or OEM where its order form says so."""

    def __init__(self, transport: Transport, frames: Frames) -> None:
        self._transport = transport
        self._frames = frames

    def releases(self) -> list[dict[str, Any]]:
        """What the server has, the latest first."""
        answer = parse_json(self._transport.get("/api/v1/bulk", cached=False).body)
        return list(answer["releases"])

    def sync(
        self,
        folder: str | os.PathLike[str],
        *,
        data_version: int | None = None,
        keep: int | None = None,
        reported: bool = False,
        progress: Progress = True,
    ) -> BulkRelease[F]:
        """Brings a release into `folder/<data version>`: the latest, or the one of `data_version`.

        A file that is there already, also in an earlier release, is not fetched again; one that broke off goes on where it
        broke. Each file is compared with its SHA-256 before it gets its name.

        :param keep: how many releases stay in `folder`; earlier ones are deleted after this one is complete
        :param reported: also brings whole filings: every figure as it was filed, and the lines of the statements
        """
        if keep is not None and keep < 1:
            raise ValueError(f"keep={keep} would delete the release that it fetches. Send 1 or more.")
        name = "latest" if data_version is None else str(data_version)
        body = self._transport.get(f"/api/v1/bulk/{name}/{_manifest}", cached=False).body
        manifest = parse_json(body)
        files = _checked(manifest, reported=reported)
        if data_version not in (None, int(manifest["data_version"])):
            raise AnswerError(f"The manifest of release {name} is of release {manifest['data_version']}.")
        root = Path(folder)
        target = root / str(int(manifest["data_version"]))
        target.mkdir(parents=True, exist_ok=True)
        known = _known_files(root)
        with bar(progress, "bulk", sum(file.bytes for file in files), unit="B") as move:
            for file in files:
                self._bring(target, file, known, move.by)
        _write(target / _manifest, body)
        if keep is not None:
            others = [release for release in _releases(root) if release != target]
            for former in others[: len(others) + 1 - keep]:
                shutil.rmtree(former)
        return BulkRelease(target, manifest, self._frames)

    def _bring(self, target: Path, file: _File, known: Mapping[str, Path], moved: Callable[[int], None]) -> None:
        path = target / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() and path.stat().st_size == file.bytes and _digest(path) == file.sha256:
            moved(file.bytes)
            return
        former = known.get(file.sha256)
        if former is not None and former != path and former.is_file() and _digest(former) == file.sha256:
            part = _part(path)
            part.unlink(missing_ok=True)
            _link(former, part)
            os.replace(part, path)
            moved(file.bytes)
            return
        # Twice: what is on disk of an earlier attempt may be of other bytes.
        for last in (False, True):
            part = self._download(target.name, path, file, moved)
            if part.stat().st_size == file.bytes and _digest(part) == file.sha256:
                os.replace(part, path)
                return
            moved(-part.stat().st_size)
            part.unlink()
            if last:
                raise IntegrityError(
                    f"{file.path} of release {target.name} arrived twice with bytes that are not those of its manifest."
                )

    def _download(self, version: str, path: Path, file: _File, moved: Callable[[int], None]) -> Path:
        """Appends to what is there of the file until it has all its bytes."""
        part = _part(path)
        part.touch()
        if part.stat().st_size > file.bytes:
            part.unlink()
            part.touch()
        size = part.stat().st_size
        moved(size)
        idle = 0
        while size < file.bytes:
            start = size
            try:
                size = self._append(version, part, file, size, moved)
                broken: TransportError | None = None
            except TransportError as error:
                size = part.stat().st_size
                broken = error
            # A connection that breaks after some bytes has brought these: only attempts without any are counted.
            idle = 0 if size > start else idle + 1
            if idle >= _max_idle_attempts:
                raise broken or TransportError(f"{file.path} ends after {size} of {file.bytes} bytes.")
        return part

    def _append(self, version: str, part: Path, file: _File, size: int, moved: Callable[[int], None]) -> int:
        # Files of a release never change, and the digest of the whole is compared in the end: so no If-Range.
        headers = {} if size == 0 else {"Range": f"bytes={size}-"}
        try:
            response = self._transport.stream(f"/api/v1/bulk/{version}/{file.name}", headers)
        except ApiError as error:
            if error.status != 416:
                raise
            part.unlink()
            moved(-size)
            part.touch()
            return 0
        with response:
            if size > 0 and response.status_code != 206:
                moved(-size)
                size = 0
            with part.open("ab" if size > 0 else "wb") as sink:
                # What has not filled a chunk when the connection breaks is lost.
                for chunk in chunks(response, 1 << 14):
                    sink.write(chunk)
                    size += len(chunk)
                    moved(len(chunk))
                    if size > file.bytes:
                        break
        return size


@dataclass(frozen=True)
class _File:
    path: str
    """On disk, below the folder of the release."""
    name: str
    """At the server."""
    bytes: int
    sha256: str


def _checked(manifest: Mapping[str, Any], *, reported: bool) -> list[_File]:
    """The files of a manifest. Its paths come from the network, so they must not lead out of the folder."""
    files = []
    listed = [("", entry) for entry in manifest.get("files", [])]
    if reported:
        for table in manifest.get("reported", []):
            listed += [(f"{_reported_folder}/", entry) for entry in table["files"]]
    for folder, entry in listed:
        path, size, digest = str(entry["path"]), int(entry["bytes"]), str(entry["sha256"])
        parts = path.split("/")
        inside = all(re.fullmatch(r"[A-Za-z0-9_=-][A-Za-z0-9._=-]*", part) for part in parts)
        if not inside or path == _manifest or path.endswith(".part") or not _hash.fullmatch(digest) or size < 0:
            raise AnswerError(f"The manifest names a file that cannot be: {path!r}.")
        files.append(_File(folder + path, path, size, digest))
    return files


def _releases(root: Path) -> list[Path]:
    """The complete releases of a folder, the earliest first."""
    found = [path for path in root.iterdir() if path.name.isdigit() and (path / _manifest).is_file()]
    return sorted(found, key=lambda path: int(path.name))


def _known_files(root: Path) -> dict[str, Path]:
    """Files of complete releases by their digest."""
    known: dict[str, Path] = {}
    for release in _releases(root):
        manifest = json.loads((release / _manifest).read_bytes())
        for file in _checked(manifest, reported=True):
            known[file.sha256] = release / file.path
    return known


def _part(path: Path) -> Path:
    return path.with_name(path.name + ".part")


def _link(source: Path, target: Path) -> None:
    """One copy on disk for equal files, where the disk can do that."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _write(path: Path, content: bytes) -> None:
    part = _part(path)
    with part.open("wb") as sink:
        sink.write(content)
        sink.flush()
        os.fsync(sink.fileno())
    os.replace(part, path)


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as source:
        for chunk in iter(lambda: source.read(1 << 20), b""):
            digest.update(chunk)
    return digest.hexdigest()
