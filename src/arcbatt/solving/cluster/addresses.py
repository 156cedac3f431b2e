"""Clusters by name or address: `local:N`, `auto`, `HOST:PORT`."""

from __future__ import annotations

import re
from pathlib import Path

from arcbatt.language.registry import Primitive, user_primitives
from arcbatt.language.user_defined import module_of
from arcbatt.measure import usable_cores
from arcbatt.plugins import loaded_plugins

from ..options import SearchOptions
from .driver import WORKERS, Cluster
from .local import LocalProcesses
from .ray_actors import AUTO, RayActors, check_reachable, import_ray
from .transport import ClusterError, Transport

MAX_LOCAL = 1024
_LOCAL = re.compile(r"local:(\d{1,6})")
_ADDRESS = re.compile(r"(ray://)?[\w.\-\[\]:]+:\d{1,5}")


def _is_of_plugin(primitive: Primitive) -> bool:
    """Return whether a primitive is declared in a plugin, which workers import too."""
    place = module_of(primitive)
    modules = [module.__name__ for module in loaded_plugins().values()]
    return any(place == each or place.startswith(f"{each}.") for each in modules)


def check_cluster(text: str | None) -> None:
    """Raise `ClusterError` for a cluster that cannot be used; nothing is started."""
    if text is None:
        return
    if not isinstance(text, str):
        raise TypeError(f"cluster is a {type(text).__name__}, expected text such as 'local:4'")
    if own := [name for name, each in user_primitives().items() if not _is_of_plugin(each)]:
        raise ClusterError(
            f"workers do not have your own primitives ({', '.join(own)}): put them into a plugin, "
            f"or leave out cluster="
        )
    if local := _LOCAL.fullmatch(text):
        if not 1 <= int(local[1]) <= MAX_LOCAL:
            raise ClusterError(f"{text}: expected 1 to {MAX_LOCAL} workers")
        return
    if text != AUTO and not _ADDRESS.fullmatch(text):
        raise ClusterError(
            f"{text} is not a cluster; clusters are local:N (N processes on this machine), auto "
            f"(Ray on this machine) and HOST:PORT (Ray there)"
        )
    import_ray()
    if text != AUTO:
        check_reachable(text)


def open_cluster(text: str, options: SearchOptions, folder: Path | None = None) -> Cluster:
    """Return the cluster of a name for one run, or raise `ClusterError`.

    Each worker has `options.n_threads` threads; by default one on Ray, and an equal share of the
    cores on this machine. Workers log to a subfolder of `folder`.
    """
    check_cluster(text)
    transport: Transport
    if local := _LOCAL.fullmatch(text):
        n_workers = int(local[1])
        n_threads = options.n_threads or max(usable_cores() // n_workers, 1)
        logs = None if folder is None else folder / WORKERS
        transport = LocalProcesses(n_workers, n_threads, options.device, logs)
    else:
        transport = RayActors(text, options.n_threads or 1, options.device)
    return Cluster(transport, options, folder)
