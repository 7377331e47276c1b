"""A bar for what takes long, where tqdm is installed; or a function of the caller's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

Progress = Union[bool, Callable[[int, Union[int, None]], None]]
"""True: a bar on standard error. False: nothing. A function: called with what is done and the total."""


class Move:
    """Where the work is."""

    def __init__(self, show: Callable[[int, int | None], None], total: int | None) -> None:
        self._show = show
        self._total = total
        self._done = 0

    def by(self, steps: int) -> None:
        self.to(self._done + steps, self._total)

    def to(self, done: int, total: int | None) -> None:
        if (done, total) == (self._done, self._total):
            return
        self._done, self._total = done, total
        self._show(done, total)


@contextmanager
def bar(progress: Progress, title: str, total: int | None, unit: str) -> Iterator[Move]:
    if callable(progress):
        yield Move(progress, total)
        return
    shown = _tqdm(title, total, unit) if progress else None
    if shown is None:
        yield Move(lambda done, total: None, total)
        return

    def show(done: int, total: int | None) -> None:
        shown.total = total
        shown.update(done - shown.n)

    with shown:
        yield Move(show, total)


def _tqdm(title: str, total: int | None, unit: str) -> Any:
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(desc=title, total=total, unit=unit, unit_scale=unit == "B", unit_divisor=1024)
