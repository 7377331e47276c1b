"""The connection that all methods of a client use."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Generic, TypeVar

from ._answer import Answer, answer_of
from ._frames import Frames
from ._rows import Fetch, Value, parameters, read_rows
from ._reply import parse_json
from ._transport import Transport

F = TypeVar("F")
C = TypeVar("C", bound="Connection[Any]")


class Connection(Generic[F]):
    """A transport and a library of frames."""

    last: Answer
    """What the latest answer said besides its rows: data version, notes, attribution."""

    def __init__(self, transport: Transport, frames: Frames) -> None:
        self._transport = transport
        self._frames = frames
        self.last = Answer(data_version=None)

    def __repr__(self) -> str:
        return f"Client({self._transport.base_url!r})"

    def __enter__(self: C) -> C:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def get(self, path: str, **values: Value) -> dict[str, Any]:
        """Any GET route as the JSON that it answers, for what has no method: `get("/api/v1/companies/AAPL", as_of="2010-02-01")`."""
        answer = parse_json(self._transport.get(path, parameters(values)).body)
        self.last = answer_of(answer)
        return answer

    def _rows(self, fetch: Fetch, path: str) -> F:
        rows, self.last = read_rows(self._frames, fetch, self._transport.base_url + path)
        found: F = rows
        return found
