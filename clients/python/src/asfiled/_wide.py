"""Wide matrices, a row a date and a column a ticker, as the rows of a backtest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ._frames import day_texts, frames_of

T = TypeVar("T")


@dataclass(frozen=True)
class Matrix:
    """A wide frame: for each ticker its cells in the order of `dates`."""

    name: str
    dates: Mapping[str, int]
    """The row of each date."""
    cells: Mapping[str, Sequence[float | None]]

    def rows(self, dates: Sequence[str], tickers: Sequence[str]) -> Iterator[tuple[float | None, ...]]:
        """For each date its cells in the order of `tickers`; None where there is no such row or column."""
        places = [self.dates.get(day) for day in dates]
        columns = [self.cells.get(ticker) for ticker in tickers]
        found = (
            [None] * len(places) if column is None else [None if row is None else column[row] for row in places]
            for column in columns
        )
        return zip(*found)


def wide_panel(
    scores: T,
    *,
    forward_returns: Any = None,
    closes: Any = None,
    dollar_volume: Any = None,
    market: str | Mapping[str, str] | None = None,
    date: str = "date",
) -> T:
    """The rows of a backtest from wide frames, of pandas or Polars: `client.backtest(wide_panel(scores, closes=closes))`.

    Each frame has a row a date and a column a ticker. The dates are the index of a pandas frame, or its column `date`; in Polars they are
    the column `date`. Cells are matched by their labels, never by their place.

    The result has the columns date, asset, score, forward_return or close, dollar_volume and market, sorted by date, without cells that
    have neither a score nor an outcome. Tickers without scores stay, because they count in the universe that a backtest compares with.

    :param scores: what was known on its date. A missing score is not ranked
    :param forward_returns: the return that begins on the date, as a fraction; every date of `scores` has a row here
    :param closes: closes adjusted for splits and dividends, from which the server computes the returns: by default the score of a date is
        traded at the next close. Every date of `scores` has a row here; dates before the first score are left out, later ones stay
    :param dollar_volume: traded amounts, for costs and capacity
    :param market: the market of all tickers, like "US", or of each by ticker: trading costs depend on it
    :param date: what frames with a column of dates call it
    """
    if forward_returns is not None and closes is not None:
        raise ValueError("Send forward_returns or closes: the returns of a backtest come from one of them.")
    ranked = _matrix("scores", scores, date)
    outcome_name, outcome = "forward_return", None
    if forward_returns is not None:
        outcome = _matrix("forward_returns", forward_returns, date)
    elif closes is not None:
        outcome_name, outcome = "close", _matrix("closes", closes, date)
    volumes = None if dollar_volume is None else _matrix("dollar_volume", dollar_volume, date)
    for other in (outcome, volumes):
        if other is not None:
            _require_labels(ranked, other)
    dates = sorted(ranked.dates)
    if closes is not None and outcome is not None:
        dates = sorted(day for day in outcome.dates if day >= dates[0])
    tickers = list(dict.fromkeys([*ranked.cells, *(() if outcome is None else outcome.cells)]))
    read = {"score": ranked}
    if outcome is not None:
        read[outcome_name] = outcome
    if volumes is not None:
        read["dollar_volume"] = volumes
    panel: dict[str, list[Any]] = {name: [] for name in ("date", "asset", *read)}
    # Of a row: the ticker, the score, and the outcome if there is one.
    last = 1 if outcome is None else 2
    for day, *cells in zip(dates, *(matrix.rows(dates, tickers) for matrix in read.values())):
        kept = [row for row in zip(tickers, *cells) if row[1] is not None or row[last] is not None]
        panel["date"] += [day] * len(kept)
        for name, column in zip(("asset", *read), zip(*kept)):
            panel[name] += column
    if not panel["date"]:
        raise ValueError("The frames have no values.")
    if market is not None:
        panel["market"] = _markets(market, panel["asset"])
    frames = frames_of(scores)
    numbers = {name: "number" for name in panel if name not in ("date", "asset", "market")}
    rows: T = frames.typed(frames.make(panel, ["date"]), numbers)
    return rows


def _markets(market: str | Mapping[str, str], tickers: Sequence[str]) -> list[str]:
    if isinstance(market, str):
        return [market] * len(tickers)
    missing = next((ticker for ticker in tickers if ticker not in market), None)
    if missing is not None:
        raise ValueError(f"market names none for {missing}. Name the market of every ticker.")
    return [market[ticker] for ticker in tickers]


def _matrix(name: str, frame: Any, date: str) -> Matrix:
    frames = frames_of(frame)
    labels = list(frame.columns)
    if date in labels:
        labels.remove(date)
        days = frames.days(frame, date)
    elif hasattr(frame, "index"):
        days = day_texts(f"{name}.index", frame.index.tolist())
    else:
        raise ValueError(f"{name} has no column {date}. A wide frame of Polars has its dates there.")
    wrong = next((label for label in labels if not isinstance(label, str)), None)
    if wrong is not None:
        raise ValueError(f"{name} has a column {wrong!r}. Columns are tickers, which are texts; select one field of several.")
    for kind, repeated in (("date", _repeated(days)), ("ticker", _repeated(labels))):
        if repeated is not None:
            raise ValueError(f"{name} has the {kind} {repeated} more than once.")
    if not days or not labels:
        raise ValueError(f"{name} has no dates or no tickers.")
    numbers = set(frames.number_columns(frame))
    for label in labels:
        if label not in numbers and frame[label].count() > 0:
            raise ValueError(f"{name} has a column {label} of {frame[label].dtype}, not of numbers. Convert it, for example to float64.")
    cells = {label: _numbers(frames, frame, name, label, label in numbers) for label in labels}
    return Matrix(name, {day: row for row, day in enumerate(days)}, cells)


def _numbers(frames: Any, frame: Any, name: str, label: str, has_numbers: bool) -> Sequence[float | None]:
    if not has_numbers:
        return [None] * len(frame)
    try:
        numbers: list[float | None] = frames.numbers(frame, label)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return [None if value != value else value for value in numbers]


def _repeated(labels: Sequence[str]) -> str | None:
    return next((label for label, count in Counter(labels).items() if count > 1), None)


def _require_labels(scores: Matrix, other: Matrix) -> None:
    """Labels that differ would leave names without an outcome, and the backtest would be one of the others."""
    missing = sorted(day for day in scores.dates if day not in other.dates)
    if missing:
        raise ValueError(
            f"{other.name} has no row for {missing[0]}, a date of scores ({len(missing)} such dates). Give it a row for each date of scores."
        )
    if not any(ticker in other.cells for ticker in scores.cells):
        raise ValueError(f"{other.name} has none of the tickers of scores.")
