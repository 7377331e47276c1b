"""Jobs that the server runs: wait for the end with a progress bar, cancel, and fail as the request itself would have failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from ._progress import Progress, bar
from ._reply import parse_json
from ._transport import Transport
from .errors import AsfiledError, api_error

_first_poll = 0.2
_longest_poll = 2.0


def wait_for_end(
    summary: Mapping[str, Any],
    refresh: Callable[[], Mapping[str, Any]],
    *,
    noun: str,
    unit: str,
    progress: Progress,
    max_wait: float | None,
) -> Mapping[str, Any]:
    """Polls a job until it has ended, with a bar of its progress.

    :param summary: the latest that is known of the job
    :param refresh: asks the server for a later one
    :param max_wait: seconds after which TimeoutError is raised; the job continues. None: no limit
    :returns: the summary of the ended job
    """
    end = None if max_wait is None else time.monotonic() + max_wait
    pause = _first_poll
    with bar(progress, noun, None, unit=unit) as move:
        while True:
            move.to(int(summary["progress"]["done"]), summary["progress"]["total"])
            if summary.get("finished_at") is not None:
                return summary
            if end is not None and time.monotonic() + pause > end:
                raise TimeoutError(
                    f"{noun.capitalize()} {summary['id']} is {summary['state']} after {max_wait} s. The server continues with it."
                )
            time.sleep(pause)
            pause = min(_longest_poll, pause * 1.3)
            summary = refresh()


def result_path(summary: Mapping[str, Any], noun: str, cancelled: type[AsfiledError]) -> str:
    """The path of the result of a job that has ended.

    :param cancelled: what a cancelled job raises
    """
    if summary["state"] == "failed":
        raise api_error(summary["error"], 200)
    if summary["state"] == "cancelled":
        raise cancelled(f"{noun.capitalize()} {summary['id']} was cancelled.")
    if summary.get("result_url") is None:
        raise ValueError(f"{noun.capitalize()} {summary['id']} is {summary['state']}. wait() waits for its end.")
    return str(summary["result_url"])


def follow(
    transport: Transport,
    summary: Mapping[str, Any],
    *,
    noun: str,
    cancelled: type[AsfiledError],
    progress: Progress,
    max_wait: float | None = None,
) -> str:
    """Waits for the end of a job of rows that was just submitted. An interrupted wait cancels it.

    :returns: the path of its result
    """
    path = str(summary["url"])
    try:
        summary = wait_for_end(
            summary,
            lambda: parse_json(transport.get(path, cached=False).body),
            noun=noun,
            unit="row",
            progress=progress,
            max_wait=max_wait,
        )
    except KeyboardInterrupt:
        # Nobody has its ID, so it would only use the server.
        transport.delete(path)
        raise
    return result_path(summary, noun, cancelled)
