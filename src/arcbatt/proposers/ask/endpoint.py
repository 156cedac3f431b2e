"""Requests to an OpenAI-compatible endpoint, within bounds whatever it answers.

The endpoint may be slow, down, wrong or hostile. So a request has a deadline that does not depend
on what is sent, an answer is read up to a limit of bytes, nothing is decompressed, no redirect is
followed, and any exception of the client is an `EndpointError`.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from .options import KEY_VARIABLES, AskOptions

# The most bytes that are read of an answer, per sample and for everything around it.
BYTES_PER_SAMPLE = 1_000_000
MAX_CHARACTERS = 60_000
CHARACTERS_PER_TOKEN = 3
TOKENS_PER_IMAGE = 1_500
MAX_WAIT_S = 60.0
POLL_S = 0.1
CONNECT_S = 10.0
MAX_MESSAGE = 200

# The forms of requests, from the most helpful one to one that every server understands.
FORMS = ("full", "one answer", "plain")


class EndpointError(Exception):
    """A request failed; with `is_final` every other one would, too.

    With `is_reworded` the next one is worded in a simpler form. With `is_refused` the server
    understood it and will not answer it: it is too long, perhaps. With `is_limited` the server
    wants fewer requests. `used` are the tokens that it may have read and written nevertheless.
    """

    def __init__(
        self,
        message: str,
        *,
        is_final: bool = False,
        is_reworded: bool = False,
        is_refused: bool = False,
        is_limited: bool = False,
        wait_s: float = 0.0,
        used: tuple[int, int] = (0, 0),
    ) -> None:
        super().__init__(message)
        self.is_final = is_final
        self.is_reworded = is_reworded
        self.is_refused = is_refused
        self.is_limited = is_limited
        self.wait_s = wait_s
        self.used = used


@dataclass(frozen=True, slots=True)
class Reply:
    """The texts that a request gave, and the tokens read and written for it."""

    texts: tuple[str, ...]
    n_read: int
    n_written: int


class Usage:
    """Counts requests, tokens and cost, and keeps them within bounds."""

    def __init__(self, options: AskOptions, before: Mapping[str, Any] | None = None) -> None:
        before = before or {}
        self._options = options
        self._lock = Lock()
        self.n_requests = int(before.get("n_requests", 0))
        self.n_failed = int(before.get("n_failed", 0))
        self.n_read = int(before.get("n_read", 0))
        self.n_written = int(before.get("n_written", 0))
        self._held = (0, 0)

    def to_json(self) -> dict[str, int]:
        names = ("n_requests", "n_failed", "n_read", "n_written")
        return {name: getattr(self, name) for name in names}

    def cost(self, n_read: int = 0, n_written: int = 0) -> float:
        """Return the price in dollars of everything so far and of further tokens."""
        read, written = self.n_read + n_read, self.n_written + n_written
        return (read * self._options.price_in + written * self._options.price_out) / 1e6

    def begin(self, n_read: int, n_written: int) -> bool:
        """Set tokens aside for a request; return False if that is over a bound."""
        with self._lock:
            if not self._allows(n_read, n_written):
                return False
            self.n_requests += 1
            self._held = (self._held[0] + n_read, self._held[1] + n_written)
            return True

    def _allows(self, n_read: int, n_written: int) -> bool:
        options, (read, written) = self._options, self._held
        if self.n_requests >= options.max_requests:
            return False
        n_tokens = self.n_read + self.n_written + read + written + n_read + n_written
        if n_tokens > options.max_tokens:
            return False
        return not options.max_cost or self.cost(read + n_read, written + n_written) <= (
            options.max_cost
        )

    def end(self, n_read: int, n_written: int, result: Reply | EndpointError) -> None:
        """Count a request for which tokens were set aside."""
        with self._lock:
            self._held = (self._held[0] - n_read, self._held[1] - n_written)
            if isinstance(result, EndpointError):
                self.n_failed += 1
                used = result.used
            else:
                used = (result.n_read, result.n_written)
            self.n_read += used[0]
            self.n_written += used[1]


class Endpoint:
    """Sends requests, in any thread."""

    def __init__(self, options: AskOptions) -> None:
        options.require_model()
        self._options = options
        self._key = read_key()
        self._form = 0
        self._known_forms: set[int] = set()
        self.is_closed = False
        self._openai = import_openai()
        self._http = importlib.import_module("httpx2")
        max_bytes = BYTES_PER_SAMPLE * (options.samples + 1)
        self._client = self._openai.OpenAI(
            base_url=options.endpoint,
            api_key=self._key or "none",
            organization="",
            project="",
            max_retries=0,
            timeout=options.timeout_s,
            http_client=self._http.Client(
                transport=_bounded_transport(self._http, options, max_bytes),
                timeout=self._http.Timeout(
                    options.timeout_s, connect=min(CONNECT_S, options.timeout_s)
                ),
                follow_redirects=False,
            ),
        )

    def close(self) -> None:
        """Send nothing more, and wait for nothing."""
        self.is_closed = True
        with suppress(Exception):
            self._client.close()

    def redact(self, text: str) -> str:
        """Return a text without the key, which an endpoint knows and may send back."""
        return text.replace(self._key, "***") if self._key else text

    def estimate(self, messages: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
        """Return the tokens that a request would read, roughly, and write at most."""
        n_read = 0
        for message in messages:
            content = message["content"]
            for part in [content] if isinstance(content, str) else content:
                text = part if isinstance(part, str) else part.get("text")
                n_read += TOKENS_PER_IMAGE if text is None else len(text) // CHARACTERS_PER_TOKEN
        return n_read, self._options.samples * self._options.reply_tokens

    def send(self, messages: Sequence[Mapping[str, Any]]) -> Reply:
        """Return the answers to a request; raise EndpointError if it gets none in time."""
        ended: SimpleQueue[Reply | BaseException] = SimpleQueue()

        def run() -> None:
            try:
                ended.put(self._send_in_some_form(messages))
            except BaseException as error:
                ended.put(error)

        # In a thread of its own: an answer that comes byte by byte would block this one.
        Thread(target=run, name="ask request", daemon=True).start()
        deadline = monotonic() + self._options.timeout_s
        while not self.is_closed and monotonic() < deadline:
            try:
                result = ended.get(timeout=POLL_S)
            except Empty:
                continue
            if isinstance(result, Reply):
                return result
            explained = self._explain(result)
            # The server may be writing still, unless it could not be reached.
            if isinstance(result, self._openai.APITimeoutError) and not isinstance(
                result.__cause__, self._http.ConnectTimeout
            ):
                explained.used = self.estimate(messages)
            raise explained
        raise EndpointError(
            "the search has ended"
            if self.is_closed
            else f"no whole answer within {self._options.timeout_s:g} s",
            used=self.estimate(messages),
        )

    def _send_in_some_form(self, messages: Sequence[Mapping[str, Any]]) -> Reply:
        form = self._form
        try:
            reply = self._send(messages, FORMS[form])
            self._known_forms.add(form)
            return reply
        except self._openai.BadRequestError as error:
            if form in self._known_forms:
                raise EndpointError(str(error), is_refused=True) from error
            if form + 1 == len(FORMS):
                raise
            # The server does not know some parameter.
            self._form = max(self._form, form + 1)
            raise EndpointError(str(error), is_reworded=True) from error

    def _send(self, messages: Sequence[Mapping[str, Any]], form: str) -> Reply:
        options = self._options
        given: dict[str, Any] = {"model": options.model, "messages": list(messages)}
        if form == "plain":
            given["max_completion_tokens"] = options.reply_tokens
        else:
            given["max_tokens"] = options.reply_tokens
            given["temperature"] = options.temperature
        if form == "full":
            given["n"] = options.samples
            given["stream_options"] = {"include_usage": True}
        answer = self._client.chat.completions.with_raw_response.create(stream=True, **given)
        response = answer.http_response
        collected = _Collected(options.samples)
        try:
            if "event-stream" in response.headers.get("content-type", ""):
                for event in _events(response.iter_bytes()):
                    collected.take(event)
            else:
                collected.take(json.loads(response.read()))
            texts = tuple(self.redact(text) for text in collected.texts.values() if text.strip())
            if not texts:
                raise EndpointError(f"an answer without text{collected.explain()}")
        except Exception as error:
            explained = self._explain(error)
            explained.used = collected.usage or self.estimate(messages)
            raise explained from error
        finally:
            response.close()
        n_read, n_written = collected.usage or (
            self.estimate(messages)[0],
            sum(map(len, texts)) // CHARACTERS_PER_TOKEN,
        )
        return Reply(texts, n_read, n_written)

    def _explain(self, error: BaseException) -> EndpointError:
        if isinstance(error, EndpointError):
            message = self._clean(str(error))
            return EndpointError(
                message,
                is_final=error.is_final,
                is_reworded=error.is_reworded,
                is_refused=error.is_refused,
                used=error.used,
            )
        status = getattr(error, "status_code", None)
        message = self._clean(str(error) or type(error).__name__)
        cause = error.__cause__
        if status is None and cause is not None:
            message = self._clean(f"{message} ({cause})")
        # A wrong key, and an address or model that does not exist.
        is_final = status in (401, 403, 404)
        wait_s = 0.0
        with suppress(Exception):  # whatever the header holds
            wait_s = float(error.response.headers["retry-after"])  # type: ignore[attr-defined]
        return EndpointError(
            message,
            is_final=is_final,
            is_limited=status == 429,
            wait_s=min(wait_s, MAX_WAIT_S) if wait_s > 0 else 0.0,
        )

    def _clean(self, text: str) -> str:
        """Return a message that shows no key and cannot control a terminal."""
        text = " ".join(self.redact(text).split())
        return "".join(c if c.isprintable() else "?" for c in text)[:MAX_MESSAGE]


class _Collected:
    """The texts and counts of the events of an answer; what is not of the protocol is ignored."""

    def __init__(self, n_samples: int) -> None:
        self._n_samples = n_samples
        self.texts: dict[int, str] = {}
        self.usage: tuple[int, int] | None = None
        self._error = ""
        self._was_cut = False

    def explain(self) -> str:
        """Return why there is no text, as far as it is known."""
        if self._was_cut:
            return ": it was cut at --ask reply-tokens; models that think first need more"
        return self._error

    def take(self, event: Any) -> None:
        if not isinstance(event, dict):
            return
        if isinstance(event.get("error"), dict):
            self._error = f": {event['error'].get('message')}"
        choices = event.get("choices")
        for place, choice in enumerate(choices if isinstance(choices, list) else ()):
            if isinstance(choice, dict):
                self._take_choice(place, choice)
        usage = event.get("usage")
        if isinstance(usage, dict):
            counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
            if all(type(each) is int and 0 <= each < 10**9 for each in counts):
                self.usage = counts  # type: ignore[assignment]

    def _take_choice(self, place: int, choice: dict[str, Any]) -> None:
        self._was_cut |= choice.get("finish_reason") == "length"
        index = choice.get("index", place)
        part = choice.get("delta") or choice.get("message")
        text = part.get("content") if isinstance(part, dict) else None
        if type(index) is not int or not 0 <= index < self._n_samples or not isinstance(text, str):
            return
        self.texts[index] = (self.texts.get(index, "") + text)[:MAX_CHARACTERS]


def _events(chunks: Iterator[bytes]) -> Iterator[Any]:
    """Yield the data of server-sent events; skip lines that are not JSON."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.strip() == b"data: [DONE]":
                return
            if line.startswith(b"data:"):
                with suppress(ValueError, RecursionError):
                    yield json.loads(line[5:])


def read_key() -> str:
    """Return the key of the endpoint from the environment, or an empty text."""
    return next(filter(None, map(os.environ.get, KEY_VARIABLES)), "")


def import_openai() -> Any:
    """Return the client, or raise ValueError that says how to install it."""
    try:
        return importlib.import_module("openai")
    except ImportError as error:
        raise ValueError(
            f"ask needs the openai client ({error}): pip install 'arcbatt[llm]'"
        ) from None


def _bounded_transport(http: Any, options: AskOptions, max_bytes: int) -> Any:
    """Return a transport whose responses end at a deadline and a number of bytes."""

    class Stream(http.SyncByteStream):  # type: ignore[misc]
        def __init__(self, inner: Any, deadline: float) -> None:
            self._inner = inner
            self._deadline = deadline

        def __iter__(self) -> Iterator[bytes]:
            n_bytes = 0
            for chunk in self._inner:
                n_bytes += len(chunk)
                if n_bytes > max_bytes:
                    raise EndpointError(f"an answer of more than {max_bytes:,} bytes")
                if monotonic() > self._deadline:
                    raise EndpointError(f"no whole answer within {options.timeout_s:g} s")
                yield chunk

        def close(self) -> None:
            self._inner.close()

    class Transport(http.BaseTransport):  # type: ignore[misc]
        def __init__(self) -> None:
            self._inner = http.HTTPTransport(proxy=_proxy_of(options.endpoint))

        def handle_request(self, request: Any) -> Any:
            request.headers["accept-encoding"] = "identity"
            deadline = monotonic() + options.timeout_s
            response = self._inner.handle_request(request)
            # Otherwise a few bytes could become gigabytes.
            response.headers.pop("content-encoding", None)
            response.stream = Stream(response.stream, deadline)
            return response

        def close(self) -> None:
            self._inner.close()

    make: Callable[[], Any] = Transport
    return make()


def _proxy_of(endpoint: str) -> str | None:
    """Return the proxy that the environment names for an address."""
    # Every search imports this module, and few ask a model.
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(endpoint)
    if proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get(parts.scheme)
