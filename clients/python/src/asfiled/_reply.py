"""Answers as they arrive, and the bounded memory of the latest ones."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import AnswerError


@dataclass(frozen=True)
class Reply:
    """The body and the headers of a good answer."""

    status: int
    body: bytes
    headers: Mapping[str, str]


class EtagCache:
    """The latest answers by their address, in a bounded number of bytes. The one not used for longest goes first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._replies: OrderedDict[str, tuple[str, Reply]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, address: str) -> tuple[str, Reply] | None:
        with self._lock:
            found = self._replies.get(address)
            if found is not None:
                self._replies.move_to_end(address)
            return found

    def store(self, address: str, etag: str, reply: Reply) -> None:
        # One large answer would push out all others.
        if len(reply.body) > self._max_bytes // 4:
            return
        with self._lock:
            former = self._replies.pop(address, None)
            if former is not None:
                self._bytes -= len(former[1].body)
            self._replies[address] = (etag, reply)
            self._bytes += len(reply.body)
            while self._bytes > self._max_bytes:
                _, (_, gone) = self._replies.popitem(last=False)
                self._bytes -= len(gone.body)


def parse_json(body: bytes) -> dict[str, Any]:
    """The object of a JSON answer."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise AnswerError("The answer is not a JSON object. Is base_url the address of asfiled?")
    return answer
