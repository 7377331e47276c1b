"""Requests and their answers: key, limits, retries, ETags. Nothing here knows a route."""

from __future__ import annotations

import email.utils
import random
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.auth import AuthBase

from .errors import AnswerError, ApiError, TransportError, UnavailableError, api_error

Params = Mapping[str, str]

_printable = re.compile(r"[\x21-\x7e]{1,200}")
_first_wait = 0.5
_longest_wait = 8.0
_retried = (429, 502, 503)
_redirects = (301, 302, 303, 307, 308)
# An answer to an error is read up to here: a proxy may send anything.
_max_error_bytes = 65_536


class _Bearer(AuthBase):
    """Adds the key. As `auth` of the session it also keeps requests from taking other credentials out of ~/.netrc."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __repr__(self) -> str:
        return "<key>"

    def __reduce__(self) -> Any:
        raise TypeError("A client is not pickled: its key would be stored with it. Make one where it is needed.")

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._key}"
        return request


@dataclass(frozen=True)
class Reply:
    """The body and the headers of a good answer."""

    status: int
    body: bytes
    headers: Mapping[str, str]


class _EtagCache:
    """The latest answers by their address, in a bounded number of bytes. The one not used for longest goes first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._replies: OrderedDict[str, tuple[str, Reply]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, address: str) -> tuple[str, Reply] | None:
        with self._lock:
            found = self._replies.get(address)
            if found is not None:
                self._replies.move_to_end(address)
            return found

    def store(self, address: str, etag: str, reply: Reply) -> None:
        # One large answer would push out all others.
        if len(reply.body) > self._max_bytes // 4:
            return
        with self._lock:
            former = self._replies.pop(address, None)
            if former is not None:
                self._bytes -= len(former[1].body)
            self._replies[address] = (etag, reply)
            self._bytes += len(reply.body)
            while self._bytes > self._max_bytes:
                _, (_, gone) = self._replies.popitem(last=False)
                self._bytes -= len(gone.body)


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
        sleep: Callable[[float], None] = time.sleep,
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
        self._cache = _EtagCache(cache_bytes)
        self._session = requests.Session()
        self._session.auth = _Bearer(key)
        self._session.headers["User-Agent"] = "asfiled-python"

    def __repr__(self) -> str:
        return f"Transport({self.base_url!r})"

    def close(self) -> None:
        self._session.close()

    def get(self, path: str, params: Params | None = None, *, cached: bool = True) -> Reply:
        """A GET, answered from the cache where the server says that it has not changed."""
        # The prepared address has the parameters in one order and encoding, and no key.
        address = requests.Request("GET", self.base_url + path, params=params).prepare().url or path
        known = self._cache.find(address) if cached else None
        headers = {} if known is None else {"If-None-Match": known[0]}
        response = self._send("GET", address, headers, None, repeatable=True)
        with response:
            if response.status_code == 304 and known is not None:
                return known[1]
            reply = _read(response)
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
        with self._send("POST", address, sent, body, repeatable=repeatable) as response:
            return _read(response)

    def delete(self, path: str) -> Reply:
        with self._send("DELETE", self.base_url + path, {}, None, repeatable=True) as response:
            return _read(response)

    def stream(self, path: str, headers: Mapping[str, str]) -> requests.Response:
        """A GET whose body the caller reads with `chunks`, and closes. Uncompressed, so that ranges are those of the file."""
        sent = {**headers, "Accept-Encoding": "identity"}
        return self._send("GET", self.base_url + path, sent, None, repeatable=True)

    def _send(
        self, method: str, address: str, headers: Mapping[str, str], body: bytes | None, *, repeatable: bool
    ) -> requests.Response:
        waited = 0.0
        attempt = 0
        while True:
            failure: TransportError | ApiError
            response = self._attempt(method, address, headers, body)
            if isinstance(response, TransportError):
                failure, wait = response, None
            elif response.status_code < 400:
                return response
            else:
                with response:
                    failure = _refusal(response)
                    wait = failure.retry_after
                    # 409: the first request with this Idempotency-Key still runs, and its answer will be the one.
                    busy = response.status_code in _retried or failure.code == "idempotency_in_flight"
                if not busy:
                    raise failure
            wait = _backoff(attempt) if wait is None else wait
            if not repeatable or attempt >= self._retries or waited + wait > self._max_wait:
                raise failure
            self._sleep(wait)
            waited += wait
            attempt += 1

    def _attempt(
        self, method: str, address: str, headers: Mapping[str, str], body: bytes | None
    ) -> requests.Response | TransportError:
        for _ in range(5):
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
                # The exceptions of requests have the request in them, and that has the key. So none of them is raised, chained or returned.
                return TransportError(f"No answer from {self.base_url}: {type(error).__name__}.")
            target = response.headers.get("Location")
            if method != "GET" or response.status_code not in _redirects or target is None:
                return response
            response.close()
            address = urljoin(address, target)
            parts = urlsplit(address)
            if (parts.scheme, parts.netloc) != self._origin:
                return TransportError(
                    f"{self.base_url} sends to another server, {parts.netloc}. The key is not sent there."
                )
        return TransportError(f"{self.base_url} sends from one address to the next without an end.")


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


def parse_json(body: bytes) -> dict[str, Any]:
    """The object of a JSON answer."""
    import json

    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise AnswerError("The answer is not a JSON object. Is base_url the address of asfiled?")
    return answer


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
