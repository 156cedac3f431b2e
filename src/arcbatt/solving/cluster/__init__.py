"""Clusters: workers in other processes or on other machines do the work that a loop accepts.

`driver` divides offers into units and has each done once, `worker` does them, `messages` defines
what they send each other, and `local` (processes) and `ray_actors` are the transports.
"""

from .addresses import check_cluster, open_cluster
from .driver import Cluster, WorkerCount, WorkerError
from .transport import ClusterError

__all__ = [
    "Cluster",
    "ClusterError",
    "WorkerCount",
    "WorkerError",
    "check_cluster",
    "open_cluster",
]
