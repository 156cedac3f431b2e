"""HTTP connections of the server, which must send the headers of a request in time."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

# A browser sends the headers of a request at once. Without a limit, connections that send them
# byte by byte, or never, would pile up.
HEADERS_S = 20.0
_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Protocol(H11Protocol):
    """A connection that is closed if a request's headers do not arrive in time."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect_headers()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # The client is idle until its headers are whole.
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._timer is None:
            self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _expect_headers(self) -> None:
        self._timer = self.loop.call_later(HEADERS_S, self._end_late)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_late(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self.transport.write(_TOO_LATE)
            self.transport.close()
