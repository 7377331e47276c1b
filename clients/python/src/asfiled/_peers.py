"""Scores and forward returns as the frames that alphalens and vectorbt take, by the definitions of the server's backtests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ._frames import frames_of, require_columns

if TYPE_CHECKING:
    import pandas

Weighting = Literal["equal", "rank", "score"]

_weightings = ("equal", "rank", "score")
_returns_of = re.compile(r"forward_return(?:_(\d+))?")


def to_alphalens(
    frame: object,
    returns: Mapping[str, str] | None = None,
    *,
    date: str = "date",
    asset: str = "asset",
    score: str = "score",
    group: str | None = None,
    quantiles: int = 10,
) -> pandas.DataFrame:
    """Your rows as `alphalens.utils.get_clean_factor_and_forward_returns` makes them: by date and asset, for its tear sheets.

    `factor_quantile` is the score bucket of the server: of the `n` names with a score on a date, ordered by score and then by name,
    the one at place `j` (from 0) is in bucket `floor(j * quantiles / n) + 1`. Buckets are cut before rows without a return are
    left out, since whether a return exists is known later. `.attrs["asfiled"]` says how many rows were left out.

    :param frame: of pandas or Polars, such as one of `forward_returns`
    :param returns: columns of forward returns by the name that alphalens calls them, like {"5D": "forward_return_5"}; by default
        `forward_return` as 1D, and those of `forward_returns`
    :param group: a column of texts that becomes `group`; rows without one are left out
    :param quantiles: 10, as in the result of a backtest
    """
    if not 1 <= quantiles <= 1_000:
        raise ValueError(f"quantiles={quantiles} is not allowed. Send 1 to 1000.")
    present = [str(name) for name in getattr(frame, "columns", ())]
    named = _found_returns(present) if returns is None else dict(returns)
    if not named:
        raise ValueError("The frame has no column forward_return, and returns names none.")
    rows = _ranked(frame, date, asset, score, {**named}, group)
    scored = rows[rows["score"].notna()]
    within = scored.groupby("date", sort=False)["score"]
    quantile = within.cumcount() * quantiles // within.transform("size") + 1
    table = scored[["date", "asset", *named]].assign(factor=scored["score"])
    if group is not None:
        table["group"] = scored["group"].astype("category")
    table["factor_quantile"] = quantile.astype("int64")
    clean = table.dropna().set_index(["date", "asset"]).sort_index()
    clean.index = clean.index.remove_unused_levels()
    if len(clean) > 0:
        clean.index = clean.index.set_levels(_with_calendar(clean.index.levels[0]), level=0)
    clean.attrs["asfiled"] = {
        "rows_without_score": len(rows) - len(scored),
        "rows_without_return_or_group": len(scored) - len(clean),
    }
    return clean


@dataclass(frozen=True)
class VectorbtFrames:
    """Frames of one shape: a row a date, a column an asset. The last row ends the last return, and has no orders."""

    close: pandas.DataFrame
    """1 on the first date, then the running product of 1 + forward return. A name without a row or a return stays where it is."""
    weights: pandas.DataFrame
    """The signed share of the equity on each date; missing in the last row."""
    entries: pandas.DataFrame
    """A long position begins; of `exits` it ends, by the close of the date. In the last row nothing happens."""
    exits: pandas.DataFrame
    short_entries: pandas.DataFrame
    """The same of short positions."""
    short_exits: pandas.DataFrame

    def orders(self) -> dict[str, Any]:
        """What `vectorbt.Portfolio.from_orders` takes, so that one account holds the weights:

        >>> vbt.Portfolio.from_orders(**to_vectorbt(rows).orders()).total_return()
        """
        return {
            **{"close": self.close, "size": self.weights, "size_type": "targetpercent"},
            **{"group_by": True, "cash_sharing": True, "call_seq": "auto"},
        }


def to_vectorbt(
    frame: object,
    *,
    date: str = "date",
    asset: str = "asset",
    score: str = "score",
    forward_return: str = "forward_return",
    quantile: float = 0.1,
    weighting: Weighting = "equal",
    direction: Literal["long_short", "long_only"] = "long_short",
    gross: float = 1.0,
    hold_periods: int = 1,
) -> VectorbtFrames:
    """Your rows as prices, weights and signals by date and asset: the portfolio that `Client.backtest` forms of them, for vectorbt.

    Every date is a period, and a forward return has to last until the next date, wherever it begins. Then the total return of
    vectorbt without costs is that of the server, whose `costBps` and `borrowBps` are 0.

    :param quantile: share of the names of a date in each leg; legs, weights and tranches are those of docs/backtests.md
    :param hold_periods: `holdDays / returnDays` of the server: so many tranches are held at a time
    """
    import numpy as np
    import pandas as pd

    if not 0 < quantile <= 0.5 or not gross > 0 or hold_periods < 1:
        raise ValueError("quantile has to be above 0 and at most 0.5, gross above 0, and hold_periods at least 1.")
    if weighting not in _weightings or direction not in ("long_short", "long_only"):
        raise ValueError(f"weighting is one of {', '.join(_weightings)}, and direction long_short or long_only.")
    rows = _ranked(frame, date, asset, score, {"return": forward_return}, None)
    if len(rows) == 0:
        raise ValueError("The frame has no rows.")
    wide = rows.pivot(index="date", columns="asset", values="return").fillna(0.0)
    places = {name: at for at, name in enumerate(wide.columns)}
    targets = np.zeros(wide.shape)
    scored = rows[rows["score"].notna()]
    days = {day: at for at, day in enumerate(wide.index)}
    for day, ranked in scored.groupby("date", sort=False):
        scores = ranked["score"].to_numpy()
        columns = np.array([places[name] for name in ranked["asset"]])
        n = len(scores)
        k = max(1, int(quantile * n + 1e-9))
        k = n // 2 if n < 2 or (direction == "long_short" and 2 * k > n) else k
        if k == 0:
            continue
        top, bottom = np.arange(n - k, n), np.arange(k)[::-1]
        legs = [(top, gross)] if direction == "long_only" else [(top, gross / 2), (bottom, -gross / 2)]
        for leg, total in legs:
            raw = {
                "equal": np.ones(k),
                "rank": np.arange(1.0, k + 1),
                "score": np.abs(scores[leg] - scores.mean()),
            }[weighting]
            raw = raw if raw.sum() > 0 else np.ones(k)
            targets[days[day], columns[leg]] = total * raw / raw.sum()
    book = np.zeros_like(targets)
    for tranche in range(min(hold_periods, len(targets))):
        book[tranche:] += targets[: len(targets) - tranche] / hold_periods
    index = wide.index.append(pd.DatetimeIndex([_next_day(wide.index)], name="date"))
    path = np.vstack([np.ones(wide.shape[1]), np.cumprod(1 + wide.to_numpy(), axis=0)])

    def framed(values: Any) -> pandas.DataFrame:
        return pd.DataFrame(values, index=index, columns=wide.columns)

    nothing = np.zeros((1, wide.shape[1]))
    signs = np.sign(np.where(np.abs(book) < 1e-15, 0.0, book))
    former = np.vstack([nothing, signs[:-1]])

    def signal(happens: Any) -> pandas.DataFrame:
        return framed(np.vstack([happens, nothing.astype(bool)]))

    return VectorbtFrames(
        close=framed(path),
        weights=framed(np.vstack([book, nothing * np.nan])),
        entries=signal((signs > 0) & (former <= 0)),
        exits=signal((signs <= 0) & (former > 0)),
        short_entries=signal((signs < 0) & (former >= 0)),
        short_exits=signal((signs >= 0) & (former < 0)),
    )


def _found_returns(present: list[str]) -> dict[str, str]:
    matches = [(name, match) for name in present if (match := _returns_of.fullmatch(name)) is not None]
    found = {f"{int(match[1] or 1)}D": name for name, match in matches}
    if len(found) < len(matches):
        raise ValueError("forward_return and forward_return_1 would both be 1D. Name one of them in returns.")
    return found


def _ranked(frame: Any, date: str, asset: str, score: str, numbers: Mapping[str, str], group: str | None) -> Any:
    """The rows ordered by date, score and name; missing scores come last."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("alphalens and vectorbt take frames of pandas: pip install 'asfiled[pandas]'.") from None

    frames = frames_of(frame)
    require_columns(frame.columns, [date, asset, score, *numbers.values(), *([] if group is None else [group])])
    names = frames.texts(frame, asset)
    unnamed = next((row for row, name in enumerate(names) if name is None), None)
    if unnamed is not None:
        raise ValueError(f"{asset} is missing in row {unnamed}.")
    columns: dict[str, Any] = {
        "date": pd.DatetimeIndex(frames.days(frame, date)).as_unit("ns"),
        "asset": pd.Series(names, dtype=object),
        "score": pd.Series(frames.numbers(frame, score), dtype="float64"),
        **{name: pd.Series(frames.numbers(frame, column), dtype="float64") for name, column in numbers.items()},
    }
    if group is not None:
        columns["group"] = pd.Series(frames.texts(frame, group), dtype=object)
    rows = pd.DataFrame(columns)
    twice = rows.duplicated(["date", "asset"])
    if twice.any():
        row = int(twice.to_numpy().argmax())
        raise ValueError(f"Row {row} has {names[row]} on {rows['date'][row]:%Y-%m-%d} a second time.")
    return rows.sort_values(["date", "score", "asset"], kind="stable", ignore_index=True)


def _with_calendar(dates: Any) -> Any:
    """The dates with the calendar that they imply, as alphalens infers it: the weekdays seen, without the days that are missing."""
    import pandas as pd

    names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    weekdays = sorted(set(dates.day_of_week))
    every = pd.date_range(dates[0], dates[-1])
    missing = every[every.day_of_week.isin(weekdays)].difference(dates)
    calendar = pd.offsets.CustomBusinessDay(
        weekmask=" ".join(names[day] for day in weekdays), holidays=[day.date() for day in missing]
    )
    return pd.DatetimeIndex(dates, freq=calendar)


def _next_day(dates: Any) -> Any:
    """Where the last return ends: after the usual gap, and on no weekend if no date is on one."""
    import pandas as pd

    gap = pd.Series(dates).diff().median() if len(dates) > 1 else pd.Timedelta(days=1)
    day = (dates[-1] + gap).normalize()
    return day + pd.offsets.BDay(0) if dates.day_of_week.max() < 5 else day
