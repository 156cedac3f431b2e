"""Many machines: the offers of a loop in, what workers made of them out.

`driver` divides offers into units and sees to it that each is done once, `worker` does them,
`messages` is what they write to each other; `local` (processes) and `ray_actors` carry it.
"""

from .driver import Cluster, WorkerCount, WorkerError
from .opening import check_cluster, open_cluster
from .transport import ClusterError

__all__ = [
    "Cluster",
    "ClusterError",
    "WorkerCount",
    "WorkerError",
    "check_cluster",
    "open_cluster",
]
