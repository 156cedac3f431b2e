"""Hold a conversation with a language model about each uncertain task, beside the search."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Any, ClassVar

from arcbatt.evaluation import Trial
from arcbatt.language import Program
from arcbatt.plurals import count
from arcbatt.tasks import Task

from ..proposer import Context, Offer, Proposal, Proposer, penalize_memorized, uncertain_tasks
from .endpoint import Endpoint, EndpointError, Reply, Usage
from .messages import Answer, first_messages, read_answer, repair_messages
from .options import AskOptions

QUESTIONS, ANSWERS, ENDED = "questions", "answers", "ended"
# Not measured, since models differ: questions come after the rules and the first two passes of
# enumerate, which solve most of what is easy, and before anything deeper. Starting a conversation
# takes no time of the search, and the answer may take long.
GAIN, COST_S = 0.05, 0.025
# Answers are there already.
ANSWER_COST_S = 0.01
# Conversations that wait for each request at a time, so that the endpoint is busy in long rounds.
CONVERSATIONS_PER_REQUEST = 4
# How often a request is tried again, how long it waits at first, and how many requests in a row may
# fail for good.
MAX_TRIES = 5
PAUSE_S = 1.0
MAX_PAUSE_S = 60.0
MAX_FAILURES = 8
# How often a request waits for a rate limit: with the pauses, a quarter of an hour or more.
MAX_LIMITED = 20
# Candidates that a conversation begins with.
MAX_BEST = 2


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn of a conversation: what was answered, and how the programs did."""

    task: Task
    number: int
    answer: Answer
    judged: Sequence[tuple[Proposal, Trial]]
    was_asked: bool
    is_last: bool


@dataclass(frozen=True, slots=True)
class _Trouble:
    """A message about a request that failed; after a final one nothing more is asked."""

    message: str
    is_final: bool
    is_sent_again: bool


class AskProposer(Proposer):
    """Asks a language model for programs, with feedback on those that are not right."""

    name = "ask"
    trust = 1.0
    runs_here = True
    hands_on = True
    count_columns: ClassVar = {
        "": "ask",
        "n_requests": "requests",
        "n_failed": "failed",
        "n_read": "tokens read",
        "n_written": "tokens written",
        "n_programs": "programs",
        "n_rejected": "not programs",
        "n_cents": "cents",
    }

    def __init__(
        self,
        options: AskOptions,
        off: frozenset[str] = frozenset(),
        *,
        pause_s: float = PAUSE_S,
    ) -> None:
        """`off` has no names for this proposer; `pause_s` is the wait after a first failure."""
        self._options = options
        self._endpoint = Endpoint(options)
        self._usage: Usage | None = None
        self._slots = BoundedSemaphore(options.parallel)
        self._pause_s = pause_s
        self._active: set[str] = set()
        self._open: frozenset[str] = frozenset()  # read by threads, replaced as a whole
        self._n_failures = self._n_limited = 0  # in a row
        self._free_from = 0.0  # the time of the clock until which a rate limit holds
        self._n_refused = 0
        self._last_failure = ""
        self._gave_up = self._has_warned = False
        self._n_programs = self._n_rejected = 0

    def next_offer(self, context: Context) -> Offer | None:
        self._begin(context)
        tasks = context.board.tasks
        if context.has_results:
            return Offer(ANSWERS, tasks, float(len(tasks)), ANSWER_COST_S, divides=False)
        done = context.done(ENDED)
        left, n_wrong = uncertain_tasks((task for task in tasks if task.id not in done), context)
        self._open = frozenset(task.id for task in left)
        new = tuple(task for task in left if task.id not in self._active)
        n_free = self._options.parallel * CONVERSATIONS_PER_REQUEST - context.n_running
        if self._gave_up or not new or n_free <= 0 or not self._may_ask(context):
            return None
        return Offer(QUESTIONS, new, GAIN * n_wrong, COST_S * len(new), divides=False)

    def _begin(self, context: Context) -> None:
        if self._usage is None:
            self._usage = Usage(self._options, context.state())

    def _may_ask(self, context: Context) -> bool:
        """Return whether a first question is within bounds, or was answered in an earlier run."""
        assert self._usage is not None
        is_allowed = self._usage.n_requests < self._options.max_requests
        return is_allowed or any(task not in self._active for task in context.done(_turn(0)))

    def work(self, offer: Offer, context: Context) -> None:
        if offer.item == ANSWERS:
            self._take(context)
            return
        n_free = self._options.parallel * CONVERSATIONS_PER_REQUEST - context.n_running
        # Small tasks first: they are solved most often.
        chosen = sorted(offer.tasks, key=lambda task: task.n_cells)[:n_free]
        context.say(f"{self._options.model} is asked about {count(len(chosen), 'task')}")
        for task in chosen:
            self._active.add(task.id)
            best = [each.program for each in context.candidates(task) if not each.fits][:MAX_BEST]
            answered: list[Sequence[str]] = []
            while task.id in (noted := context.done(_turn(len(answered)))):
                answered.append(noted[task.id]["replies"])
            context.start(self._converse, task, answered, best, context.judge)

    # --- in a thread ---

    def _converse(
        self,
        task: Task,
        answered: Sequence[Sequence[str]],
        best: Sequence[Program],
        judge: Callable[..., list[Trial]],
    ) -> Iterator[_Turn | _Trouble]:
        """Ask about a task turn by turn; what an earlier run was answered is not asked again."""
        messages = first_messages(task, best, self._options)
        for number in range(self._options.turns):
            was_asked = number >= len(answered)
            if was_asked:
                reply = yield from self._ask(task, messages)
                if reply is None:
                    return
                texts: Sequence[str] = reply.texts
            else:
                texts = answered[number]
            answer = read_answer(texts)
            proposals = [Proposal.from_program(each, task) for each in answer.programs]
            judged = list(zip(proposals, judge(proposals, 1) if proposals else [], strict=True))
            is_right = any(trial.fits and trial.predicts_held_out for _, trial in judged)
            is_last = is_right or number + 1 == self._options.turns
            yield _Turn(task, number, answer, judged, was_asked, is_last)
            if is_last:
                return
            order = sorted(
                range(len(judged)), key=lambda k: (-judged[k][1].n_fitted, -judged[k][1].credit)
            )
            messages += repair_messages(answer, [answer.programs[k] for k in order], task)

    def _ask(
        self, task: Task, messages: Sequence[Mapping[str, Any]]
    ) -> Generator[_Trouble, None, Reply | None]:
        """Send a request, and retry if it fails; return None if there is no answer."""
        assert self._usage is not None
        n_read, n_written = self._endpoint.estimate(messages)
        n_failed = n_limited = 0
        while n_failed < MAX_TRIES and n_limited < MAX_LIMITED:
            self._sleep(self._free_from - time.monotonic())
            with self._slots:
                if self._is_over or task.id not in self._open:
                    return None
                if not self._usage.begin(n_read, n_written):
                    return None
                result: Reply | EndpointError = EndpointError("the search has ended")
                try:
                    result = self._endpoint.send(messages)
                except EndpointError as error:
                    result = error
                    if self._is_over:
                        return None
                    is_counted = not (error.is_reworded or error.is_refused or error.is_limited)
                    self._n_failures += is_counted
                    self._n_limited += error.is_limited
                    self._n_refused += error.is_refused
                    self._last_failure = str(error)
                    if error.is_final or self._n_failures >= MAX_FAILURES:
                        self._gave_up = True  # before the next one asks
                        self._endpoint.close()
                finally:
                    self._usage.end(n_read, n_written, result)
            if isinstance(result, Reply):
                self._n_failures = self._n_limited = 0
                return result
            is_over = self._gave_up or result.is_refused
            if is_over or n_failed + n_limited == 0:
                yield _Trouble(str(result), self._gave_up, not is_over)
            if is_over:
                return None
            pause = self._pause_s * 2 ** (n_failed + n_limited)
            pause = max(result.wait_s, min(pause, MAX_PAUSE_S))
            n_failed += not result.is_limited
            n_limited += result.is_limited
            if result.is_limited:  # for the requests of other conversations as well
                self._free_from = time.monotonic() + pause
            else:
                self._sleep(pause)
        return None

    @property
    def _is_over(self) -> bool:
        return self._gave_up or self._endpoint.is_closed

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not self._is_over and time.monotonic() < until:
            time.sleep(min(0.1, seconds))

    # --- in the loop ---

    def _take(self, context: Context) -> None:
        """Keep the programs in the answers."""
        for result in context.results():
            if isinstance(result, _Trouble):
                self._report(result, context)
            else:
                self._take_turn(result, context)
        if self._usage is not None:
            usage = self._usage
            n_tokens = usage.n_read + usage.n_written
            context.say(f"{count(usage.n_requests, 'request')}, {count(n_tokens, 'token')} so far")
            context.save_state(self._usage.to_json())
            context.log({"n_pairs": 0, **self._usage.to_json()})

    def _take_turn(self, turn: _Turn, context: Context) -> None:
        for proposal, trial in turn.judged:
            context.keep(penalize_memorized(proposal, trial), trial)
        self._n_programs += len(turn.answer.programs)
        self._n_rejected += len(turn.answer.rejected)
        if context.is_traced(turn.task):
            for text in turn.answer.texts:
                context.trace(turn.task, f"turn {turn.number + 1}: {text}")
        if turn.was_asked:
            context.note_done(_turn(turn.number), turn.task, {"replies": list(turn.answer.texts)})
        if turn.is_last:
            context.note_done(ENDED, turn.task, {"n_turns": turn.number + 1})

    def _report(self, trouble: _Trouble, context: Context) -> None:
        if trouble.is_final and not self._has_warned:
            self._has_warned = True
            context.warn(f"ask stopped, and the search continued without it: {trouble.message}")
        elif not trouble.is_final:
            again = " and is sent again" if trouble.is_sent_again else ""
            context.say(f"a request failed{again}: {trouble.message}")

    def finish(self, context: Context) -> None:
        self._endpoint.close()
        self._begin(context)
        self._take(context)
        assert self._usage is not None
        if (self._n_failures or self._n_limited or self._n_refused) and not self._has_warned:
            n_failed = f"{self._usage.n_failed} of {count(self._usage.n_requests, 'request')}"
            context.warn(f"{n_failed} to the model failed, the last one: {self._last_failure}")

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        if self._usage is None:
            return {}
        counts = {
            **self._usage.to_json(),
            "n_programs": self._n_programs,
            "n_rejected": self._n_rejected,
            "n_cents": round(100 * self._usage.cost()),
        }
        return {self._options.model: counts}


def _turn(number: int) -> str:
    """Return the item of a turn in the ledger."""
    return f"turn {number + 1}"
