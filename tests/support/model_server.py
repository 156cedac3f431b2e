"""A local HTTP server that answers as vLLM does, or misbehaves on request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# The longest time that a handler sends, and the most bytes.
MAX_S = 20.0
MAX_BYTES = 2**26


@dataclass
class Answer:
    """The server's response to a request: texts, or one of many kinds of misbehavior."""

    texts: Sequence[str] = ()
    kind: str = "stream"  # or json, raw, hang, trickle, endless, reset
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    usage: Any = None


Respond = Callable[[dict[str, Any]], Answer]


@dataclass
class ModelServer:
    """A running server: its address, and the requests and headers that it got."""

    respond: Respond
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    arrived: threading.Event = field(default_factory=threading.Event)
    waited: threading.Event = field(default_factory=threading.Event)
    """Set if a client waited for all of `MAX_S` for an answer that hangs."""
    endpoint: str = ""


@contextmanager
def model_server(respond: Respond) -> Iterator[ModelServer]:
    """Run a server on the loopback address; `respond` is called with each request."""
    server = ModelServer(respond)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            request = json.loads(self.rfile.read(length))
            request["path"] = self.path
            with lock:
                server.requests.append(request)
                server.headers.append({k.lower(): v for k, v in self.headers.items()})
                answer = server.respond(request)
            server.arrived.set()
            with suppress(OSError):  # the client has gone
                _send(self, answer, request, server)

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    httpd.block_on_close = False
    server.endpoint = f"http://127.0.0.1:{httpd.server_address[1]}/v1"
    thread = threading.Thread(target=httpd.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        httpd.shutdown()
        httpd.server_close()
        thread.join(MAX_S)


def _send(
    handler: BaseHTTPRequestHandler,
    answer: Answer,
    request: dict[str, Any],
    server: ModelServer,
) -> None:
    closing = server.closing
    if answer.kind == "reset":
        handler.connection.close()
        return
    if answer.kind == "hang":
        if not closing.wait(MAX_S):
            server.waited.set()
        return
    handler.send_response(answer.status)
    is_json = answer.kind == "json" or answer.status != 200
    kind = "application/json" if is_json else "text/event-stream"
    for name, value in {"Content-Type": kind, **answer.headers}.items():
        handler.send_header(name, value)
    handler.send_header("Connection", "close")
    handler.end_headers()
    if answer.kind == "trickle":
        while not closing.wait(0.02):
            handler.wfile.write(b"x")
            handler.wfile.flush()
        return
    if answer.kind == "endless":
        for _ in range(MAX_BYTES // 2**16):
            if closing.is_set():
                return
            handler.wfile.write(b"y" * 2**16)
        return
    if answer.body or answer.kind == "raw":
        handler.wfile.write(answer.body)
        return
    if answer.kind == "json":
        choices = [
            {"index": k, "message": {"role": "assistant", "content": text}}
            for k, text in enumerate(answer.texts)
        ]
        handler.wfile.write(json.dumps({"choices": choices, "usage": answer.usage}).encode())
        return
    for index, text in enumerate(answer.texts[: request.get("n", 1)]):
        for start in range(0, len(text), 50):
            delta = {"index": index, "delta": {"content": text[start : start + 50]}}
            handler.wfile.write(b"data: " + json.dumps({"choices": [delta]}).encode() + b"\n\n")
    if request.get("stream_options"):
        handler.wfile.write(
            b"data: " + json.dumps({"choices": [], "usage": answer.usage}).encode() + b"\n\n"
        )
    handler.wfile.write(b"data: [DONE]\n\n")


def reply(*programs: str) -> str:
    """Return programs as a model writes them."""
    fences = "\n".join(f"```python\n{program}```" for program in programs)
    return f"The grid is mirrored.\n\n{fences}\n"
