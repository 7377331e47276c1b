"""A small server of the contract: tests script what it answers, and read what was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Sent:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass
class Answered:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    breaks_after: int | None = None
    """The connection ends after so many bytes of the body."""


def as_json(value: object, status: int = 200, **headers: str) -> Answered:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Answered(json.dumps(value).encode(), status, {"Content-Type": "application/json", **named})


def refusal(code: str, status: int, kind: str, message: str = "No.", **headers: str) -> Answered:
    return as_json({"error": {"type": kind, "code": code, "message": message, "param": None}}, status, **headers)


@dataclass
class Fake:
    url: str
    sent: list[Sent]


@contextmanager
def serving(answer: Callable[[Sent], Answered]) -> Iterator[Fake]:
    sent: list[Sent] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Sent(self.command, parts.path, dict(parse_qsl(parts.query)), headers, body)
            sent.append(request)
            answered = answer(request)
            self.send_response(answered.status)
            for name, value in answered.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answered.body)))
            self.end_headers()
            if answered.breaks_after is None:
                self.wfile.write(answered.body)
                return
            self.wfile.write(answered.body[: answered.breaks_after])
            self.wfile.flush()
            self.close_connection = True

        do_GET = do_POST = do_DELETE = handle_any

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Fake(f"http://127.0.0.1:{server.server_address[1]}", sent)
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
