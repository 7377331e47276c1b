"""The as-of join: rows of (date, ticker) go out as Parquet, the same rows with values come back."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from ._answer import Answer, answer_of, joined
from ._frames import Frames, require_columns
from ._jobs import follow, result_path, wait_for_end
from ._progress import Progress
from ._reply import parse_json
from ._transport import Transport
from .errors import JoinCancelled

T = TypeVar("T")

_path = "/api/v1/as-of"
_parquet = "application/vnd.apache.parquet"
# What the server takes in one request.
_rows_at_a_time = 5_000_000


@dataclass(frozen=True)
class JoinKeys:
    """What a caller's frame calls the columns of a join, and what its result is to call the new ones."""

    date: str
    ticker: str
    prefix: str
    has_times: bool


def as_of_join(
    transport: Transport,
    frames: Frames,
    frame: Any,
    settings: Mapping[str, str],
    keys: JoinKeys,
    *,
    job: bool,
    progress: Progress,
    max_wait: float | None,
    data_version: int | None,
) -> tuple[Any, Answer]:
    """
    :param job: each request is submitted and followed, so that none has to stay open until its answer
    :param max_wait: seconds for the wait of each job
    """
    _require_rows(frame, keys)
    bodies: list[bytes] = []
    version = data_version
    for body in frames.join_bodies(frame, keys.date, keys.ticker, _rows_at_a_time, keys.has_times):
        params = _params(settings, version)
        if job:
            summary = _submitted(transport, body, params)
            result = follow(
                transport, summary, noun="join", cancelled=JoinCancelled, progress=progress, max_wait=max_wait
            )
            bodies.append(transport.get(result, cached=False).body)
        else:
            # It changes nothing on the server, so it may be sent again.
            bodies.append(transport.post(_path, body, _parquet, params, repeatable=True).body)
        if version is None and len(frame) > _rows_at_a_time:
            # The other parts of the frame are joined with the same store.
            version = answer_of(frames.read([bodies[-1]])[1][0]).data_version
    return _placed(frames, frame, keys, bodies)


def submit_join(
    transport: Transport, frames: Frames, frame: Any, settings: Mapping[str, str], keys: JoinKeys, data_version: int | None
) -> Mapping[str, Any]:
    """Submits the join of a frame as one job, and answers its summary."""
    _require_rows(frame, keys)
    if len(frame) > _rows_at_a_time:
        raise ValueError(
            f"The frame has {len(frame)} rows, and one job takes {_rows_at_a_time}. Split it, or call as_of_join, which sends it in parts."
        )
    body = next(frames.join_bodies(frame, keys.date, keys.ticker, _rows_at_a_time, keys.has_times))
    return _submitted(transport, body, _params(settings, data_version))


class JoinJob(Generic[T]):
    """An as-of join that the server has stored and runs, also when this program ends. `as_of_join_job(id, frame)` finds it again."""

    def __init__(
        self,
        transport: Transport,
        frames: Frames,
        frame: T,
        keys: JoinKeys,
        summary: Mapping[str, Any],
        told: Callable[[Any, Answer], T],
    ) -> None:
        """
        :param told: the result after the client has remembered its answer and warned of what is missing
        """
        _require_rows(frame, keys)
        self._transport = transport
        self._frames = frames
        self._frame = frame
        self._keys = keys
        self._told = told
        self.summary = summary

    def __repr__(self) -> str:
        return f"JoinJob({self.id!r}, {self.state!r})"

    @property
    def id(self) -> str:
        return str(self.summary["id"])

    @property
    def state(self) -> str:
        """queued, running, succeeded, failed or cancelled, as of the latest `refresh`."""
        return str(self.summary["state"])

    def refresh(self) -> JoinJob[T]:
        self.summary = parse_json(self._transport.get(str(self.summary["url"]), cached=False).body)
        return self

    def cancel(self) -> None:
        """Cancels the join. One that has ended stays as it is."""
        self.summary = parse_json(self._transport.delete(str(self.summary["url"])).body)

    def wait(self, progress: Progress = True, max_wait: float | None = None) -> T:
        """Waits for the end, with a bar of its rows, and answers your frame with the new columns.

        :param max_wait: seconds after which TimeoutError is raised; the join continues
        """
        wait_for_end(
            self.summary,
            lambda: self.refresh().summary,
            noun="join",
            unit="row",
            progress=progress,
            max_wait=max_wait,
        )
        return self.result()

    def result(self) -> T:
        """Your frame with the columns of a join that has ended. Fails as the request itself would have failed."""
        path = result_path(self.summary, "join", JoinCancelled)
        body = self._transport.get(path, cached=False).body
        sent, values = self._frames.texts(self._frame, self._keys.ticker), self._frames.read([body])[0]
        # Whoever finds the job again brings the frame, and could bring another one.
        if self._frames.texts(values, "ticker") != sent:
            raise ValueError(f"Join {self.id} is of other rows than those of the frame.")
        return self._told(*_placed(self._frames, self._frame, self._keys, [body]))


def job_path(id: str) -> str:
    return f"{_path}/{quote(id, safe='')}"


def _require_rows(frame: Any, keys: JoinKeys) -> None:
    require_columns(frame.columns, [keys.date, keys.ticker])
    if len(frame) == 0:
        raise ValueError("The frame has no rows to join.")


def _params(settings: Mapping[str, str], data_version: int | None) -> dict[str, str]:
    params = {**settings, "format": "parquet"}
    if data_version is not None:
        params["data_version"] = str(data_version)
    return params


def _submitted(transport: Transport, body: bytes, params: Mapping[str, str]) -> Mapping[str, Any]:
    headers = {"Prefer": "respond-async", "Idempotency-Key": str(uuid.uuid4())}
    return parse_json(transport.post(_path, body, _parquet, params, headers=headers, repeatable=True).body)


def _placed(frames: Frames, frame: Any, keys: JoinKeys, bodies: list[bytes]) -> tuple[Any, Answer]:
    """The caller's frame with the values of the answers at its right."""
    values, said = frames.read(bodies)
    answer = joined([answer_of(fields) for fields in said])
    return frames.next_to(frame, keys.date, values, keys.prefix, keys.has_times), answer
