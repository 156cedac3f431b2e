"""HTTP connections of the server, which must send a whole request in time."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

# A browser sends a request at once. Without a limit, connections that send headers or body byte by
# byte, or never, would pile up.
HEADERS_S = 20.0
BODY_S = 60.0
_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Protocol(H11Protocol):
    """A connection that is closed if a request's headers, or its body, do not arrive in time."""

    _timer: asyncio.TimerHandle | None = None
    _expected: Any = None  # the state of the client that the timer ends

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect(h11.IDLE, HEADERS_S)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # The client is idle until its headers are whole.
        state = self.conn.their_state
        if state is h11.IDLE:
            self._expect(state, HEADERS_S)
        elif state is h11.SEND_BODY:
            self._expect(state, BODY_S)
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _expect(self, state: Any, within_s: float) -> None:
        """Start to wait for the end of the client's state, unless that has begun."""
        if self._timer is not None and self._expected is state:
            return
        self._stop_waiting()
        self._expected = state
        self._timer = self.loop.call_later(within_s, self._end_late)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_late(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                self.transport.write(_TOO_LATE)
            self.transport.close()
