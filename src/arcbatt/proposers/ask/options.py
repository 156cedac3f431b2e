"""The options of the ask proposer: the model, and the bounds of its use."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from urllib.parse import urlsplit

from arcbatt.language.prompt import DIALECTS

from ..options import whole_number

# The key of the endpoint comes from the first of these environment variables that is set. It is
# stored nowhere.
KEY_VARIABLES = ("ARCBATT_API_KEY", "OPENAI_API_KEY")

_WHOLE = {
    "max_requests": (0, 10**6),
    "max_tokens": (0, 10**12),
    "samples": (1, 64),
    "turns": (1, 20),
    "parallel": (1, 256),
    "reply_tokens": (16, 10**6),
}
_NUMBERS = {
    "max_cost": (0.0, 10**6),
    "price_in": (0.0, 10**5),
    "price_out": (0.0, 10**5),
    "temperature": (0.0, 2.0),
    "timeout_s": (0.1, 3600.0),
}


@dataclass(frozen=True)
class AskOptions:
    """The model, and the bounds of its use.

    `endpoint` is the address of an OpenAI-compatible server, such as http://localhost:8000/v1. At
    most `max_requests` requests are sent, failed ones included, with at most `max_tokens` tokens
    read and written in all, for at most `max_cost` dollars (0: not bounded) at `price_in` and
    `price_out` dollars per million tokens. `parallel` requests run at a time, each for at most
    `timeout_s`. A request asks for `samples` answers of at most `reply_tokens` tokens each. A task
    has at most `turns` requests, the later ones with feedback. With `images` the task is also shown
    as a picture. `dialect` is that of the language's description.
    """

    model: str = ""
    endpoint: str = ""
    max_requests: int = 400
    max_tokens: int = 10_000_000
    max_cost: float = 0.0
    price_in: float = 0.0
    price_out: float = 0.0
    samples: int = 4
    turns: int = 3
    parallel: int = 4
    reply_tokens: int = 4096
    temperature: float = 0.8
    timeout_s: float = 300.0
    images: bool = False
    dialect: str = "full"

    def __post_init__(self) -> None:
        """Raise `ValueError` for a value out of range."""
        for name, (least, most) in _WHOLE.items():
            whole_number(name, getattr(self, name), least, most)
        for name, (low, high) in _NUMBERS.items():
            value = getattr(self, name)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not low <= value <= high < inf:
                raise ValueError(f"{name} is {value!r:.40}, expected a number from {low} to {high}")
        if not isinstance(self.images, bool):
            raise ValueError(f"images is {self.images!r:.40}, expected True or False")
        if self.dialect not in DIALECTS:
            raise ValueError(f"dialect is {self.dialect!r:.40}, expected {' or '.join(DIALECTS)}")
        if self.max_cost and not (self.price_in or self.price_out):
            raise ValueError("max_cost needs the price of the tokens: price_in and price_out")
        if self.endpoint:
            self._check_endpoint()

    def _check_endpoint(self) -> None:
        wanted = "expected an address such as http://localhost:8000/v1"
        try:
            parts = urlsplit(self.endpoint)
            _ = parts.port
        except ValueError as error:
            raise ValueError(f"endpoint: {error}; {wanted}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"endpoint is {self.endpoint!r:.80}, {wanted}")
        if parts.username or parts.password or parts.query or parts.fragment:
            # It is stored with the run.
            raise ValueError(
                f"endpoint: an address without a user, password or query; the key is taken from "
                f"the environment: {KEY_VARIABLES[0]}"
            )

    def require_model(self) -> None:
        """Raise `ValueError` unless a model and an endpoint are named."""
        if not self.model or not self.endpoint:
            raise ValueError(
                "ask needs a model and the address of an OpenAI-compatible server: "
                "--model NAME --endpoint http://localhost:8000/v1"
            )
