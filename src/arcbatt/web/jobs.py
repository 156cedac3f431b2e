"""Work for a page in, what comes of it out, bit by bit: the server goes on answering meanwhile.

A job is done by a process of its own, since searching and explaining take long and cannot be
interrupted otherwise. When whoever asked is gone, when it takes too long or when it is closed, the
process is killed; one that has done its job is kept for the next.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from arcbatt.processes import PipedProcess

from .jobs_protocol import CHECK, END, ERROR, SOLVE

# Of each kind, how many may run at once: a search takes all cores.
MAX_RUNNING = {SOLVE: 2, CHECK: 4}
# What runs, in messages.
NAMES = {SOLVE: "searches", CHECK: "checks"}
# So often a stream says something, so that it is noticed when nobody listens any more.
PULSE_S = 1.0
MODULE = "arcbatt.web.jobs_process"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a job tells."""

    name: str
    data: dict[str, Any]

    @property
    def text(self) -> str:
        """The event as a stream of events has it."""
        return f"event: {self.name}\ndata: {json.dumps(self.data, separators=(',', ':'))}\n\n"


class Worker:
    """A process that does one job at a time."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self.is_over = False  # its process
        self.is_free = True
        self._process = PipedProcess(MODULE, on_message=self._on_message, on_end=self._on_end)

    def begin(self, kind: str, given: dict[str, Any]) -> None:
        """Have it do a job."""
        self.is_free = False
        message = json.dumps([kind, given]).encode()
        # A pipe takes so much at once; the rest waits until the process reads.
        self._loop.run_in_executor(None, self._process.send, message)

    def kill(self) -> None:
        self.is_over = True
        self._process.kill()

    def _on_message(self, message: bytes) -> None:
        self._pass_on(Event(*json.loads(message)))

    def _on_end(self, how: str) -> None:
        self.is_over = True
        self._pass_on(Event(ERROR, {"message": f"this was not done: {how}"}))
        self._pass_on(Event(END, {}))

    def _pass_on(self, event: Event) -> None:
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._take, event)

    def _take(self, event: Event) -> None:
        self.is_free = self.is_free or event.name == END
        self.events.put_nowait(event)


class Job:
    """A job that runs until it is done or closed."""

    def __init__(self, workers: Workers, worker: Worker, kind: str, limit_s: float) -> None:
        self.kind = kind
        self.worker = worker
        self._workers = workers
        # Not when something is asked of it: a page may hold its stream and read nothing.
        self._limit = asyncio.get_running_loop().call_later(limit_s, self._end_late, limit_s)

    async def next_event(self) -> Event | None:
        """Return what it tells next, or None where there is no news for a while."""
        try:
            async with asyncio.timeout(PULSE_S):
                return await self.worker.events.get()
        except TimeoutError:
            return None

    async def stream(self) -> AsyncIterator[str]:
        """Yield what it tells as a stream of events, until it is done."""
        while True:
            event = await self.next_event()
            yield ": it goes on\n\n" if event is None else event.text
            if event is not None and event.name in (END, ERROR):
                return

    def close(self) -> None:
        """End it, wherever it is."""
        self._limit.cancel()
        self._workers.take_back(self)

    def _end_late(self, limit_s: float) -> None:
        message = f"this takes more than {limit_s:.0f} s"
        self.worker.events.put_nowait(Event(ERROR, {"message": message}))
        self.close()


class Workers:
    """The processes of a server, at most so many of each kind at work."""

    def __init__(self) -> None:
        self._idle: list[Worker] = []
        self._running: dict[Job, None] = {}

    def begin(self, kind: str, given: dict[str, Any], limit_s: float) -> Job:
        """Begin a job; where as many run as may, that is said instead."""
        n_running = Counter(job.kind for job in self._running)[kind]
        if n_running >= MAX_RUNNING[kind]:
            raise HTTPException(
                429, f"{n_running} {NAMES[kind]} are running already; stop one, or wait for its end"
            )
        self._idle = [worker for worker in self._idle if not worker.is_over]
        # A process that has checked something may have read answers: no search is done by it.
        worker = self._idle.pop() if self._idle and kind == CHECK else Worker()
        job = Job(self, worker, kind, limit_s)
        self._running[job] = None
        worker.begin(kind, given)
        return job

    def take_back(self, job: Job) -> None:
        """Keep the process of a job that is done for the next one; end that of any other."""
        if job not in self._running:
            return
        del self._running[job]
        worker = job.worker
        if worker.is_free and not worker.is_over and not self._idle and job.kind == CHECK:
            worker.events = asyncio.Queue()
            self._idle.append(worker)
        else:
            worker.kill()


class JobStream(StreamingResponse):
    """What a job tells, as server-sent events; when nobody listens any more it ends."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.stream(), media_type="text/event-stream")
        self._job = job

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._job.close()


async def wait_for(job: Job, request: Request) -> dict[str, Any]:
    """Return what a job tells first; it ends then, or when whoever asked is gone."""
    try:
        while True:
            event = await job.next_event()
            if event is None:
                if await request.is_disconnected():
                    raise HTTPException(499, "whoever asked is gone")
                continue
            if event.name == ERROR:
                raise HTTPException(422, event.data["message"])
            ended = await job.next_event()  # so that its process can be kept
            assert ended is None or ended.name in (END, ERROR)
            return event.data
    finally:
        job.close()


def workers_of(request: Request) -> Workers:
    """Return the processes of the server that a request is for."""
    return cast(Workers, request.app.state.workers)
