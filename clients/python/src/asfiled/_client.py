"""The client: one method for each thing that the server offers, all as frames."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload
from urllib.parse import quote

from ._answer import answer_of
from ._audit import AuditResult, audit
from ._backtest import (
    BacktestJob,
    BacktestResult,
    backtest_body,
    factor_columns,
    named_columns,
    panel_columns,
    ranks_by_score,
    run,
    submit,
    uses_groups,
)
from ._batch import Batches
from ._bulk import Bulk
from ._changes import ChangeFeed
from ._figures import Day, Figures
from ._frames import FrameName, day_text, frames_named, frames_of
from ._prices import Prices
from ._progress import Progress
from ._reply import parse_json
from ._rows import parameters
from ._transport import Transport

if TYPE_CHECKING:
    import pandas
    import polars

F = TypeVar("F")
T = TypeVar("T")

# A backtest of more rows, or a sweep, is submitted as a job: it may take longer than one request is allowed to.
_rows_of_a_job = 100_000


class Client(Figures[F], Prices[F], Batches[F]):
    """A connection to asfiled.

    :param key: by default that of ASFILED_KEY, else the demo key
    :param base_url: by default that of ASFILED_URL, else http://127.0.0.1:3000
    :param frame: the library of the frames that come back: pandas (with pyarrow) or polars
    :param timeout: seconds without a byte of the server
    :param retries: how often a GET or a repeatable POST is sent again
    :param max_wait: seconds that all waits of one call may take together, those of Retry-After included
    :param cache: a folder that keeps answers for the next program; without it they are remembered in memory. Each is used again
        only after the server has said that it has not changed, so what a key may not see any more it does not get
    :param cache_mb: bound of these answers, by default 32 MB in memory and 512 MB in a folder
    """

    @overload
    def __init__(
        self: Client[pandas.DataFrame],
        key: str | None = None,
        base_url: str | None = None,
        *,
        frame: Literal["pandas"] = "pandas",
        timeout: float = 120.0,
        retries: int = 5,
        max_wait: float = 120.0,
        cache: str | os.PathLike[str] | None = None,
        cache_mb: float | None = None,
    ) -> None: ...

    @overload
    def __init__(
        self: Client[polars.DataFrame],
        key: str | None = None,
        base_url: str | None = None,
        *,
        frame: Literal["polars"],
        timeout: float = 120.0,
        retries: int = 5,
        max_wait: float = 120.0,
        cache: str | os.PathLike[str] | None = None,
        cache_mb: float | None = None,
    ) -> None: ...

    def __init__(
        self,
        key: str | None = None,
        base_url: str | None = None,
        *,
        frame: FrameName = "pandas",
        timeout: float = 120.0,
        retries: int = 5,
        max_wait: float = 120.0,
        cache: str | os.PathLike[str] | None = None,
        cache_mb: float | None = None,
    ) -> None:
        transport = Transport(
            key if key is not None else os.environ.get("ASFILED_KEY") or "demo",
            base_url if base_url is not None else os.environ.get("ASFILED_URL") or "http://127.0.0.1:3000",
            timeout=timeout,
            retries=retries,
            max_wait=max_wait,
            cache_bytes=int((cache_mb if cache_mb is not None else 32 if cache is None else 512) * 1_048_576),
            cache_folder=cache,
        )
        super().__init__(transport, frames_named(frame))

    # Audits

    def audit(
        self,
        frame: T,
        *,
        columns: Mapping[str, str | Mapping[str, Any]] | None = None,
        date: str = "date",
        time: str | None = None,
        ticker: str = "ticker",
        inclusive: bool = False,
        max_age_days: int | None = None,
        with_: Sequence[Literal["filing", "filed", "end"]] = (),
        forward_return: str | None = None,
        config: Mapping[str, Any] | None = None,
        data_version: int | None = None,
        progress: Progress = True,
    ) -> AuditResult[T, F]:
        """Says of each value of your frame, of pandas or Polars, whether it could have been known on the date of its row.

        Each gets the first state that applies: known, rounded, announced, stale, restated, early, other_company, no_match,
        not_covered. `result.rows` is the frame with the states and the corrected columns; `result.report` counts them. More
        than 200,000 rows run as a job, with a bar.

        :param columns: what columns contain, like {"sales": "revenue", "eps": {"metric": "eps_diluted", "fp": "TTM"}}; by
            default all columns of numbers are audited, and what they contain is found from their names and values
        :param date, ticker: what your frame calls these columns
        :param time: instead of `date`, a column of times with a zone: what was public by then is known
        :param inclusive: what was filed on the date itself is known, too
        :param max_age_days: figures of older periods are not known any more
        :param with_: also the columns <column>_filing, <column>_filed and <column>_end
        :param forward_return: the column of returns, by default `forward_return` if there is one: `result.premium` then says
            what looking ahead would have earned. Needs the quant plan
        :param config: the backtest of the premium, as the API has it
        """
        result: AuditResult[T, F] = audit(
            self._transport,
            frames_of(frame),
            self._frames,
            frame,
            columns=columns,
            date=date if time is None else time,
            ticker=ticker,
            has_times=time is not None,
            inclusive=inclusive,
            max_age_days=max_age_days,
            with_=with_,
            forward_return=forward_return,
            config=config,
            data_version=data_version,
            progress=progress,
        )
        source = f"{self._transport.base_url}/api/v1/audits"
        self.last = replace(answer_of(result.report), source=source)
        frames_of(frame).note(result.rows, self.last.as_dict())
        self._warn_unknown("are not covered", self.last)
        return result

    # Backtests

    def backtest(
        self,
        frame: object = None,
        *,
        columns: Mapping[str, str] | None = None,
        source: Mapping[str, Any] | None = None,
        panel: str | None = None,
        score: Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        sweep: bool | Mapping[str, Any] | None = None,
        include: Sequence[str] | None = None,
        evidence: Mapping[str, Any] | None = None,
        compare: Sequence[str] | None = None,
        scores: Sequence[str] | None = None,
        trials_already_tried: int | None = None,
        factors: Any = None,
        prices: Mapping[str, Any] | None = None,
        data_version: int | None = None,
        job: bool | None = None,
        progress: Progress = True,
    ) -> BacktestResult[F]:
        """Ranks names on each date, holds the best against the worst and charges costs. Needs the quant plan.

        :param frame: your rows: date, asset, score, forward_return or close, and if you like market and dollar_volume. `wide_panel` makes
            them of matrices
        :param columns: what your frame calls them, like {"asset": "ticker", "score": "predicted_pct"}
        :param source: instead of rows, the archive of the server, like {"market": "US", "horizon": "1d"}
        :param panel: instead of rows, the id of a stored panel
        :param score: instead of a column score, a metric as of each date, like {"asOf": "roe"}; or, for scores of your own, the group and state
            of each name before the date, like {"group": "ff49"}
        :param config, sweep, include, evidence: as the API has them
        :param compare: with a metric as the score, vintages to compare, like ["as_known", "first_filed", "final"]
        :param scores: columns of numbers in your frame that are tried as scores, each alone and combined, as trials
        :param trials_already_tried: configurations you tried before this one; they count in the verdict
        :param factors: what may explain the record: the path of a file of Kenneth French's library as downloaded, or of CSV; a
            frame with the column date, factors and RF, as fractions; or a mapping as the API has it
        :param prices: a price set that gives the returns, which the frame then need not have: `{"set": "prices", "horizon": 5}`
        :param job: submit and wait with a bar; by default for sweeps and more than 100,000 rows
        """
        body, rows = self._backtest_body(
            frame,
            columns,
            source,
            panel,
            score,
            config,
            sweep,
            include,
            evidence,
            compare,
            scores,
            trials_already_tried,
            factors,
            prices,
            data_version,
        )
        if job is None:
            job = bool(sweep) or bool(scores) or rows > _rows_of_a_job
        if not job:
            return run(self._transport, self._frames, body)
        submitted: BacktestJob[F] = submit(self._transport, self._frames, body)
        try:
            return submitted.wait(progress)
        except KeyboardInterrupt:
            # Nothing has its id, so it would only use the server.
            submitted.cancel()
            raise

    def submit_backtest(
        self,
        frame: object = None,
        *,
        columns: Mapping[str, str] | None = None,
        source: Mapping[str, Any] | None = None,
        panel: str | None = None,
        score: Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        sweep: bool | Mapping[str, Any] | None = None,
        include: Sequence[str] | None = None,
        evidence: Mapping[str, Any] | None = None,
        compare: Sequence[str] | None = None,
        scores: Sequence[str] | None = None,
        trials_already_tried: int | None = None,
        factors: Any = None,
        prices: Mapping[str, Any] | None = None,
        data_version: int | None = None,
    ) -> BacktestJob[F]:
        """The same without waiting: the server runs it, also when this program ends."""
        body, _ = self._backtest_body(
            frame,
            columns,
            source,
            panel,
            score,
            config,
            sweep,
            include,
            evidence,
            compare,
            scores,
            trials_already_tried,
            factors,
            prices,
            data_version,
        )
        return submit(self._transport, self._frames, body)

    def backtest_job(self, id: str) -> BacktestJob[F]:
        """A backtest that was submitted before, by this program or another one with the same key."""
        return BacktestJob(self._transport, self._frames, self.get(f"/api/v1/backtests/{id}"))

    # Stored panels

    def store_panel(
        self, frame: object, *, columns: Mapping[str, str] | None = None, own: Sequence[str] = (), grouped: bool = False
    ) -> dict[str, Any]:
        """Stores the rows of a backtest once: `backtest(panel=stored["id"])` then uses them. Needs the quant plan.

        Equal rows are stored once. The answer says when they are deleted: 30 days after their last use.

        :param columns: what your frame calls date, asset, score and the others, like {"asset": "ticker"}
        :param own: further columns of numbers, which settings of a backtest may name; with any, a score is not needed
        :param grouped: also the column group
        """
        named = columns or {}
        unscored = bool(own) and named.get("score", "score") not in list(getattr(frame, "columns", ()))
        rows = panel_columns(frame, named, scored=unscored, own=own, grouped=grouped)
        reply = self._transport.post(
            "/api/v1/panels",
            backtest_body({"panel": rows}),
            "application/json",
            parameters({"columns": list(own) or None}),
            repeatable=True,
        )
        return parse_json(reply.body)

    def panels(self) -> F:
        """The stored panels of the key, the newest first: a row each, with `id`, sizes and times."""
        path = "/api/v1/panels"
        listed: list[dict[str, Any]] = self.get(path)["data"]
        texts, counts = ("id", "created_at", "expires_at"), ("n_rows", "n_dates", "n_assets", "bytes")
        made = self._frames.make({name: [row[name] for row in listed] for name in (*texts, *counts)})
        self.last = replace(self.last, source=self._transport.base_url + path)
        return self._told(self._frames.typed(made, dict.fromkeys(texts, "text")))

    def delete_panel(self, id: str) -> None:
        """Deletes a stored panel of the key."""
        self._transport.delete(f"/api/v1/panels/{quote(id, safe='')}")

    # The store as a whole

    @property
    def bulk(self) -> Bulk[F]:
        """Whole releases as files: `bulk.sync(folder)`."""
        return Bulk(self._transport, self._frames)

    def changes(
        self, since: int, since_day: Day | None = None, *, limit: int = 50_000, filings: bool = False
    ) -> ChangeFeed[F]:
        """What was added, ended, removed and renamed since a data version, a frame a page. Needs the licence Redistribution or OEM.

        :param since: `data_version` of a release, or of the feed that was read before
        :param since_day: `as_of` of the same; without it, what became due meanwhile may come twice
        :param limit: rows of a page
        :param filings: also a row `filing` for each filing that became known in full or was replaced, and `filing_removed`
        """
        day = None if since_day is None else day_text(since_day)
        params = parameters({"since_day": day, "limit": limit, "filings": "true" if filings else None})
        return ChangeFeed(self._transport, self._frames, since, params)

    def me(self) -> dict[str, Any]:
        """Licence, limits and what is left of them. It does not count."""
        return self.get("/api/v1/me")

    def _backtest_body(
        self,
        frame: object,
        columns: Mapping[str, str] | None,
        source: Mapping[str, Any] | None,
        panel: str | None,
        score: Mapping[str, Any] | None,
        config: Mapping[str, Any] | None,
        sweep: bool | Mapping[str, Any] | None,
        include: Sequence[str] | None,
        evidence: Mapping[str, Any] | None,
        compare: Sequence[str] | None,
        scores: Sequence[str] | None,
        trials_already_tried: int | None,
        factors: Any,
        prices: Mapping[str, Any] | None,
        data_version: int | None,
    ) -> tuple[bytes, int]:
        given = [name for name, value in (("frame", frame), ("source", source), ("panel", panel)) if value is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} both name rows. Send one of them.")
        if columns is not None and frame is None:
            raise ValueError("columns names columns of a frame, and there is none.")
        rows = None
        if frame is not None:
            unscored = "asOf" in (score or {}) or not ranks_by_score(config, scores)
            own, grouped = named_columns(config, scores), uses_groups(config, include)
            rows = panel_columns(
                frame, columns or {}, scored=unscored, own=own, grouped=grouped, priced=prices is not None
            )
        body = backtest_body(
            {
                **{"panel": panel if rows is None else rows, "source": source, "score": score, "config": config},
                **{"sweep": sweep, "include": None if include is None else list(include)},
                **{"evidence": evidence, "compare": None if compare is None else list(compare)},
                **{"scores": None if scores is None else list(scores), "trials_already_tried": trials_already_tried},
                **{"data_version": data_version},
                "factors": None if factors is None else factor_columns(factors),
                "prices": prices,
            }
        )
        return body, 0 if rows is None else len(rows["date"])
