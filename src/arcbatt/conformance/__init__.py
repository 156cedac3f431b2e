"""Conformance: recorded calls of primitives, replayed on an engine."""

from .engines import ENGINES, Engine, EngineUnavailable, fused
from .recorded import SHIPPED, Difference, Hashed, RecordedCall, RecordError, read_recorded
from .replaying import replay

__all__ = [
    "ENGINES",
    "SHIPPED",
    "Difference",
    "Engine",
    "EngineUnavailable",
    "Hashed",
    "RecordError",
    "RecordedCall",
    "fused",
    "read_recorded",
    "replay",
]
