"""The same client for programs with tasks: each method of `Client` to be awaited."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from ._answer import Answer
from ._client import Client
from ._transport import CallStopped, call_stop, max_connections

R = TypeVar("R")

# Methods of jobs, results and `bulk` that wait for the server or write a file. Everything else of these is at hand.
_waiting = frozenset({"all", "cancel", "close", "refresh", "releases", "result", "save_report", "sync", "wait"})
_end = object()
_closed = "This client is closed."
_local = frozenset({"close"})


class AsyncClient:
    """`Client` for asyncio: the same arguments and methods, each of which is awaited. The work is done in threads.

    >>> async with AsyncClient() as client:
    ...     apple, masco = await asyncio.gather(client.fundamentals("AAPL"), client.fundamentals("MAS"))

    What a method returns is what it returns there. Jobs, results and `bulk` have the same methods, to be awaited where they ask
    the server, and `changes` is read with `async for`. `last` is the latest answer to the task that reads it.

    A task that is cancelled is so at once. Its call ends at its next request or wait; a backtest that it waits for is cancelled.

    :param concurrency: calls at a time; further ones wait for their turn
    """

    def __init__(self, *args: Any, concurrency: int = 8, **settings: Any) -> None:
        if not 1 <= concurrency <= max_connections:
            raise ValueError(f"concurrency={concurrency} is not allowed. Send 1 to {max_connections}.")
        self._client: Client[Any] = Client(*args, **settings)
        self._last: contextvars.ContextVar[Answer] = contextvars.ContextVar("last", default=Answer(data_version=None))
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="asfiled")
        self._running: set[threading.Event] = set()
        self._is_closed = False

    def __repr__(self) -> str:
        return f"Async{self._client!r}"

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def last(self) -> Answer:
        """What the latest answer to a call of this task said besides its rows."""
        return self._last.get()

    @property
    def bulk(self) -> Any:
        """As `Client.bulk`: `await client.bulk.sync(folder)`."""
        return _Awaited(self, self._client.bulk)

    def changes(self, *args: Any, **settings: Any) -> Any:
        """As `Client.changes`, for `async for`."""
        return _Awaited(self, self._client.changes(*args, **settings))

    async def close(self) -> None:
        """Ends the calls that still run, and closes the connections."""
        self._is_closed = True
        for stop in self._running:
            stop.set()
        # Not in one of its own threads, which are the ones that it waits for.
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        self._client.close()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]: ...

    async def _call(self, name: str, args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
        # One of its own for each call: `last` is that of one call.
        client = copy(self._client)
        try:
            return self._wrapped(await self._in_thread(getattr(client, name), *args, **settings))
        finally:
            if client.last is not self._client.last:
                self._last.set(client.last)

    async def _in_thread(self, work: Callable[..., R], *args: Any, **settings: Any) -> R:
        if self._is_closed:
            raise RuntimeError(_closed)
        stop = threading.Event()
        context = contextvars.copy_context()
        context.run(call_stop.set, stop)
        self._running.add(stop)
        try:
            call = functools.partial(context.run, _stoppable, work, *args, **settings)
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except asyncio.CancelledError:
            stop.set()
            raise
        finally:
            self._running.discard(stop)

    def _wrapped(self, found: Any) -> Any:
        """Jobs, results and answers that are read as they arrive are awaited, too; frames and records are what they are."""
        of = type(found)
        own = of.__module__.startswith("asfiled.") and any(callable(getattr(of, name, None)) for name in _waiting)
        return _Awaited(self, found) if own else found


class _Awaited:
    """A job, a result or `bulk`, whose methods that ask the server are awaited; what is iterated there is so with `async for`."""

    def __init__(self, client: AsyncClient, of: Any) -> None:
        self._client = client
        self._of = of

    def __repr__(self) -> str:
        return repr(self._of)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of, name)
        if name not in _waiting or not callable(found):
            return found

        @functools.wraps(found)
        async def awaited(*args: Any, **settings: Any) -> Any:
            result = await self._client._in_thread(found, *args, **settings)
            return self if result is self._of else self._client._wrapped(result)

        return awaited

    async def __aiter__(self) -> AsyncIterator[Any]:
        # One by one, as they are asked for.
        each = iter(self._of)
        while (found := await self._client._in_thread(next, each, _end)) is not _end:
            yield found


def _stoppable(work: Callable[..., R], *args: Any, **settings: Any) -> R:
    """A stop ends the thread without Ctrl+C in the loop. Nobody waits for it but a task whose client was closed."""
    try:
        return work(*args, **settings)
    except CallStopped:
        raise RuntimeError(_closed) from None


def _awaited(name: str, method: Any) -> Any:
    @functools.wraps(method)
    async def call(self: AsyncClient, *args: Any, **settings: Any) -> Any:
        return await self._call(name, args, settings)

    return call


for _name, _method in inspect.getmembers(Client, inspect.isfunction):
    if not _name.startswith("_") and _name not in _local and not hasattr(AsyncClient, _name):
        setattr(AsyncClient, _name, _awaited(_name, _method))
