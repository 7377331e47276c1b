"""Indexes of pandas frames: rows by date and ticker, as matrices and other libraries have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._frames import require_columns


def require_index(frame: Any, index: object) -> None:
    """Refuses an index for a frame of Polars, which has none."""
    if index is not None and not hasattr(frame, "set_index"):
        raise ValueError("index= is for frames of pandas. Those of Polars have no index.")


def indexed(frame: Any, index: Sequence[str] | None) -> Any:
    """The frame with these columns as its index. Rows and their order stay."""
    if index is None:
        return frame
    names = [index] if isinstance(index, str) else list(index)
    require_columns(frame.columns, names)
    return frame.set_index(names)


def flat(frame: Any, names: Sequence[str]) -> Any:
    """The frame with the levels of its index as columns, where one of `names` is a level and not a column; else the frame itself."""
    levels = list(getattr(getattr(frame, "index", None), "names", ()))
    if not any(name in levels and name not in list(frame.columns) for name in names):
        return frame
    if None in levels:
        raise ValueError(f"Name every level of the index, or call reset_index(). Its levels: {', '.join(map(str, levels))}.")
    return frame.reset_index()


def restored(frame: Any, original: Any, flattened: Any) -> Any:
    """`frame` with the index of `original`, which `flat` had made columns of."""
    return frame if flattened is original else frame.set_index(list(original.index.names))
