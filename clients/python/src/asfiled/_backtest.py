"""Backtests: the body from a frame, submitted jobs and their progress, results."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from ._frames import Frames, frames_of, require_columns
from ._index import flat
from ._jobs import wait_for_end
from ._progress import Progress
from ._reply import parse_json
from ._transport import Transport
from .errors import BacktestCancelled, api_error

F = TypeVar("F")

_json = "application/json"
_needed = ("date", "asset", "score", "forward_return")
_texts = ("asset", "market", "group")
_optional = ("market", "dollar_volume", "group")
# In place of forward_return and of config.borrowBps: another column of a frame may have these names.
_in_place = ("close", "borrow_bps")


def named_columns(config: Mapping[str, Any] | None, scores: Sequence[str] | None) -> tuple[str, ...]:
    """The columns of numbers that the settings name beside those of every panel."""
    settings = config or {}
    named = [
        *(settings.get("neutralise") or {}).get("columns", ()),
        *(settings.get("rankBy") or {}).get("columns", ()),
        *(scores or ()),
    ]
    return tuple(name for name in dict.fromkeys(named) if name not in _needed + _optional)


def uses_groups(config: Mapping[str, Any] | None, include: Sequence[str] | None) -> bool:
    """Whether the column `group` of a frame is sent: another column may have that name."""
    settings = config or {}
    demeaned = (settings.get("neutralise") or {}).get("demean", ())
    return settings.get("neutral") == "group" or "group" in demeaned or "by_group" in (include or ())


def ranks_by_score(config: Mapping[str, Any] | None, scores: Sequence[str] | None) -> bool:
    """Whether the column `score` ranks the names, alone or with others."""
    ranked = scores or ((config or {}).get("rankBy") or {}).get("columns") or ["score"]
    return "score" in ranked


def panel_columns(
    frame: Any,
    columns: Mapping[str, str],
    *,
    scored: bool,
    own: Sequence[str] = (),
    grouped: bool = False,
    priced: bool = False,
) -> dict[str, list[Any]]:
    """The columns of a caller's frame by the names of the API. `columns` says what the frame calls them.

    :param scored: the frame needs no column score
    :param own: columns of numbers that the settings name
    :param grouped: the settings use the column group
    :param priced: a price set gives the returns, so the frame needs no column forward_return
    :returns: with `close` in place of `forward_return` where the frame has only that
    """
    known = (*_needed, *_optional, *_in_place, *own)
    wrong = [name for name in columns if name not in known]
    if wrong:
        raise ValueError(f"columns names {', '.join(wrong)}. A panel has {', '.join(known)}.")
    names = {name: columns.get(name, name) for name in known}
    frame = flat(frame, [names["date"], names["asset"]])
    frames = frames_of(frame)
    present = list(frame.columns)
    # Closes give the returns where columns names them, or where there are no returns.
    closes = "close" in columns or (
        not priced and "close" not in own and names["forward_return"] not in present and "close" in present
    )
    unneeded = {*(["score"] if scored else []), *(["forward_return"] if priced or closes else [])}
    needed = [name for name in _needed if name not in unneeded]
    require_columns(frame.columns, [names[name] for name in needed])
    panel: dict[str, list[Any]] = {}
    found = [name for name in list(frame.columns) if name != "group" or grouped]
    sent = [name for name in _optional if name in columns or name in found]
    sent += [name for name in _in_place if name in columns or (closes and name == "close")]
    for name in dict.fromkeys([*needed, *sent, *own]):
        require_columns(frame.columns, [names[name]])
        read = frames.days if name == "date" else frames.texts if name in _texts else frames.numbers
        panel[name] = list(read(frame, names[name]))
    return panel


def factor_columns(factors: Any) -> Mapping[str, Any]:
    """The field `factors` of a request, from the path of a file, a frame or a mapping as the API has it.

    A frame has the column `date`; RF, if it has one, is the risk-free return, and every other column of numbers is a factor.
    Months are at their last day. A day as the index of a pandas frame counts as that column.
    """
    if isinstance(factors, (str, os.PathLike)):
        return {"file": Path(factors).read_text(encoding="utf-8-sig")}
    if isinstance(factors, Mapping):
        return factors
    frame = factors
    if "date" not in list(frame.columns) and hasattr(frame, "rename_axis"):
        index = frame.index.to_timestamp(how="end").normalize() if hasattr(frame.index, "to_timestamp") else frame.index
        frame = frame.set_axis(index).rename_axis("date").reset_index()
    frames = frames_of(frame)
    require_columns(frame.columns, ["date"])
    names = [str(name) for name in frames.number_columns(frame) if name != "date"]
    values = {name: list(frames.numbers(frame, name)) for name in names}
    found: dict[str, Any] = {
        "date": list(frames.days(frame, "date")),
        "returns": {name: numbers for name, numbers in values.items() if name.lower() != "rf"},
    }
    for name, numbers in values.items():
        if name.lower() == "rf":
            found["rf"] = numbers
    return found


def backtest_body(fields: Mapping[str, Any]) -> bytes:
    return json.dumps(
        {name: value for name, value in fields.items() if value is not None},
        allow_nan=False,
        separators=(",", ":"),
    ).encode()


class BacktestResult(Generic[F]):
    """What a backtest found. `result` is the server's answer as it is; the rest are parts of it."""

    def __init__(self, result: Mapping[str, Any], frames: Frames, report: Callable[[], bytes]) -> None:
        self.result = result
        self._frames = frames
        self._report = report

    def __repr__(self) -> str:
        sharpe = self.metrics.get("sharpe")
        level = self.result.get("verdict", {}).get("level")
        return f"BacktestResult(n_periods={self.result.get('n_periods')}, sharpe={sharpe}, verdict={level!r})"

    @property
    def metrics(self) -> Mapping[str, Any]:
        metrics: Mapping[str, Any] = self.result["metrics"]
        return metrics

    @property
    def request(self) -> Mapping[str, Any]:
        """What gives this result again, to the bit, whatever is imported meanwhile: `client.backtest(**result.request)`.

        For rows of your own add the frame: `client.backtest(frame, columns=..., **result.request)`.
        """
        request: Mapping[str, Any] = self.result["request"]
        return request

    @property
    def warnings(self) -> list[str]:
        """What makes the result doubtful. Read them before the Sharpe ratio."""
        return [str(warning["message"]) for warning in self.result.get("warnings", [])]

    @property
    def verdict(self) -> Mapping[str, Any]:
        """Whether the record is more than luck would explain: `level` (strong, weak, none or withheld), `benchmark`, `reasons`."""
        found: Mapping[str, Any] = self.result["verdict"]
        return found

    @property
    def deflated_sharpe(self) -> Mapping[str, Any] | None:
        """Of a sweep: the Sharpe ratio of its winner, corrected for the number of things tried. None without a sweep."""
        found: Mapping[str, Any] | None = self.result.get("deflated_sharpe")
        return found

    @property
    def comparison(self) -> Mapping[str, Any] | None:
        """With `compare`: the same backtest by other vintages of the metric (`variants`), and what they change (`differences`)."""
        found: Mapping[str, Any] | None = self.result.get("compare")
        return found

    @property
    def scores(self) -> Mapping[str, Any] | None:
        """With `scores`: each column alone and combined (`variants`), their `correlation`, and the `weights` by date."""
        found: Mapping[str, Any] | None = self.result.get("scores")
        return found

    @property
    def factors(self) -> Mapping[str, Any] | None:
        """With `factors`: alpha, betas with t values, what remains (`residual`) and its verdict. None without."""
        found: Mapping[str, Any] | None = self.result.get("factors")
        return found

    @property
    def rolling_betas(self) -> F:
        """With `factors`: `date`, `alpha_annual` and the beta to each factor, over moving windows; empty where the record is too short."""
        rolling = (self.factors or {}).get("rolling") or {"dates": [], "alpha_annual": [], "betas": []}
        columns: dict[str, Sequence[Any]] = {"date": rolling["dates"], "alpha_annual": rolling["alpha_annual"]}
        for beta in rolling["betas"]:
            columns[beta["factor"]] = beta["values"]
        return self._frame(columns, ["date"])

    @property
    def curve(self) -> F:
        """`date` and `net`; with include=["curves"] also `gross` and `universe`."""
        dates = self.result["equity_dates"]
        columns = {"date": dates, "net": _as_long(self.result["equity_curve"], dates)}
        curves = self.result.get("curves", {})
        for name in ("gross", "universe"):
            if name in curves:
                columns[name] = _as_long(curves[name], dates)
        return self._frame(columns, ["date"])

    @property
    def folds(self) -> F:
        """The walk-forward folds, a row each."""
        rows = self.result["folds"]
        days = ["train_start", "train_end", "test_start", "test_end"]
        return self._frame(_columns(rows), days if rows else [])

    @property
    def trials(self) -> F:
        """Every configuration of a sweep, in grid order."""
        return self._frame(_columns(self.result.get("trials", [])), [])

    def save_report(self, path: str | os.PathLike[str]) -> Path:
        """Writes the report as one HTML page that needs nothing else."""
        target = Path(path)
        target.write_bytes(self._report())
        return target

    def _frame(self, columns: Mapping[str, Sequence[Any]], days: Sequence[str]) -> F:
        frame: F = self._frames.note(
            self._frames.make(columns, days),
            {"data_version": self.request.get("data_version"), "source": "/api/v1/backtest"},
        )
        return frame


class BacktestJob(Generic[F]):
    """A backtest that the server has stored and runs, also when this program ends."""

    def __init__(self, transport: Transport, frames: Frames, summary: Mapping[str, Any]) -> None:
        self._transport = transport
        self._frames = frames
        self.summary = summary

    def __repr__(self) -> str:
        return f"BacktestJob({self.id!r}, {self.state!r})"

    @property
    def id(self) -> str:
        return str(self.summary["id"])

    @property
    def state(self) -> str:
        """queued, running, succeeded, failed or cancelled, as of the latest `refresh`."""
        return str(self.summary["state"])

    @property
    def _path(self) -> str:
        return f"/api/v1/backtests/{self.id}"

    def refresh(self) -> BacktestJob[F]:
        self.summary = parse_json(self._transport.get(self._path).body)
        return self

    def cancel(self) -> None:
        self._transport.delete(self._path)

    def wait(self, progress: Progress = True, timeout: float | None = None) -> BacktestResult[F]:
        """Waits for the end, with a bar of its trials. Fails as the request itself would have.

        :param timeout: seconds after which TimeoutError is raised; the backtest goes on
        """
        wait_for_end(
            self.summary,
            lambda: self.refresh().summary,
            noun="backtest",
            unit="trial",
            progress=progress,
            max_wait=timeout,
        )
        return self.result()

    def result(self) -> BacktestResult[F]:
        """The result of a backtest that has ended."""
        if self.state == "failed":
            raise api_error(self.summary["error"], 200)
        if self.state == "cancelled":
            raise BacktestCancelled(f"Backtest {self.id} was cancelled.")
        if self.summary.get("result") is None:
            self.refresh()
        if self.summary.get("result") is None:
            raise ValueError(f"Backtest {self.id} is {self.state}. wait() waits for its end.")
        return BacktestResult(
            self.summary["result"],
            self._frames,
            lambda: self._transport.get(self._path, {"format": "html"}, cached=False).body,
        )


def submit(transport: Transport, frames: Frames, body: bytes) -> BacktestJob[Any]:
    headers = {"Prefer": "respond-async", "Idempotency-Key": str(uuid.uuid4())}
    reply = transport.post("/api/v1/backtest", body, _json, headers=headers, repeatable=True)
    return BacktestJob(transport, frames, parse_json(reply.body))


def run(transport: Transport, frames: Frames, body: bytes) -> BacktestResult[Any]:
    """In one request. It is sent again under one Idempotency-Key, so a broken connection costs no second run."""

    def post(form: str) -> bytes:
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return transport.post(
            "/api/v1/backtest", body, _json, {"format": form}, headers=headers, repeatable=True
        ).body

    return BacktestResult(parse_json(post("json")), frames, lambda: post("html"))


def _as_long(values: Sequence[Any], dates: Sequence[str]) -> list[Any]:
    """A curve ends where its money is lost; the rest of its days have no value."""
    return [*values, *[None] * (len(dates) - len(values))]


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
