"""Batches: many backtests in one request, whose answer has a line for each as it ends, and a summary as the last line."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, NoReturn, TypeVar

from ._backtest import BacktestResult, backtest_body, factor_columns, named_columns, panel_columns, ranks_by_score, uses_groups
from ._connection import Connection
from ._frames import Frames
from ._progress import Progress, bar
from ._transport import Transport, chunks
from .errors import AnswerError, ApiError, BatchCutOff, TransportError, api_error

F = TypeVar("F")

_path = "/api/v1/backtests/batch"


@dataclass(frozen=True)
class BatchOutcome(Generic[F]):
    """How one backtest of a batch ended: with a result, or with the error of a single request."""

    index: int
    """Of the backtest in `configs` or `items`, from 0."""
    result: BacktestResult[F] | None
    """Its `verdict` counts the batch."""
    deflated_sharpe: Mapping[str, Any] | None
    """The Sharpe ratio, corrected for the number of backtests in the batch."""
    error: ApiError | None


class BacktestBatch(Generic[F]):
    """An iterator of outcomes in order of completion. `all()` waits for the rest, and has them in the order of `configs` or `items`."""

    summary: Mapping[str, Any] | None
    """The last line: `count`, `failed` and `best`. None until every backtest has ended."""

    def __init__(self, transport: Transport, frames: Frames, body: bytes, progress: Progress) -> None:
        # It changes nothing on the server, so it may be sent again until its answer begins.
        self._response = transport.stream_post(_path, body, "application/json")
        self._frames = frames
        self._ended: dict[int, BatchOutcome[F]] = {}
        self._rest = self._read(progress)
        self.summary = None

    def __repr__(self) -> str:
        return f"BacktestBatch({len(self._ended)} ended, {'complete' if self.summary is not None else 'not complete'})"

    def __iter__(self) -> Iterator[BatchOutcome[F]]:
        return self

    def __next__(self) -> BatchOutcome[F]:
        return next(self._rest)

    def __enter__(self) -> BacktestBatch[F]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection, which cancels the backtests that have not ended."""
        self._rest.close()
        self._response.close()

    @property
    def ended(self) -> list[BatchOutcome[F]]:
        """Those that have ended so far, also where the batch was cut off, in the order of `configs` or `items`."""
        return [self._ended[index] for index in sorted(self._ended)]

    def all(self) -> list[BatchOutcome[F]]:
        """Waits for every backtest: their outcomes in the order of `configs` or `items`."""
        for _ in self:
            pass
        if self.summary is None:
            raise BatchCutOff(f"The batch was closed after {len(self._ended)} backtests.")
        return self.ended

    def _read(self, progress: Progress) -> Generator[BatchOutcome[F], None, None]:
        with self._response, bar(progress, "batch", None, unit="backtest") as move:
            for line in self._lines():
                if self.summary is not None:
                    raise AnswerError("The batch goes on after its summary.")
                kind, size = line.get("object"), line.get("batch_size")
                if kind in ("batch_result", "batch_error"):
                    outcome = self._outcome(line)
                    if outcome.index in self._ended:
                        raise AnswerError(f"The batch answers backtest {outcome.index} twice.")
                    self._ended[outcome.index] = outcome
                    move.to(len(self._ended), size)
                    yield outcome
                elif kind == "batch_summary":
                    if len(self._ended) != size:
                        raise AnswerError(f"The batch ends with {len(self._ended)} of {size} backtests.")
                    self.summary = line
                elif kind == "batch_progress":
                    move.to(int(line["done"]), size)
                else:
                    raise AnswerError("The answer is not a batch. Is base_url the address of asfiled?")
            if self.summary is None:
                self._cut_off("Its last line is missing.")

    def _lines(self) -> Iterator[Mapping[str, Any]]:
        left = b""
        try:
            for chunk in chunks(self._response):
                *whole, left = (left + chunk).split(b"\n") if b"\n" in chunk else (left + chunk,)
                yield from map(_object, whole)
        except TransportError as broken:
            self._cut_off(str(broken))
        if left:
            # A line that has no end was cut off within.
            self._cut_off("Its last line is not complete.")

    def _cut_off(self, why: str) -> NoReturn:
        raise BatchCutOff(f"The batch was cut off after {len(self._ended)} backtests, which `ended` has. {why} Send the others again.")

    def _outcome(self, line: Mapping[str, Any]) -> BatchOutcome[F]:
        index = int(line["index"])
        if line["object"] == "batch_error":
            return BatchOutcome(index, None, None, api_error(line["error"], 200))
        result: BacktestResult[F] = BacktestResult(line["result"], self._frames, _no_report)
        return BatchOutcome(index, result, line["deflated_sharpe"], None)


class Batches(Connection[F]):
    """What `Client` has for batches."""

    def backtest_batch(
        self,
        frame: object = None,
        *,
        configs: Sequence[Mapping[str, Any]] | None = None,
        items: Sequence[Mapping[str, Any]] | None = None,
        columns: Mapping[str, str] | None = None,
        source: Mapping[str, Any] | None = None,
        panel: str | None = None,
        include: Sequence[str] | None = None,
        benchmark: Mapping[str, Any] | None = None,
        trials_already_tried: int | None = None,
        factors: Any = None,
        prices: Mapping[str, Any] | None = None,
        score: Mapping[str, Any] | None = None,
        data_version: int | None = None,
        progress: Progress = True,
    ) -> BacktestBatch[F]:
        """Up to 500 backtests in one request: an iterator of outcomes in order of completion. Needs the quant plan.

        One that fails does not stop the others: its outcome has the error. Every verdict counts the whole batch. An answer that ends
        before its summary raises BatchCutOff.

        :param configs: configurations to run on the same rows: those of `frame`, of a stored `panel`, or of `source`
        :param items: instead, backtests with rows of their own, like {"panel": id, "config": {...}}
        :param columns: what your frame calls its columns, as in `backtest`
        :param score: with `frame` or `panel`, as in `backtest`; an item has its own
        """
        if (configs is None) == (items is None):
            raise ValueError("Send configs, for one set of rows, or items, each with rows of its own.")
        if items is not None and frame is not None:
            raise ValueError("Items name their rows. Store the frame with store_panel, and name its id as their panel.")
        given = [name for name, value in (("frame", frame), ("source", source), ("panel", panel)) if value is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} both name rows. Send one of them.")
        if columns is not None and frame is None:
            raise ValueError("columns names columns of a frame, and there is none.")
        rows = None
        if frame is not None:
            rows = panel_columns(
                frame,
                columns or {},
                scored="asOf" in (score or {}) or not any(ranks_by_score(config, None) for config in configs or ()),
                own=tuple(dict.fromkeys(name for config in configs or () for name in named_columns(config, None))),
                grouped=any(uses_groups(config, include) for config in configs or ()),
                priced=prices is not None,
            )
        body = backtest_body(
            {
                **{"panel": panel if rows is None else rows, "source": source, "benchmark": benchmark, "prices": prices},
                "configs": None if configs is None else list(configs),
                "items": None if items is None else list(items),
                "include": None if include is None else list(include),
                "factors": None if factors is None else factor_columns(factors),
                "score": None if score is None else dict(score),
                **{"trials_already_tried": trials_already_tried, "data_version": data_version},
            }
        )
        return BacktestBatch(self._transport, self._frames, body, progress)


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise AnswerError("A line of the batch is not a JSON object.")
    return found


def _no_report() -> bytes:
    raise ValueError("A batch has no reports. backtest() with the same configuration has one; its verdict does not count the batch.")
