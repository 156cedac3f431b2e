"""What a server is told at its start."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

LOCAL_HOST = "127.0.0.1"
DEFAULT_PORT = 8327


@dataclass(frozen=True, slots=True)
class Settings:
    """What is shown, and to whom.

    `runs` are folders of runs; without any, all runs in `runs_folder` are shown, new ones too.
    `data` are sources of tasks beside the built-in sets. With a `token`, requests must have it.
    """

    runs: tuple[Path, ...] = ()
    data: tuple[str, ...] = ()
    runs_folder: Path = Path("runs")
    host: str = LOCAL_HOST
    port: int = DEFAULT_PORT
    token: str | None = None

    def __post_init__(self) -> None:
        # It goes through cookies and headers, which take nothing else.
        if self.token is not None and not (self.token.isascii() and self.token.isprintable()):
            raise ValueError("a token has printable ASCII characters alone")
        if not is_local(self.host) and not self.token:
            raise ValueError(
                f"a server on {self.host} can be reached from elsewhere: give it a token"
            )


def is_local(host: str) -> bool:
    """Return whether a host can be reached from its own machine alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
