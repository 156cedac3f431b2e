"""The programs that a run has seen, in bounded memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import islice
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from arcbatt.pool import Pool

# A filter takes a megabyte per 2**23 bits, and is renewed after MAX_ADDED digests. Until then it
# mistakes at most one new program in 70 for a seen one, and with the previous filter one in 36.
N_BITS = 2**26
MAX_ADDED = 2**22
_WORDS = Struct("<II")
# The number of digests that are read from a pool at once.
_BATCH = 2**16


class SeenFilter:
    """A Bloom filter of digests: it contains all that were added, and by mistake a few others.

    The same digests added in the same order make the same filter in every process.
    """

    def __init__(self) -> None:
        # The present filter, and the previous one if there is any.
        self._bits = [_new_bits()]
        self._n_added = 0
        self.has_forgotten = False

    def add_all(self, digests: bytes) -> None:
        """Add concatenated digests."""
        words = np.frombuffer(digests, np.uint32).reshape(-1, 4)[:, :2] & (N_BITS - 1)
        if self._n_added and self._n_added + len(words) > MAX_ADDED:
            self.has_forgotten = len(self._bits) == 2
            self._bits = [_new_bits(), self._bits[0]]
            self._n_added = 0
        self._n_added += len(words)
        bits = np.frombuffer(self._bits[0], np.uint8)
        places, within = words >> 3, words & 7
        for bit in range(8):
            bits[places[within == bit]] |= 1 << bit

    def find(self, digests: bytes) -> NDArray[np.bool_]:
        """Return for each of the concatenated digests whether it is in the filter."""
        words = np.frombuffer(digests, np.uint32).reshape(-1, 4)[:, :2] & (N_BITS - 1)
        are_in = np.zeros(len(words), np.bool_)
        for each in self._bits:
            bits = np.frombuffer(each, np.uint8)
            are_in |= (bits[words >> 3] >> (words & 7).astype(np.uint8) & 1).all(axis=1)
        return are_in

    def __contains__(self, digest: bytes) -> bool:
        one, other = _WORDS.unpack_from(digest)
        one, other = one % N_BITS, other % N_BITS
        for bits in self._bits:
            if bits[one >> 3] >> (one & 7) & 1 and bits[other >> 3] >> (other & 7) & 1:
                return True
        return False

    def to_parts(self) -> tuple[int, list[bytes]]:
        """Return the filter as plain data, compressed: at first nearly all bits are the same."""
        return self._n_added, [zlib.compress(bits, 1) for bits in self._bits]

    @classmethod
    def from_parts(cls, n_added: int, parts: Sequence[bytes]) -> SeenFilter:
        """Return the filter with the data of `to_parts`."""
        made = cls()
        made._n_added = n_added
        made._bits = [memoryview(bytearray(zlib.decompress(part))) for part in parts]
        return made


def _new_bits() -> memoryview:
    return np.zeros(N_BITS // 8, np.uint8).data


class SeenPrograms:
    """The programs that a run has seen, now or before it was resumed; its pool knows them all.

    `filter`, which dealers use, knows the programs seen until the last `take_news`.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.filter = SeenFilter()
        self._news: dict[bytes, None] = {}
        dropped = iter(pool.dropped())
        while batch := list(islice(dropped, _BATCH)):
            self.add_all(batch)
            self.take_news()

    def add_all(self, digests: Iterable[bytes]) -> None:
        """Add programs by their digests."""
        self._news.update(dict.fromkeys(digests))

    def take_news(self) -> bytes:
        """Add all new digests to the filter; return them concatenated."""
        news = b"".join(self._news)
        self._news.clear()
        self.filter.add_all(news)
        return news

    def find_new(self, digests: Sequence[bytes]) -> list[int]:
        """Return the indices of digests that were never seen; of equal ones, the first."""
        new: dict[bytes, int] = {}
        are_known = self.filter.find(b"".join(digests)).tolist()
        for place, (digest, is_known) in enumerate(zip(digests, are_known, strict=True)):
            if not is_known and digest not in self._news:
                new.setdefault(digest, place)
        if self.filter.has_forgotten:
            for digest in self._pool.seen(new):
                del new[digest]
        return list(new.values())

    def __contains__(self, digest: bytes) -> bool:
        return not self.find_new([digest])
