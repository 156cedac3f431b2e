"""Jobs for pages, such as searches, done in other processes while the server keeps answering.

A search or check cannot be interrupted from within, so its process is killed when the client is
gone, or when the job is closed or takes too long. After a finished check, the process is kept for
the next check.
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

from arcbatt.processes import PipedProcess

from .jobs_protocol import CHECK, END, ERROR, SOLVE
from .responses import EventStream

# The most jobs of a kind that may run at once: a search takes all cores.
MAX_RUNNING = {SOLVE: 2, CHECK: 4}
# The names of kinds in messages.
NAMES = {SOLVE: "searches", CHECK: "checks"}
# Seconds between comments on an idle stream, which fail once the client is gone.
PULSE_S = 1.0
MODULE = "arcbatt.web.jobs_process"


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a job."""

    name: str
    data: dict[str, Any]

    @property
    def text(self) -> str:
        """The event in the format of server-sent events."""
        return f"event: {self.name}\ndata: {json.dumps(self.data, separators=(',', ':'))}\n\n"


class Worker:
    """A process that does one job at a time."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self.is_over = False  # whether its process has ended
        self.is_free = True
        self._process = PipedProcess(MODULE, on_message=self._on_message, on_end=self._on_end)

    def begin(self, kind: str, given: dict[str, Any]) -> None:
        """Start a job."""
        self.is_free = False
        message = json.dumps([kind, given]).encode()
        # Writing to a full pipe blocks until the process reads.
        self._loop.run_in_executor(None, self._process.send, message)

    def kill(self) -> None:
        self.is_over = True
        self._process.kill()

    def _on_message(self, message: bytes) -> None:
        self._pass_on(Event(*json.loads(message)))

    def _on_end(self, how: str) -> None:
        self.is_over = True
        self._pass_on(Event(ERROR, {"message": f"the job failed: {how}"}))
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
        # A timer, since a page may hold its stream without reading.
        self._limit = asyncio.get_running_loop().call_later(limit_s, self._end_late, limit_s)

    async def next_event(self) -> Event | None:
        """Return the next event, or None if none comes for a while."""
        try:
            async with asyncio.timeout(PULSE_S):
                return await self.worker.events.get()
        except TimeoutError:
            return None

    async def stream(self) -> AsyncIterator[str]:
        """Yield its events as server-sent events, until it is done."""
        while True:
            event = await self.next_event()
            yield ": still running\n\n" if event is None else event.text
            if event is not None and event.name in (END, ERROR):
                return

    def close(self) -> None:
        """End the job."""
        self._limit.cancel()
        self._workers.take_back(self)

    def _end_late(self, limit_s: float) -> None:
        message = f"this takes more than {limit_s:.0f} s"
        self.worker.events.put_nowait(Event(ERROR, {"message": message}))
        self.close()


class Workers:
    """The processes of a server, with a limit of running jobs per kind."""

    def __init__(self) -> None:
        self._idle: list[Worker] = []
        self._running: dict[Job, None] = {}

    def begin(self, kind: str, given: dict[str, Any], limit_s: float) -> Job:
        """Start a job; answer 429 if too many are running."""
        n_running = Counter(job.kind for job in self._running)[kind]
        if n_running >= MAX_RUNNING[kind]:
            raise HTTPException(
                429, f"{n_running} {NAMES[kind]} are running already; stop one, or wait for its end"
            )
        self._idle = [worker for worker in self._idle if not worker.is_over]
        # A process that has checked something may have read answers: searches get a new one.
        worker = self._idle.pop() if self._idle and kind == CHECK else Worker()
        job = Job(self, worker, kind, limit_s)
        self._running[job] = None
        worker.begin(kind, given)
        return job

    def take_back(self, job: Job) -> None:
        """Keep the process of a finished check for the next one; end any other process."""
        if job not in self._running:
            return
        del self._running[job]
        worker = job.worker
        if worker.is_free and not worker.is_over and not self._idle and job.kind == CHECK:
            worker.events = asyncio.Queue()
            self._idle.append(worker)
        else:
            worker.kill()


def stream_job(job: Job) -> EventStream:
    """Return a job's events as a response; the job ends when the client is gone."""
    return EventStream(job.stream(), job.close)


async def wait_for(job: Job, request: Request) -> dict[str, Any]:
    """Return the data of a job's first event; the job ends then, or when the client is gone."""
    try:
        while True:
            event = await job.next_event()
            if event is None:
                if await request.is_disconnected():
                    raise HTTPException(499, "the client is gone")
                continue
            if event.name == ERROR:
                raise HTTPException(422, event.data["message"])
            ended = await job.next_event()  # its process can be kept then
            assert ended is None or ended.name in (END, ERROR)
            return event.data
    finally:
        job.close()


def workers_of(request: Request) -> Workers:
    """Return the processes of a request's server."""
    return cast(Workers, request.app.state.workers)
