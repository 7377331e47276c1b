"""The look-ahead audit: rows of date, ticker and values go out as Parquet, and come back with a state for each value."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from ._frames import Frames, require_columns
from ._jobs import follow
from ._progress import Progress
from ._reply import parse_json
from ._rows import parameters
from ._transport import Transport
from .errors import AnswerError, AuditCancelled

F = TypeVar("F")
T = TypeVar("T")

_path = "/api/v1/audits"
_parquet = "application/vnd.apache.parquet"
# More rows run as a job. Their values come back as Parquet, fewer in one answer together with the report.
_rows_of_a_job = 200_000
_returns = "forward_return"
_worst = (
    *("row", "date", "ticker", "column", "value", "known", "state", "reason", "days"),
    *("period_end", "filed", "filing", "issuer_id", "url"),
)


class AuditResult(Generic[T, F]):
    """What an audit found. `report` is the server's answer without its rows; the rest are parts of it."""

    def __init__(self, report: Mapping[str, Any], rows: T, frames: Frames) -> None:
        self.report = dict(report)
        self.rows = rows
        """Your frame with `<column>_state`, `<column>_known` and `<column>_days` for each audited column, and those of `with_`."""
        self._frames = frames

    def __repr__(self) -> str:
        found = ", ".join(f"{state}={cells}" for state, cells in self.counts.items() if cells > 0)
        return f"AuditResult({found})"

    @property
    def counts(self) -> dict[str, int]:
        """Cells of all columns by state: known, rounded, announced, stale, restated, early, other_company, no_match, not_covered, empty."""
        return dict(self.report["counts"])

    @property
    def columns(self) -> dict[str, dict[str, Any]]:
        """By name of an audited column: how it was read (`reading`) and its `counts`, also by year (`years`) and by lag (`lags`)."""
        return {str(column["name"]): dict(column) for column in self.report["columns"]}

    @property
    def worst(self) -> F:
        """The cells that look ahead the furthest, at most 100, with the filing that shows it."""
        cells: Sequence[Mapping[str, Any]] = self.report["worst"]
        made = self._frames.make({name: [cell[name] for cell in cells] for name in _worst}, ["period_end", "filed"])
        kinds = {"value": "number", "known": "number", "days": "whole"}
        texts = ("date", "ticker", "column", "state", "reason", "filing", "issuer_id", "url")
        frame: F = self._frames.typed(made, {**kinds, **dict.fromkeys(texts, "text")})
        return frame

    @property
    def premium(self) -> dict[str, dict[str, Any]]:
        """With returns, by column: `result`, what looking ahead would have earned, or None and the `reason`."""
        return {str(one["column"]): dict(one) for one in self.report["premium"]}


def audit(
    transport: Transport,
    frames: Frames,
    own_frames: Frames,
    frame: Any,
    *,
    columns: Mapping[str, str | Mapping[str, Any]] | None,
    date: str,
    ticker: str,
    has_times: bool,
    inclusive: bool,
    max_age_days: int | None,
    with_: Sequence[str],
    forward_return: str | None,
    config: Mapping[str, Any] | None,
    data_version: int | None,
    progress: Progress,
) -> AuditResult[Any, Any]:
    """
    :param frames: the library of the caller's frame
    :param own_frames: the library of the client
    """
    names = _sent_columns(frames, frame, columns, date, ticker, forward_return)
    if len(frame) == 0:
        raise ValueError("The frame has no rows to audit.")
    settings = parameters(
        {
            "columns": None if columns is None else _as_json("columns", columns),
            "inclusive": True if inclusive else None,
            "max_age_days": max_age_days,
            "with": list(with_) or None,
            "forward_return": forward_return,
            "config": None if config is None else _as_json("config", config),
            "data_version": data_version,
        }
    )
    is_job = len(frame) > _rows_of_a_job
    body = frames.audit_body(frame, date, ticker, names, has_times)
    headers = {"Idempotency-Key": str(uuid.uuid4()), **({"Prefer": "respond-async"} if is_job else {})}
    settings["format"] = "parquet" if is_job else "json"
    reply = transport.post(_path, body, _parquet, settings, headers=headers, repeatable=True)
    answer = parse_json(reply.body)
    values: Any = None
    if reply.status == 202:
        result = follow(transport, answer, noun="audit", cancelled=AuditCancelled, progress=progress)
        answer = parse_json(transport.get(result, {"format": "json"}, cached=False).body)
        if is_job:
            values = frames.read([transport.get(result, {"format": "parquet"}, cached=False).body])[0]
    added = _added(answer, with_)
    if values is None:
        rows = answer.get("rows") or {}
        require_columns(list(rows), [*added, "ticker"])
        days = [name for name, kind in added.items() if kind == "day"]
        values = frames.make({name: rows[name] for name in ["ticker", *added]}, days)
    values = frames.typed(values, added)
    if frames.texts(values, "ticker") != frames.texts(frame, ticker):
        raise AnswerError("The audit answered other rows than those sent.")
    report = {name: value for name, value in answer.items() if name != "rows"}
    return AuditResult(report, frames.beside(frame, values, list(added)), own_frames)


def _sent_columns(
    frames: Frames,
    frame: Any,
    columns: Mapping[str, Any] | None,
    date: str,
    ticker: str,
    forward_return: str | None,
) -> list[str]:
    """The columns of values that are sent: those that are named, or all of numbers; and the returns."""
    wanted = frames.number_columns(frame) if columns is None else list(columns)
    returns = forward_return if forward_return is not None else _returns if _returns in list(frame.columns) else None
    names = [name for name in dict.fromkeys(wanted) if name not in (date, ticker, returns)]
    require_columns(frame.columns, [date, ticker, *names, *([] if returns is None else [returns])])
    if not names:
        raise ValueError("The frame has no column of numbers to audit besides date and ticker.")
    taken = [name for name in names if name in ("date", "time", "ticker")]
    if taken:
        raise ValueError(f"Rename the column {taken[0]}: the audit calls the column {date} or {ticker} so.")
    return names if returns is None else [*names, returns]


def _as_json(name: str, value: Mapping[str, Any]) -> str:
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} cannot be sent as JSON: {error}") from None


def _added(report: Mapping[str, Any], with_: Sequence[str]) -> dict[str, str]:
    """The columns that an audit adds, and what they contain."""
    if not isinstance(report.get("columns"), list):
        raise AnswerError("The answer is not the report of an audit.")
    kinds = {"state": "text", "known": "number", "days": "whole"}
    extras = {"filing": "text", "filed": "day", "end": "day"}
    endings = {**kinds, **{ending: extras[ending] for ending in with_ if ending in extras}}
    return {f"{column['name']}_{ending}": kind for column in report["columns"] for ending, kind in endings.items()}
