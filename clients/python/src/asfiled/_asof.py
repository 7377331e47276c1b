"""The as-of join: rows of (date, ticker) go out as Parquet, the same rows with values come back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._answer import Answer, answer_of, joined
from ._frames import Frames, require_columns
from ._transport import Transport

_parquet = "application/vnd.apache.parquet"
# What the server takes in one request.
_rows_at_a_time = 5_000_000


def as_of_join(
    transport: Transport,
    frames: Frames,
    frame: Any,
    settings: Mapping[str, str],
    *,
    date: str,
    ticker: str,
    prefix: str,
    has_times: bool,
    data_version: int | None,
) -> tuple[Any, Answer]:
    require_columns(frame.columns, [date, ticker])
    if len(frame) == 0:
        raise ValueError("The frame has no rows to join.")
    bodies: list[bytes] = []
    version = data_version
    for body in frames.join_bodies(frame, date, ticker, _rows_at_a_time, has_times):
        params = {**settings, "format": "parquet"}
        if version is not None:
            params["data_version"] = str(version)
        # It changes nothing on the server, so it may be sent again.
        reply = transport.post("/api/v1/as-of", body, _parquet, params, repeatable=True)
        bodies.append(reply.body)
        if version is None and len(frame) > _rows_at_a_time:
            # The other parts of the frame are joined with the same store.
            version = answer_of(frames.read([reply.body])[1][0]).data_version
    values, said = frames.read(bodies)
    answer = joined([answer_of(fields) for fields in said])
    return frames.next_to(frame, date, values, prefix, has_times), answer
