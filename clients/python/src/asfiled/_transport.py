"""Requests and their answers: key, limits, retries, ETags. Nothing here knows a route."""

from __future__ import annotations

import email.utils
import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase

from ._disk_cache import DiskCache
from ._reply import EtagCache, Reply, parse_json
from .errors import AnswerError, ApiError, TransportError, UnavailableError, api_error

T = TypeVar("T")
Params = Mapping[str, str]

_printable = re.compile(r"[\x21-\x7e]{1,200}")
_first_wait = 0.5
_longest_wait = 8.0
_retried = (429, 502, 503)
_redirects = (301, 302, 303, 307, 308)
# An answer to an error is read up to here: a proxy may send anything.
_max_error_bytes = 65_536
# Connections that are kept open: as many as an AsyncClient may have calls at a time.
max_connections = 32

call_stop: ContextVar[threading.Event | None] = ContextVar("call_stop", default=None)
"""Ends the call that runs in this context, at its next request or wait."""


class CallStopped(KeyboardInterrupt):
    """A call whose task was cancelled. It cleans up as after Ctrl+C, and is raised once: what cleans up may ask the server."""

    @classmethod
    def check(cls) -> None:
        stop = call_stop.get()
        if stop is not None and stop.is_set():
            stop.clear()
            raise cls

    @classmethod
    def sleep(cls, seconds: float) -> None:
        stop = call_stop.get()
        if stop is None:
            time.sleep(seconds)
        elif stop.wait(seconds):
            cls.check()


class _Bearer(AuthBase):
    """Adds the key. As `auth` of the session it also keeps requests from taking other credentials out of ~/.netrc."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __repr__(self) -> str:
        return "<key>"

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._key}"
        return request


class Transport:
    """Sends requests with the key. GET and idempotent POST are sent again when the server is busy or the connection breaks."""

    def __init__(
        self,
        key: str,
        base_url: str,
        *,
        timeout: float,
        retries: int,
        max_wait: float,
        cache_bytes: int,
        cache_folder: str | os.PathLike[str] | None = None,
        sleep: Callable[[float], None] = CallStopped.sleep,
    ) -> None:
        if not _printable.fullmatch(key):
            raise ValueError("key has to be 1 to 200 printable ASCII characters without spaces.")
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("base_url has to be the address of a server, like http://127.0.0.1:3000.")
        if parts.username is not None or parts.password is not None:
            raise ValueError("base_url must not have a user or a password in it. Send the key as key=.")
        self.base_url = base_url.rstrip("/")
        self._origin = (parts.scheme, parts.netloc)
        self._timeout = (min(timeout, 10.0), timeout)
        self._retries = retries
        self._max_wait = max_wait
        self._sleep = sleep
        self._cache: EtagCache | DiskCache = (
            EtagCache(cache_bytes)
            if cache_folder is None
            else DiskCache(cache_folder, cache_bytes, key, self.base_url)
        )
        self._session = requests.Session()
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, HTTPAdapter(pool_maxsize=max_connections))
        self._session.auth = _Bearer(key)
        self._session.headers["User-Agent"] = "asfiled-python"

    def __repr__(self) -> str:
        return f"Transport({self.base_url!r})"

    def __reduce__(self) -> Any:
        raise TypeError("A client is not pickled: its key would be stored with it. Make one where it is needed.")

    def close(self) -> None:
        self._session.close()

    def get(self, path: str, params: Params | None = None, *, cached: bool = True) -> Reply:
        """A GET, answered from the cache where the server says that it has not changed."""
        # The prepared address has the parameters in one order and encoding, and no key.
        address = requests.Request("GET", self.base_url + path, params=params).prepare().url or path
        known = self._cache.find(address) if cached else None
        headers = {} if known is None else {"If-None-Match": known[0]}
        reply = self._exchange("GET", address, headers, None, repeatable=True)
        if reply.status == 304 and known is not None:
            return known[1]
        etag = reply.headers.get("ETag")
        if cached and etag is not None:
            self._cache.store(address, etag, reply)
        return reply

    def post(
        self,
        path: str,
        body: bytes,
        content_type: str,
        params: Params | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        repeatable: bool,
    ) -> Reply:
        """A POST. `repeatable`: to send it twice does nothing more than to send it once."""
        address = requests.Request("POST", self.base_url + path, params=params).prepare().url or path
        sent = {**(headers or {}), "Content-Type": content_type}
        return self._exchange("POST", address, sent, body, repeatable=repeatable)

    def delete(self, path: str) -> Reply:
        return self._exchange("DELETE", self.base_url + path, {}, None, repeatable=True)

    def stream(self, path: str, headers: Mapping[str, str]) -> requests.Response:
        """A GET whose body the caller reads with `chunks`, and closes. Uncompressed, so that ranges are those of the file."""
        sent = {**headers, "Accept-Encoding": "identity"}
        return self._repeated(lambda: self._attempt("GET", self.base_url + path, sent, None), repeatable=True)

    def stream_post(self, path: str, body: bytes, content_type: str) -> requests.Response:
        """A POST whose answer the caller reads with `chunks` as it arrives, and closes. It may be sent twice before the answer begins."""
        sent = {"Content-Type": content_type, "Accept-Encoding": "identity"}
        return self._repeated(lambda: self._attempt("POST", self.base_url + path, sent, body), repeatable=True)

    def _exchange(
        self, method: str, address: str, headers: Mapping[str, str], body: bytes | None, *, repeatable: bool
    ) -> Reply:
        return self._repeated(lambda: _read(self._attempt(method, address, headers, body)), repeatable)

    def _repeated(self, attempt: Callable[[], T], repeatable: bool) -> T:
        """The result of `attempt`, made again where it failed for a reason that passes."""
        waited = 0.0
        for repeats in range(self._retries + 1):
            failure: TransportError | ApiError
            try:
                return attempt()
            except TransportError as broken:
                failure, wait = broken, None
            except ApiError as refused:
                # 409: the first request with this Idempotency-Key still runs, and its answer will be the one.
                if refused.status not in _retried and refused.code != "idempotency_in_flight":
                    raise
                failure, wait = refused, refused.retry_after
            wait = _backoff(repeats) if wait is None else wait
            if not repeatable or repeats == self._retries or waited + wait > self._max_wait:
                raise failure
            self._sleep(wait)
            waited += wait
        raise AssertionError("The loop ends with a result or a failure.")

    def _attempt(
        self, method: str, address: str, headers: Mapping[str, str], body: bytes | None
    ) -> requests.Response:
        """The response to one request, its body still to be read. Follows redirects of this server."""
        for _ in range(5):
            CallStopped.check()
            broken: str | None = None
            try:
                response = self._session.request(
                    method,
                    address,
                    headers=dict(headers),
                    data=body,
                    timeout=self._timeout,
                    allow_redirects=False,
                    stream=True,
                )
            except requests.RequestException as error:
                broken = type(error).__name__
            if broken is not None:
                # Outside of the handler: the exceptions of requests have the request in them, and that has the key.
                raise TransportError(f"No answer from {self.base_url}: {broken}.")
            if response.status_code >= 400:
                with response:
                    raise _refusal(response)
            target = response.headers.get("Location")
            if method != "GET" or response.status_code not in _redirects or target is None:
                return response
            response.close()
            address = urljoin(address, target)
            parts = urlsplit(address)
            if (parts.scheme, parts.netloc) != self._origin:
                raise TransportError(
                    f"{self.base_url} sends to another server, {parts.netloc}. The key is not sent there."
                )
        raise TransportError(f"{self.base_url} sends from one address to the next without an end.")


def chunks(response: requests.Response, size: int = 1 << 18) -> Iterator[bytes]:
    """The body of a response as it arrives."""
    broken: str | None = None
    try:
        yield from response.iter_content(size)
    except requests.RequestException as error:
        broken = type(error).__name__
    if broken is not None:
        raise TransportError(f"The answer broke off: {broken}.")


def _read(response: requests.Response) -> Reply:
    with response:
        body = b"".join(chunks(response))
    return Reply(response.status_code, body, response.headers)


def _refusal(response: requests.Response) -> ApiError:
    retry_after = _seconds(response.headers.get("Retry-After"))
    try:
        body = next(chunks(response, _max_error_bytes), b"")
    except TransportError:
        body = b""
    error = _error_of(body)
    if error is not None:
        return api_error(error, response.status_code, retry_after)
    of_class = UnavailableError if response.status_code in _retried else ApiError
    return of_class(
        f"{response.status_code} without an error of asfiled. Is something in between?",
        status=response.status_code,
        code="",
        retry_after=retry_after,
    )


def _error_of(body: bytes) -> Mapping[str, Any] | None:
    try:
        answer = parse_json(body)
    except AnswerError:
        return None
    error = answer.get("error")
    return error if isinstance(error, dict) else None


def _backoff(attempt: int) -> float:
    """Half of it is chance, so that many clients do not come back at once."""
    return float(min(_longest_wait, _first_wait * 2**attempt) * random.uniform(0.5, 1.0))


def _seconds(header: str | None) -> float | None:
    """Retry-After is a number of seconds, or of some proxies a time."""
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        then = email.utils.parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, then.timestamp() - time.time())
