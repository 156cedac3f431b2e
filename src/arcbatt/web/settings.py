"""Settings of the web server."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

LOCAL_HOST = "127.0.0.1"
DEFAULT_PORT = 8327


@dataclass(frozen=True, slots=True)
class Settings:
    """The content to show, and who may see it.

    `runs` are folders of runs; if empty, all runs in `runs_folder` are shown, including new ones.
    `data` are task sources besides the built-in sets. Requests must present the `token`, if any.
    """

    runs: tuple[Path, ...] = ()
    data: tuple[str, ...] = ()
    runs_folder: Path = Path("runs")
    host: str = LOCAL_HOST
    port: int = DEFAULT_PORT
    token: str | None = None

    def __post_init__(self) -> None:
        # The token is sent in cookies and headers, which allow nothing else.
        if self.token is not None and not (self.token.isascii() and self.token.isprintable()):
            raise ValueError("a token must consist of printable ASCII characters")
        if not is_local(self.host) and not self.token:
            raise ValueError(
                f"a server on {self.host} can be reached by other machines; it needs a token"
            )


def is_local(host: str) -> bool:
    """Return whether a host can be reached only from its own machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
