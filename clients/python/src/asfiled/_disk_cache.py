"""Answers kept in a folder, for the next program: each is shown again only after the server has said that it has not changed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from requests.structures import CaseInsensitiveDict

from ._reply import Reply

_name = re.compile(r"[0-9a-f]{64}\.answer")
_part = re.compile(r"asfiled-\w+\.part")
# A process that was killed while it wrote leaves such a file.
_part_seconds = 3_600.0
# Other processes write too: each looks at the whole folder again after a share of the bound, and leaves room for some of them.
_share = 64
_room = 4
# What is of the connection, or may be a secret of something in between.
_left_out = ("set-cookie", "set-cookie2", "content-encoding", "content-length", "transfer-encoding", "connection", "date")


class DiskCache:
    """The latest answers of a server to a key, a file each, in a bounded number of bytes. The one not used for longest goes first.

    The name of a file is a digest of key, server and address, so another key finds nothing, and nothing says what the key is.
    A file gets its name when it is whole, and its own digest is compared when it is read, so several processes can share a folder.
    """

    def __init__(self, folder: str | os.PathLike[str], max_bytes: int, key: str, base_url: str) -> None:
        self._folder = Path(folder).expanduser()
        self._max_bytes = max_bytes
        self._scope = hashlib.sha256(f"asfiled\n{base_url}\n{key}".encode()).digest()
        self._lock = threading.Lock()
        self._unseen: int | None = None
        try:
            # Of this user alone: the answers are what the licence of the key opens.
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._folder):
                pass
        except OSError as error:
            raise ValueError(f"cache={str(folder)!r} is no folder that can be written to: {error.strerror}.") from None

    def find(self, address: str) -> tuple[str, Reply] | None:
        path = self._path(address)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        found = _parsed(content, address)
        with suppress(OSError):
            if found is None:
                path.unlink()
            else:
                os.utime(path)
        return found

    def store(self, address: str, etag: str, reply: Reply) -> None:
        """Keeps an answer. Where the disk is full or the folder is gone it is not kept, and the answer is as good."""
        content = _written(address, etag, reply)
        if content is None or len(content) > self._max_bytes // 4:
            return
        with self._lock, suppress(OSError):
            self._make_room(len(content))
            handle, part = tempfile.mkstemp(".part", "asfiled-", self._folder)
            try:
                with os.fdopen(handle, "wb") as sink:
                    sink.write(content)
                os.replace(part, self._path(address))
            except BaseException:
                with suppress(OSError):
                    os.unlink(part)
                raise

    def _path(self, address: str) -> Path:
        return self._folder / f"{hashlib.sha256(self._scope + address.encode()).hexdigest()}.answer"

    def _make_room(self, size: int) -> None:
        """Deletes the oldest files where this process has written its share since it last looked."""
        share = self._max_bytes // _share
        if self._unseen is not None and self._unseen + size <= share:
            self._unseen += size
            return
        files = self._files()
        total = sum(of for _, of, _ in files) + size
        for _, of, path in sorted(files):
            if total <= self._max_bytes - _room * share:
                break
            with suppress(FileNotFoundError):
                os.unlink(path)
            total -= of
        self._unseen = 0

    def _files(self) -> list[tuple[float, int, str]]:
        """Time of use, bytes and path of each answer. Files of others are neither counted nor deleted."""
        found = []
        with os.scandir(self._folder) as entries:
            for entry in entries:
                is_part = _part.fullmatch(entry.name) is not None
                if not is_part and _name.fullmatch(entry.name) is None:
                    continue
                # Another process may have deleted it.
                with suppress(FileNotFoundError):
                    said = entry.stat(follow_symlinks=False)
                    if not is_part:
                        found.append((said.st_mtime, said.st_size, entry.path))
                    elif time.time() - said.st_mtime > _part_seconds:
                        os.unlink(entry.path)
        return found


def _written(address: str, etag: str, reply: Reply) -> bytes | None:
    """A line of JSON and the body; None for what the server does not want to be kept."""
    if "no-store" in reply.headers.get("Cache-Control", "").lower():
        return None
    headers = {name: value for name, value in reply.headers.items() if name.lower() not in _left_out}
    said = {"address": address, "etag": etag, "status": reply.status, "headers": headers}
    rest = json.dumps(said).encode() + b"\n" + reply.body
    return hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def _parsed(content: bytes, address: str) -> tuple[str, Reply] | None:
    """What `_written` wrote, or None where it is not that any more."""
    digest, _, rest = content.partition(b"\n")
    if hashlib.sha256(rest).hexdigest().encode() != digest:
        return None
    line, _, body = rest.partition(b"\n")
    said = json.loads(line)
    if said["address"] != address:
        return None
    headers: Mapping[str, str] = CaseInsensitiveDict(said["headers"])
    return str(said["etag"]), Reply(int(said["status"]), body, headers)
