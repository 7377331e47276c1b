"""The change feed: what was added, ended, removed and renamed since a data version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from ._answer import answer_of
from ._frames import Frames
from ._transport import Transport
from .errors import AnswerError

F = TypeVar("F")


class ChangeFeed(Generic[F]):
    """Iterates over the changes, a frame a page, in the order in which they were made.

    `data_version` and `as_of` are where the feed leads; keep both when the loop is over, and begin there the next time.
    """

    def __init__(self, transport: Transport, frames: Frames, since: int, params: Mapping[str, str]) -> None:
        self._transport = transport
        self._frames = frames
        self._params = params
        self.since = since
        self.data_version: int = since
        """`since` until the last page has been read, so a broken loop begins again where it began."""
        self.as_of: str | None = params.get("since_day")
        """The day of the last page: figures that were due by then are in the feed."""

    def __iter__(self) -> Iterator[F]:
        cursor: str | None = None
        while True:
            sent = {**self._params, "since": str(self.since), "format": "parquet"}
            if cursor is not None:
                sent["cursor"] = cursor
            # Not into the cache: a page is read once, and large.
            reply = self._transport.get("/api/v1/changes", sent, cached=False)
            rows, said = self._frames.read([reply.body])
            answer = answer_of(said[0])
            if len(rows) > 0:
                yield self._frames.note(rows, answer.as_dict())
            former, cursor = cursor, reply.headers.get("X-Next-Cursor")
            if cursor is None:
                if answer.data_version is not None:
                    self.data_version, self.as_of = answer.data_version, answer.as_of
                return
            if cursor == former:
                raise AnswerError("The change feed answers the same page again and again.")
